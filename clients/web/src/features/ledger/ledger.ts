/** What becomes of the matches that were agreed to here: verdicts on those that are over, and counts of their ends. */

import { isPlayed, isVoid, wrongSeeds } from "../../core/model/verdict.ts";
import type { Client } from "../../core/net/client.ts";
import { reason } from "../../core/net/connection.ts";
import type { Match } from "../../core/net/match.ts";
import { seekMatch } from "../../core/net/pairing.ts";
import type { End, Entry, Pledges } from "../../core/net/pledges.ts";
import { judgeMatch } from "../../core/net/verdicts.ts";
import { language, text } from "../../core/texts/text.ts";
import { oddEnd } from "./oddities.ts";
import { LEDGER } from "./texts/text.ts";

const REVEALED_MS = 3000; // for an answer to our seed, when the match is void meanwhile
const KEPT_MS = 90 * 24 * 3600 * 1000; // since the end, or a commitment for a match that may rest for long
const HOUR_MS = 3600 * 1000;
const COUNTS = "tavla.counts"; // of entries that are kept no more

/** Matches for which our seed was revealed, and how many of them ended so. */
type Counts = { matches: number; A: number; B: number; put_back: number };

export const words = () => LEDGER[language];

function add(counts: Counts, { match, end }: Entry) {
  if (match) counts.matches++;
  if (match && (end === "A" || end === "B" || end === "put_back")) counts[end]++;
  return counts;
}

const foldedCounts = ({ storage }: Pledges) => storage.read<Counts>(COUNTS, { matches: 0, A: 0, B: 0, put_back: 0 });

const entries = (pledges: Pledges) => pledges.all().flatMap((one) => pledges.get(one) ?? []);

/** The ends of our matches here, in a sentence. */
export function countsText(pledges: Pledges) {
  const { matches, A, B, put_back } = entries(pledges).reduce(add, foldedCounts(pledges));
  return words().counts(matches, A, B, put_back);
}

/** Keep the numbers alone of what is old: of two tabs the one counts an entry that has taken it away. */
export function fold(pledges: Pledges) {
  for (const one of pledges.all()) {
    const entry = pledges.get(one);
    if (!entry || pledges.now() - (entry.ended ?? entry.made) < KEPT_MS) continue;
    pledges.keep(one, null);
    pledges.storage.setItem(COUNTS, JSON.stringify(add(foldedCounts(pledges), entry)));
  }
}

/** Forget all, the seeds of matches that have not begun among it. */
export function forget(pledges: Pledges) {
  for (const one of pledges.all()) pledges.keep(one, null);
  pledges.storage.removeItem(COUNTS);
}

/** Note an end, the first one alone. @returns whether it is that */
export function end(pledges: Pledges, committed: string, how: End, more: Partial<Entry> = {}) {
  fold(pledges);
  const entry = pledges.get(committed);
  if (!entry || entry.end) return false;
  pledges.note(committed, { end: how, ended: pledges.now(), ...more });
  return true;
}

/** Write down how far a match of ours has come: never less, but when it is told that it was put back. */
export function note({ pledges, me }: Client, match: Match) {
  const { epoch, seq, view, losses, seat } = match;
  const committed = match.own?.sent || view.commitments[seat ?? 0];
  const entry = pledges.get(committed);
  if (!entry?.match || seat === null) return;
  const { epoch: before = 0, seq: last = 0, losses: known = 0 } = entry;
  if (losses <= known && (epoch < before || (epoch === before && seq < last))) return;
  const { rolls, seed: shown, seeds, players } = view;
  const against = players[1 - seat] ?? "";
  const fault = match.isStopped ? match.witness.faults[match.waived] : entry.fault;
  const seen = { seen: pledges.now(), player: me?.player, against, losses: Math.max(losses, known) };
  pledges.note(committed, { epoch, seq, rolls, shown, seeds, fault, ...seen });
}

/** Our seat was asked for again, with other commitments, when our seed was known. */
export function accuse({ pledges }: Client, committed: string) {
  end(pledges, committed, "B");
}

type Ended = Pick<Match, "view" | "seat" | "epoch">;

