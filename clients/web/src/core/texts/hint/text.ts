/** Texts of hints, in each language. The worker of the evaluator has it: the first page need not. */

import { en } from "./en.ts";
import { tr } from "./tr.ts";

export const HINT: Record<string, typeof en> = { en, tr };

/** A judge's name as a language has it, where it is one of ours. */
export const judgeNamed = (by: string, language: string) =>
  new Map(Object.entries(HINT[language].judges)).get(by) ?? by;
