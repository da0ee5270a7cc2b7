/** Texts of hints, in each language. The worker of the evaluator has it: the first page need not. */

import { en } from "./en.ts";
import { tr } from "./tr.ts";

export const HINT: Record<string, typeof en> = { en, tr };
