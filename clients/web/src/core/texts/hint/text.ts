/** Texts of hints, in each language. The worker of the evaluator has it: the first page need not. */

import type { Analysis } from "../../../../../../protocol/tavla.d.ts";
import { en } from "./en.ts";
import { tr } from "./tr.ts";

export const HINT: Record<string, typeof en> = { en, tr };

/** The name of a match's judge in a language, and whether its figures are for now. */
export function judgeName({ by = "", rough = false }: Analysis, language: string) {
  const say = HINT[language];
  const name = new Map(Object.entries(say.judges)).get(by) ?? by;
  return rough ? say.forNow(name) : name;
}
