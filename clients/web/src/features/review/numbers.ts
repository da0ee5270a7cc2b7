/** Numbers as they are written in a review. */

import { highFirst } from "../../core/model/plays.ts";
import { fixed } from "../../core/texts/fixed.ts";
import { language } from "../../core/texts/text.ts";

/** An equity, with its sign; null = not known. */
export const signed = (value: number | null) => (value === null ? "–" : `${value < 0 ? "" : "+"}${fixed(value, 3)}`);
export const cost = (value: number) => fixed(Math.max(0, value), 3);
export const chance = (value: number) => fixed(100 * value, 1);
export const percent = (value: number) =>
  value.toLocaleString(language, { style: "percent", maximumFractionDigits: 1 });
export const rating = (value: number | null) => (value === null ? "–" : fixed(value, 1));
export const dice = (roll: number[]) => highFirst(roll).join("-");
