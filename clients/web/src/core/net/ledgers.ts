/** The ledger as the state calls it: a feature with a script of its own, which is fetched with the first call. */

import type { Welcome } from "../../../../../protocol/tavla.d.ts";
import { fetched } from "../device/fetched.ts";
import type { View } from "../model/view.ts";
import type { Client } from "./client.ts";
import type { Match, Sent } from "./match.ts";
import type { Entry } from "./pledges.ts";

export type Ledger = {
  conclude: (client: Client, match: Match) => void;
  accuse: (client: Client, committed: string) => void;
  compare: (client: Client, match: Match, known: Entry) => void;
  note: (client: Client, match: Match) => void;
  look: (client: Client, match: Match, before: View, now: View, seq: number) => void;
  answered: (client: Client, match: Match, request: Sent, answer: { seq?: number }) => void;
  findVanished: (client: Client, welcome: Welcome) => void;
};
let fetchLedger: () => Promise<Ledger>;
let fetching: Promise<Ledger> | undefined;

export const ledgerIs = (fetch: typeof fetchLedger) => {
  fetchLedger = fetch;
};

/** Do something with the ledger, as soon as its script is here. */
export const withLedger = (does: (ledger: Ledger) => unknown) => {
  fetching ??= fetched(fetchLedger);
  return fetching.then(does);
};
