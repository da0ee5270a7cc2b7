/** Texts about one's collection, in each language. */

import { en } from "./en.ts";
import { tr } from "./tr.ts";

export const COLLECTION: Record<string, typeof en> = { en, tr };
