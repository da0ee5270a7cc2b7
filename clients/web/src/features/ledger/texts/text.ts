/** Texts of the ledger, in each language. The script that shows them has it: the first page need not. */

import { en } from "./en.ts";
import { tr } from "./tr.ts";

export const LEDGER: Record<string, typeof en> = { en, tr };
