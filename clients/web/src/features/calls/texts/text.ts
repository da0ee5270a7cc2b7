/** Texts of tournaments' calls, in each language. The script that shows them has it. */

import { en } from "./en.ts";
import { tr } from "./tr.ts";

export const CALLS: Record<string, typeof en> = { en, tr };
