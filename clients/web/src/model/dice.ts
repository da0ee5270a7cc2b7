/**
 * The dice: what is committed to, and the rolls that follow from the seeds. Pure. See "Checking the dice" in
 * protocol/README.md.
 */
import { fromHex, hmac, sha256, toHex } from "./sha256.ts";
import type { View } from "./view.ts";

const HASH = /^[0-9a-f]{64}$/;
const SEED = /^([0-9a-f]{2}){16,32}$/;

/** @param seed in hex */
export const commitment = (seed: string) => toHex(sha256(fromHex(seed)));

/** Whether this can be a commitment. */
export const isHash = (text: string) => HASH.test(text);

/** Whether a seed is the one that was committed to. Who committed to none has none. */
export const keeps = (seed: string, committed: string) =>
  committed ? SEED.test(seed) && commitment(seed) === committed : !seed;

/** Roll number k of a match. @param view one with all seeds */
export function rollOf(match: string, view: Pick<View, "seed" | "seeds">, k: number): [number, number] {
  const dice: number[] = [];
  for (let block = 0; dice.length < 2; block++) {
    const message = new TextEncoder().encode([match, ...view.seeds, k, block].join(":"));
    for (const byte of hmac(fromHex(view.seed), message)) if (byte < 252) dice.push((byte % 6) + 1);
  }
  return [dice[0], dice[1]];
}
