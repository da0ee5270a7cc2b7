/** What is wrong with a record, or is proved by it, in each language. The script that judges it has it: the first page need not. */

import { en } from "./en.ts";
import { tr } from "./tr.ts";

export const RECORD: Record<string, typeof en> = { en, tr };
