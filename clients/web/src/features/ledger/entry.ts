/** What becomes of the matches that were agreed to in this browser. Fetched when one ends, or is here again. */

export { answered, look } from "./acts.ts";
export { compare, findVanished } from "./comparison.ts";
export { accuse, conclude, note } from "./ledger.ts";
export { Remembered } from "./remembered.tsx";
