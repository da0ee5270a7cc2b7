/** Seeds of the dice and the commitments to them. Pure. See "Checking the dice" in protocol/README.md. */
import { fromHex, sha256, toHex } from "./sha256.ts";

const HASH = /^[0-9a-f]{64}$/;
const SEED = /^([0-9a-f]{2}){16,32}$/;

/** @param seed in hex */
export const commitment = (seed: string) => toHex(sha256(fromHex(seed)));

/** Whether this can be a commitment. */
export const isHash = (text: string) => HASH.test(text);

/** Whether a seed is the one that was committed to. */
export const keeps = (seed: string, committed: string) => SEED.test(seed) && commitment(seed) === committed;
