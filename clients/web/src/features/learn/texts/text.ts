/** Texts of the lesson, the rules and the glossary, in the language that the page speaks. */

import { language } from "../../../core/texts/text.ts";
import { en } from "./en.ts";
import { tr } from "./tr.ts";

export const LEARN: Record<string, typeof en> = { en, tr };

export const words = () => LEARN[language];
