/**
 * The seeds that we have committed to: what we have sent for which match, what we saw before we revealed, and what is
 * kept of a match that is void although we have revealed.
 */

import type { AskedRules } from "../../../../protocol/tavla.d.ts";
import type { Store } from "../device/store.ts";
import { commitment } from "../model/dice.ts";
import { toHex } from "../model/sha256.ts";

/**
 * asked: options of the rules. opponent: the name of the one that we asked for. table: the match that we sent it for. match: the one that it was revealed for; terms,
 * seat: those shown then; taken: the server has said that it has the seed.
 */
type Pledge = {
  seed: string;
  made: number;
  asked?: AskedRules;
  opponent?: string;
  table?: string;
  match?: string;
  terms?: string;
  seat?: number;
  taken?: boolean;
};

const SEED_BYTES = 32;
const KEPT_MS = 90 * 24 * 3600 * 1000; // a match may rest for long
const SEED = "tavla.seed/"; // and the commitment: of two tabs neither writes what the other has written
const PROOFS = "tavla.proofs";
const PROOFS_KEPT = 20;

/** All pledges of this device, by their commitments. */
export class Pledges {
  storage: Store;
  now: () => number;

  /** @param now ms */
  constructor(storage: Store, now: () => number = Date.now) {
    this.storage = storage;
    this.now = now;
  }

  get(committed: string) {
    return this.storage.read<Pledge | null>(SEED + committed, null);
  }

  /** The commitments of all that are kept. */
  all() {
    return this.storage.keys(SEED).map((key) => key.slice(SEED.length));
  }

  keep(committed: string, pledge: Pledge | null) {
    if (pledge) this.storage.setItem(SEED + committed, JSON.stringify(pledge));
    else this.storage.removeItem(SEED + committed);
  }

  /** Commit to a fresh seed. */
  make(asked: AskedRules = {}, opponent = "") {
    const kept = this.all();
    for (const old of kept) if (this.now() - (this.get(old)?.made ?? 0) >= KEPT_MS) this.keep(old, null);
    if (!kept.length) globalThis.navigator?.storage?.persist?.(); // else a browser that needs room may clear it
    const seed = toHex(crypto.getRandomValues(new Uint8Array(SEED_BYTES)));
    const committed = commitment(seed);
    this.keep(committed, { seed, made: this.now(), asked, opponent });
    return committed;
  }

  /** Note for which match a commitment was sent. */
  bind(committed: string, table: string) {
    const pledge = this.get(committed);
    if (pledge && pledge.table !== table) this.keep(committed, { ...pledge, table });
  }

  /** The commitment that was sent for a match from this device; "": none, or from another device. */
  sentFor(table: string) {
    return this.all().find((one) => this.get(one)?.table === table) ?? "";
  }

  /**
   * The seed to reveal now, after what we see was written down; null: it was revealed for other terms, and a player who
   * has seen it could have chosen a commitment by it.
   */
  reveal(match: string, terms: string, seat: number, committed: string) {
    const pledge = this.get(committed) as Pledge;
    if (!pledge.match) this.keep(committed, { ...pledge, match, terms, seat });
    else if (pledge.match !== match || pledge.terms !== terms) return null;
    return pledge.seed;
  }

  /** The server has taken the seed. */
  taken(committed: string) {
    const pledge = this.get(committed);
    if (pledge) this.keep(committed, { ...pledge, taken: true });
  }

  /** Evidence of matches that were void in spite of us. */
  proofs(): Record<string, unknown>[] {
    return this.storage.read(PROOFS, []);
  }

  /** @param proof with its match; one for each */
  prove(proof: Record<string, unknown>) {
    const others = this.proofs().filter(({ match }) => match !== proof.match);
    this.storage.setItem(PROOFS, JSON.stringify([...others, proof].slice(-PROOFS_KEPT)));
  }
}
