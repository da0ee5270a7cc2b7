/** Texts of friends and reports, in each language. The script that shows them has it: the first page need not. */

import { en } from "./en.ts";
import { tr } from "./tr.ts";

export const PEOPLE: Record<string, typeof en> = { en, tr };
