/**
 * The seeds that we have committed to: what we have sent for which match, what we saw before we revealed, and what is
 * kept of a match that is void although we have revealed.
 */

import type { Store } from "../device/store.ts";
import { commitment } from "../model/dice.ts";
import { toHex } from "../model/sha256.ts";
import type { View } from "../model/view.ts";

/**
 * table: the match that we sent it for. match: the one that it was revealed for; server, other: the commitments shown
 * then; taken: the server has said that it has the seed.
 */
type Pledge = {
  seed: string;
  made: number;
  table?: string;
  match?: string;
  server?: string;
  other?: string;
  taken?: boolean;
};

const SEED_BYTES = 16;
const KEPT_MS = 90 * 24 * 3600 * 1000; // a match may rest for long
const SEEDS = "tavla.seeds";
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

  all(): Record<string, Pledge> {
    return this.storage.read(SEEDS, {});
  }

  keep(committed: string, pledge: Pledge | null) {
    const fresh = Object.entries(this.all()).filter(
      ([key, one]) => key !== committed && this.now() - one.made < KEPT_MS,
    );
    this.storage.setItem(SEEDS, JSON.stringify(Object.fromEntries(pledge ? [...fresh, [committed, pledge]] : fresh)));
  }

  /** Commit to a fresh seed. */
  make() {
    const seed = toHex(crypto.getRandomValues(new Uint8Array(SEED_BYTES)));
    const committed = commitment(seed);
    this.keep(committed, { seed, made: this.now() });
    return committed;
  }

  /** Note for which match a commitment was sent. */
  bind(committed: string, table: string) {
    const pledge = this.all()[committed];
    if (pledge && pledge.table !== table) this.keep(committed, { ...pledge, table });
  }

  /** The commitment that was sent for a match from this device; "": none, or from another device. */
  sentFor(table: string) {
    return Object.entries(this.all()).find(([, one]) => one.table === table)?.[0] ?? "";
  }

  /**
   * The seed to reveal now, after what we see was written down; null: it is not ours, or was revealed for other
   * commitments, and a player who has seen it could have chosen theirs by it.
   */
  reveal(match: string, view: View, seat: number) {
    const committed = view.commitments[seat];
    const pledge = this.all()[committed];
    if (!pledge || !view.commitment) return null;
    const seen = { match, server: view.commitment, other: view.commitments[1 - seat] };
    if (!pledge.match) this.keep(committed, { ...pledge, ...seen });
    else if (pledge.match !== match || pledge.server !== seen.server || pledge.other !== seen.other) return null;
    return pledge.seed;
  }

  /** The server has taken the seed. */
  taken(committed: string) {
    const pledge = this.all()[committed];
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