/** How a match of ours has ended. @param isGiven the server has our seed */
export function endOf({ view, seat, epoch }: Ended, entry: Entry | null, isGiven: boolean): End {
  if (isPlayed(view)) return "played";
  if (view.outcome) return view.outcome[3] === "put_back" ? "put_back" : "void"; // a ruling, or both agreed
  if (!isGiven) return "void";
  if ((entry?.taken ?? epoch) < epoch) return "put_back"; // what the store has lost, nobody has hidden
  const isOthers = view.unrevealed.length && !view.unrevealed.includes(seat ?? 0) && !view.seeds.every(Boolean);
  return isOthers ? "A" : "B";
}

/** A match is over: what is to be said of it, and kept. */
export async function conclude(client: Client, match: Match) {
  const { view, witness, seat } = match;
  note(client, match);
  if (seat !== null && !isPlayed(view)) await concludeVoid(client, match, seat);
  else if (isPlayed(view)) await checkRecord(client, match);
  const wrong = !match.verdict && (witness.faults[0] || (isVoid(view) && wrongSeeds(view, witness.server)));
  if (wrong) match.verdict = { sound: false, text: text.wrong(wrong) };
  client.changed();
}

/** A match of ours has ended before it began. */
async function concludeVoid(client: Client, match: Match, seat: number) {
  const { pledges } = client;
  const { view, witness, own, revealedBy } = match;
  if (match.revealed === "sent") await client.waiters.sleep(REVEALED_MS); // an answer may be under way
  if (match.verdict) return; // meanwhile
  const committed = own?.sent ?? "";
  const entry = pledges.get(committed);
  const isTaken = match.revealed === "yes" || Boolean(entry?.taken || witness.seeds[seat]);
  const hasCome = match.revealed === "sent" && client.online && revealedBy === client.connection.socket;
  const how = endOf(match, entry, isTaken || hasCome);
  const isBlamed = view.unrevealed.includes(seat);
  const { players, commitment, commitments, seed, unrevealed } = view;
  const said = how === "B" ? { said: { players, commitment, commitments, seed, unrevealed } } : {};
  end(pledges, committed, how, said);
  const say = words();
  const counted = () => countsText(pledges);
  if (how === "B") match.verdict = { sound: false, text: `${isBlamed ? say.blamed : say.closed} ${counted()}` };
  if (how === "A") {
    const silent = say.silent(view.players[1 - seat] ?? text.someone);
    match.verdict = { sound: null, text: [silent, counted(), searchOn(client, match)].filter(Boolean).join(" ") };
  }
  if (how === "put_back" && !view.outcome) match.verdict = { sound: null, text: say.putBack };
  if (how === "void" && isBlamed)
    match.verdict = { sound: null, text: match.revealed === "sent" ? say.revealLost : say.notRevealed };
}

/** After a quick match without the other's seed look for the next one, but ask at the second one within an hour. */
function searchOn(client: Client, match: Match) {
  const { pledges, sought, found, seeking } = client;
  if (found !== match.id || !sought || seeking) return "";
  const isRecent = ({ end, ended = 0 }: Entry) => end === "A" && pledges.now() - ended < HOUR_MS;
  if (entries(pledges).filter(isRecent).length > 1) return words().asks;
  client.showRefusal(seekMatch(client, sought.rules ?? {}));
  return words().seeksOn;
}

/** Judge a match that is over by its record. Of one that is sound the ledger needs neither terms nor options. */
async function checkRecord(client: Client, match: Match) {
  const { witness, view, own } = match;
  const committed = own?.sent ?? "";
  end(client.pledges, committed, "played");
  const odd = oddEnd(client, match);
  if (odd) client.say(odd);
  try {
    ({ verdict: match.verdict, analysis: match.analysis } = await judgeMatch(client, match.id, match.code));
    if (match.verdict.sound) client.pledges.note(committed, { asked: undefined, terms: undefined });
  } catch (error) {
    const fault = witness.faults[0] || wrongSeeds(view, witness.server) || witness.seedFault(view);
    const unknown = { sound: null, text: `${words().notChecked} ${reason(error)}` };
    match.verdict = fault ? { sound: false, text: text.wrong(fault) } : unknown;
  }
}
