/**
 * What each option of a new match means, in each language: by its name, and its value where they differ. With it stands
 * the entry of the glossary or the rules that tells more; "": there is none. And what each key does, and what
 * hardly anybody has to be told. The first page asks for it when needed.
 */

import { en } from "./en.ts";
import { tr } from "./tr.ts";

export const HELP: Record<string, typeof en> = { en, tr };
