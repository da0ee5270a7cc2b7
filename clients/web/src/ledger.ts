/** What becomes of the matches that were agreed to in this browser. Fetched when one ends, or is here again. */

export { answered, look } from "./net/acts.ts";
export { compare, findVanished } from "./net/comparison.ts";
export { accuse, conclude, note } from "./net/ledger.ts";
export { Remembered } from "./screens/remembered.tsx";
