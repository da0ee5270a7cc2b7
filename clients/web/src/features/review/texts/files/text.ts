/** Texts about matches in files, in each language. The script that reads them has it. */

import { en } from "./en.ts";
import { tr } from "./tr.ts";

export const FILES: Record<string, typeof en> = { en, tr };
