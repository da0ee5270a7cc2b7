/**
 * The dice: what is committed to, and the rolls that follow from the seeds. Pure. See "Checking the dice" in protocol/README.md.
 *
 * @import {View} from "./view.js"
 */
import { fromHex, hmac, sha256, toHex } from "./sha256.js";

const HASH = /^[0-9a-f]{64}$/;
const SEED = /^([0-9a-f]{2}){16,32}$/;

/** @param {string} seed in hex */
export const commitment = (seed) => toHex(sha256(fromHex(seed)));

/** Whether this can be a commitment. @param {string} text */
export const isHash = (text) => HASH.test(text);

/**
 * Whether a seed is the one that was committed to. Who committed to none has none; but for the matches of an earlier version, in
 * which nobody had committed to any.
 * @param {string} seed @param {string} committed @param {string} other the other player's commitment
 */
export const keeps = (seed, committed, other) => (committed ? SEED.test(seed) && commitment(seed) === committed : !seed || !other);

/** Roll number k of a match. @param {string} match @param {Pick<View, "seed" | "seeds">} view one with all seeds @param {number} k @returns {[number, number]} */
export function rollOf(match, view, k) {
  /** @type {number[]} */
  const dice = [];
  for (let block = 0; dice.length < 2; block++) {
    const message = new TextEncoder().encode([match, ...view.seeds, k, block].join(":"));
    for (const byte of hmac(fromHex(view.seed), message)) if (byte < 252) dice.push((byte % 6) + 1);
  }
  return [dice[0], dice[1]];
}
