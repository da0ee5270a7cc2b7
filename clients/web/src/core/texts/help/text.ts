/**
 * The meaning of each option of a new match, in each language: by its name, and its value where they differ. With it
 * stands the entry of the glossary or the rules that tells more; "": there is none. Also the keys, and advice that
 * few players need. The first page asks for it when needed.
 */

import { en } from "./en.ts";
import { tr } from "./tr.ts";

export const HELP: Record<string, typeof en> = { en, tr };
