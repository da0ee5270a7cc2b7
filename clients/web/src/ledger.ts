/** What becomes of the matches that were agreed to in this browser. Fetched when one ends, or is here again. */

export { compare, findVanished, note } from "./net/comparison.ts";
export { accuse, conclude } from "./net/ledger.ts";
export { Remembered } from "./screens/remembered.ts";
