/** Verdicts on the dice of a match that is over. */

import type { Event, Recorded } from "../../../../../protocol/tavla.d.ts";
import { fetched } from "../device/fetched.ts";
import { entriesOf } from "../model/moves.ts";
import { fold } from "../model/record.ts";
import { isPlayed, type Judged } from "../model/verdict.ts";
import { fromFields, unreadable, type View } from "../model/view.ts";
import { text } from "../texts/text.ts";
import type { Client } from "./client.ts";
import { Refused } from "./connection.ts";
import { withLedger } from "./ledgers.ts";
import type { Match } from "./match.ts";
import { revealSeed } from "./seeds.ts";

const LONG_S = 90; // to wait for a limit: who looks on would not
const MOST_EVENTS = 100_000; // of a record: more than any match has

/** Part of a client that reading a match needs. */
export type Reader = Pick<Client, "connection" | "waiters" | "matches">;

/** A match is over: what is to be said of it. */
export function concludeMatch(client: Client, match: Match) {
  if (isPlayed(match.view)) match.verdict = { sound: null, text: text.checking };
  withLedger(({ conclude }) => conclude(client, match));
}

/** The part of a match's record that holds, and the verdict on it. */
export async function judgeMatch(client: Reader, id: string, code: string): Promise<Judged & Told> {
  const { events, ...told } = await fetchRecord(client, id, code);
  const { view } = told;
  const [field] = unreadable(view);
  if (field) throw new Error(text.faultAbsurd(field));
  const match = client.matches.get(id);
  const { judged } = await fetched(() => import("../model/judged.ts"));
  return { ...told, ...judged(id, view, events, match ? match.witness : null) };
}

export type Findings = Pick<Recorded, "analysis" | "judging" | "findings">;

/** The state of a match, and the findings of the server's judge. */
type Told = { view: View } & Findings;

/** All that has happened in a match, and what is told of it. */
async function fetchRecord(client: Reader, match: string, code: string): Promise<{ events: Event[] } & Told> {
  const events: Event[] = [];
  let told: Told | null = null;
  for (let after = 0; ; ) {
    const page = await askPatiently(client, () => client.connection.ask("record", { match, after, code }));
    const { view = {}, analysis, judging, findings } = page;
    told ??= { view: fromFields(view), analysis, judging, findings };
    events.push(...(page.events ?? []));
    if (!page.next) return { events, ...told };
    if (!(page.next > after) || events.length > MOST_EVENTS) throw new Error(text.faultEnd);
    after = page.next;
  }
}

/** Find the moves of a game that were made before we came. */
export async function recallMoves(client: Client, match: Match) {
  if (!match.hasGap || !match.view.game) return;
  match.hasGap = false;
  const { seq } = match;
  const { events } = await fetchRecord(client, match.id, match.code);
  if (match.seq !== seq)
    match.hasGap = true; // a move was made meanwhile: with the next view
  else match.moves = entriesOf(fold(events, match.view.rules));
  client.changed();
}

/** Ask again for what was asked for too often. */
export async function askPatiently<T>(client: Pick<Client, "waiters">, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== "too_many" || !error.after || error.after > LONG_S) throw error;
      await client.waiters.sleep(1000 * error.after);
    }
  }
}

/** The player goes on in spite of what is wrong. */
export function goOn(client: Client, match: Match) {
  const { faults, burnt } = match.witness;
  match.waived = faults.length;
  client.pledges.note(match.own?.sent ?? "", { fault: undefined, burnt });
  if (match.view.phase === "reveal") revealSeed(client, match);
  client.changed();
}
