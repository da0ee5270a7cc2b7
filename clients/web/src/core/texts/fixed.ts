/** Numbers as the page's language writes them. */

import { language } from "./text.ts";

/** A number with so many digits after its point. */
export const fixed = (value: number, digits: number) => {
  const shape = { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false };
  return value.toLocaleString(language, shape).replace("-", "−");
};
