/** Texts of the review, in the language that the page speaks. */

import { language } from "../../../core/texts/text.ts";
import { en } from "./en.ts";
import { tr } from "./tr.ts";

export const REVIEW: Record<string, typeof en> = { en, tr };

export const words = () => REVIEW[language];
