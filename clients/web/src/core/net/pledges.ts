/**
 * The ledger of this browser: an entry for each seed that we have committed to, with what we asked for, what we saw
 * before we revealed it, and what became of the match. `ledger.ts` counts them, and folds those that are old.
 */

import type { AskedRules } from "../../../../../protocol/tavla.d.ts";
import type { Store } from "../device/store.ts";
import { commitment } from "../model/dice.ts";
import { toHex } from "../model/sha256.ts";

/** void: nobody's doing that counts. A: no seed came from the other player. B: by the server's doing. */
export type End = "played" | "void" | "A" | "B" | "put_back";
/** Times in ms. Whatever is optional is not known, or was not so. */
export type Entry = {
  seed: string;
  made: number;
  asked?: AskedRules; // options of the rules
  opponent?: string; // the name of the one that we asked for
  table?: string; // the match that it was sent for
  match?: string; // the one that it was revealed for
  terms?: string; // shown then, as is the next
  seat?: number;
  taken?: number; // in which epoch the server has said that it has the seed
  epoch?: number; // the last version that was seen, with those below
  seq?: number;
  rolls?: number;
  shown?: string; // the newest seed of the server's
  seeds?: [string, string];
  burnt?: number; // links that are of no game, in spite of which the player has gone on
  fault?: string; // in spite of which not
  losses?: number; // how often it was shown as it was earlier
  seen?: number;
  player?: string; // our id
  against?: string; // the other one's name
  end?: End;
  ended?: number;
  said?: object; // by the server, of an end of the kind B
};

const SEED_BYTES = 32;
const SEED = "tavla.seed/"; // and the commitment: of two tabs neither writes what the other has written

/** All entries of this browser, by their commitments. */
export class Pledges {
  storage: Store;
  now: () => number;

  /** @param now ms */
  constructor(storage: Store, now: () => number = Date.now) {
    this.storage = storage;
    this.now = now;
  }

  get(committed: string) {
    return this.storage.read<Entry | null>(SEED + committed, null);
  }

  /** The commitments of all that are kept. */
  all() {
    return this.storage.keys(SEED).map((key) => key.slice(SEED.length));
  }

  keep(committed: string, entry: Entry | null) {
    if (entry) this.storage.setItem(SEED + committed, JSON.stringify(entry));
    else this.storage.removeItem(SEED + committed);
  }

  /** Change an entry, if there is one. */
  note(committed: string, change: Partial<Entry>) {
    const entry = this.get(committed);
    if (entry) this.keep(committed, { ...entry, ...change });
  }

  /** Commit to a fresh seed. */
  make(asked: AskedRules = {}, opponent = "") {
    if (!this.all().length) globalThis.navigator?.storage?.persist?.(); // else a browser that needs room may clear it
    const seed = toHex(crypto.getRandomValues(new Uint8Array(SEED_BYTES)));
    const committed = commitment(seed);
    this.keep(committed, { seed, made: this.now(), asked, opponent });
    return committed;
  }

  /** The commitment that was sent from this device for a match, or revealed; "": none, or from another device. */
  sentFor(match: string, kind: "table" | "match" = "table") {
    return this.all().find((one) => this.get(one)?.[kind] === match) ?? "";
  }

  /**
   * The seed to reveal now, after what we see was written down; null: it was revealed for other terms, and a player who
   * has seen it could have chosen a commitment by it.
   */
  reveal(match: string, seen: { terms: string; seat: number; epoch: number; seq: number }, committed: string) {
    const entry = this.get(committed) as Entry;
    if (!entry.match) this.keep(committed, { ...entry, match, ...seen });
    else if (entry.match !== match || entry.terms !== seen.terms) return null;
    return entry.seed;
  }
}
