/** Why a play is not allowed, in each language. The script that says so has it: the first page need not. */

import { en } from "./en.ts";
import { tr } from "./tr.ts";

export const REFUSED: Record<string, typeof en> = { en, tr };
