/**
 * The dice: a seed of our own for each match, committed to and revealed; and every roll recomputed in the end. Pure but
 * for the store that is handed in. See "Checking the dice" in protocol/README.md.
 *
 * @import {View} from "./view.js"
 * @typedef {{seed: string, made: number, match?: string, server?: string, other?: string}} Pledge
 * @typedef {{sound: boolean, text: string}} Verdict
 */
import { fromHex, hmac, sha256, toHex } from "./sha256.js";
import { text } from "./text.js";

const SEED_BYTES = 16;
const KEPT_MS = 90 * 24 * 3600 * 1000; // a match may rest for long
const SEEDS = "tavla.seeds";

/** @param {string} seed in hex */
export const commitment = (seed) => toHex(sha256(fromHex(seed)));

/** The seeds that we have committed to, by their commitments. */
export class Pledges {
  /** @param {Pick<Storage, "getItem" | "setItem">} storage @param {() => number} now ms */
  constructor(storage, now = Date.now) {
    this.storage = storage;
    this.now = now;
  }

  /** @returns {Record<string, Pledge>} */
  all() {
    try {
      return JSON.parse(this.storage.getItem(SEEDS) ?? "{}");
    } catch {
      return {};
    }
  }

  /** @param {string} committed @param {Pledge | null} pledge */
  keep(committed, pledge) {
    const fresh = Object.entries(this.all()).filter(([key, one]) => key !== committed && this.now() - one.made < KEPT_MS);
    this.storage.setItem(SEEDS, JSON.stringify(Object.fromEntries(pledge ? [...fresh, [committed, pledge]] : fresh)));
  }

  /** Commit to a fresh seed. */
  make() {
    const seed = toHex(crypto.getRandomValues(new Uint8Array(SEED_BYTES)));
    const committed = commitment(seed);
    this.keep(committed, { seed, made: this.now() });
    return committed;
  }

  /**
   * The seed to reveal now, after what we see was written down; null: it is not ours, or was revealed for other
   * commitments, and whoever has seen it could have chosen theirs by it.
   * @param {string} match @param {View} view @param {number} seat
   */
  reveal(match, view, seat) {
    const committed = view.commitments[seat];
    const pledge = this.all()[committed];
    if (!pledge || !view.commitment) return null;
    const seen = { match, server: view.commitment, other: view.commitments[1 - seat] };
    if (!pledge.match) this.keep(committed, { ...pledge, ...seen });
    else if (pledge.match !== match || pledge.server !== seen.server || pledge.other !== seen.other) return null;
    return pledge.seed;
  }
}

/** Roll number k of a match. @param {string} match @param {View} view one with all seeds @param {number} k @returns {[number, number]} */
export function rollOf(match, view, k) {
  /** @type {number[]} */
  const dice = [];
  for (let block = 0; dice.length < 2; block++) {
    const message = new TextEncoder().encode([match, ...view.seeds, k, block].join(":"));
    for (const byte of hmac(fromHex(view.seed), message)) if (byte < 252) dice.push((byte % 6) + 1);
  }
  return [dice[0], dice[1]];
}

/**
 * Whether the dice of a match that is over were those that everybody had committed to.
 * @param {string} match
 * @param {View} view the last one
 * @param {unknown[][]} events of its record
 * @param {{server: string, seen: Map<number, number[]>, pledge: Pledge | undefined, seat: number | null}} known what
 * we were shown before: the server's commitment, and the dice by number, the higher first
 * @returns {Verdict}
 */
export function verdict(match, view, events, { server, seen, pledge, seat }) {
  const fault = wrongSeeds(view, server, pledge, seat);
  if (fault) return { sound: false, text: fault };
  const rolls = events.filter((event) => event[2] === "rolled" || event[2] === "opening_rolled");
  let wrong = 0;
  rolls.forEach((event, index) => {
    const dice = rollOf(match, view, index + 1);
    const told = /** @type {number[]} */ (event.slice(event[2] === "rolled" ? 4 : 3));
    const shown = seen.get(index + 1);
    const sorted = `${[...dice].sort((a, b) => b - a)}`;
    if (`${told}` !== `${dice}` || (shown && `${shown}` !== sorted)) wrong++;
  });
  if (wrong) return { sound: false, text: text.wrongRolls(wrong, rolls.length) };
  if (rolls.length !== view.rolls) return { sound: false, text: text.missingRolls(view.rolls, rolls.length) };
  const without = [0, 1].filter((one) => !view.commitments[one]).map((one) => view.players[one] ?? text.someone);
  return { sound: true, text: text.soundRolls(rolls.length, without) };
}

/** @param {View} view @param {string} server @param {Pledge | undefined} pledge @param {number | null} seat */
function wrongSeeds(view, server, pledge, seat) {
  if (!view.seed) return text.noSeedShown;
  if (view.commitment !== server || commitment(view.seed) !== server) {
    return text.otherServerSeed;
  }
  for (const one of [0, 1]) {
    if (view.commitments[one] && commitment(view.seeds[one]) !== view.commitments[one]) {
      return text.otherSeed(view.players[one] ?? text.someone);
    }
  }
  if (seat !== null && pledge) {
    if (view.seeds[seat] !== pledge.seed) return text.ownSeedMissing;
    if (pledge.match && (pledge.server !== view.commitment || pledge.other !== view.commitments[1 - seat])) {
      return text.commitmentChanged;
    }
  }
  return "";
}
