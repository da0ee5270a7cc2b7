/**
 * The seeds that we have committed to: what we have sent for which match, what we saw before we revealed, and what is kept of a
 * match that is void although we have revealed.
 *
 * @import {View} from "./view.js"
 * @import {Store} from "./store.js"
 * @typedef {{seed: string, made: number, table?: string, match?: string, server?: string, other?: string, taken?: boolean}} Pledge
 * table: the match that we sent it for. match: the one that it was revealed for; server, other: the commitments shown then;
 * taken: the server has said that it has the seed.
 */
import { commitment } from "./dice.js";
import { toHex } from "./sha256.js";

const SEED_BYTES = 16;
const KEPT_MS = 90 * 24 * 3600 * 1000; // a match may rest for long
const SEEDS = "tavla.seeds";
const PROOFS = "tavla.proofs";
const PROOFS_KEPT = 20;

/** All pledges of this device, by their commitments. */
export class Pledges {
  /** @param {Store} storage @param {() => number} now ms */
  constructor(storage, now = Date.now) {
    this.storage = storage;
    this.now = now;
  }

  /** @returns {Record<string, Pledge>} */
  all() {
    return this.storage.read(SEEDS, {});
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

  /** Note for which match a commitment was sent. @param {string} committed @param {string} table */
  bind(committed, table) {
    const pledge = this.all()[committed];
    if (pledge && pledge.table !== table) this.keep(committed, { ...pledge, table });
  }

  /** The commitment that was sent for a match from this device; "": none, or from another device. @param {string} table */
  sentFor(table) {
    return Object.entries(this.all()).find(([, one]) => one.table === table)?.[0] ?? "";
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

  /** The server has taken the seed. @param {string} committed */
  taken(committed) {
    const pledge = this.all()[committed];
    if (pledge) this.keep(committed, { ...pledge, taken: true });
  }

  /** What is kept of matches that were void in spite of us. @returns {Record<string, unknown>[]} */
  proofs() {
    return this.storage.read(PROOFS, []);
  }

  /** @param {Record<string, unknown>} proof with its match; one for each */
  prove(proof) {
    const others = this.proofs().filter(({ match }) => match !== proof.match);
    this.storage.setItem(PROOFS, JSON.stringify([...others, proof].slice(-PROOFS_KEPT)));
  }
}
