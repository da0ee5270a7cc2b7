/** Texts of shared reviews, in each language. The script that shows them has it. */

import { en } from "./en.ts";
import { tr } from "./tr.ts";

export const TOGETHER: Record<string, typeof en> = { en, tr };
