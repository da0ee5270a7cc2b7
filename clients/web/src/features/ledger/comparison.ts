/** What the server shows now, compared with what the ledger knew of before: matches that are earlier, or not there. */

import type { Welcome } from "../../../../../protocol/tavla.d.ts";
import { linkNumber, shownLink } from "../../core/model/chain.ts";
import { fromFields } from "../../core/model/view.ts";
import type { Client } from "../../core/net/client.ts";
import { Refused } from "../../core/net/connection.ts";
import type { Match } from "../../core/net/match.ts";
import { attachMatch } from "../../core/net/matches.ts";
import { stopSeeking } from "../../core/net/pairing.ts";
import type { Entry } from "../../core/net/pledges.ts";
import { text } from "../../core/texts/text.ts";
import { countsText, end, endOf, note, words } from "./ledger.ts";

const AGAIN_MS = 5000; // another node may not have read so far
const GONE_MS = 30_000; // between two questions for a match that is not there
const CLOCKS_MS = 60_000; // by which the server's clock and ours may differ
const DAY_MS = 24 * 3600 * 1000; // then what is over may be nowhere any more

/** Whether a match is shown as it was before what is known of it. */
function isEarlier({ epoch, seq, view }: Match, known: Entry) {
  if (known.epoch === undefined || known.seq === undefined) return false;
  const isAnew = epoch > known.epoch; // then its first entry has taken a place
  return (
    epoch < known.epoch || seq < known.seq + Number(isAnew) || view.rolls < (known.rolls ?? 0) || isTaken(view, known)
  );
}

/** Whether an end that was seen is one no longer: of the match, or of a game, whose seed was shown. */
function isTaken(view: Match["view"], { end, said, shown = "" }: Entry) {
  const isSeen = end && (end !== "B" || said);
  return (isSeen && view.phase !== "over") || linkNumber(shown, view.commitment) > shownLink(view, view.commitment);
}

/** A match is here again, after this page was loaded. @param known of it, before the server was asked */
export async function compare(client: Client, match: Match, known: Entry) {
  match.losses = Math.max(match.losses, known.losses ?? 0);
  if (known.fault) match.witness.add(known.fault);
  if (isEarlier(match, known) && match.epoch <= (known.epoch ?? 0)) {
    await client.waiters.sleep(AGAIN_MS);
    await attachMatch(client, match).catch(() => {});
  }
  if (!isEarlier(match, known)) return;
  const { view, witness } = match;
  const { rolls = 0 } = known;
  client.say(view.rolls < rolls ? text.putBack(view.rolls, rolls) : text.forgotten);
  if (isTaken(view, known)) witness.add(words().endTaken);
  if (match.losses++) witness.add(text.faultPutBackTwice);
  note(client, match);
  client.changed();
}

/** Look for matches of ours that were not over a short while ago, and that the server does not name. */
export function findVanished(client: Client, { matches = [], player }: Welcome) {
  const { pledges, vanished } = client;
  for (const one of pledges.all()) {
    const entry = pledges.get(one);
    if (!entry?.match || entry.end || entry.player !== player) continue;
    const { match, seen = 0 } = entry;
    if (pledges.now() - seen > DAY_MS || matches.includes(match) || vanished.has(match)) continue;
    vanished.add(match);
    lookFor(client, one, match)
      .catch(() => {})
      .finally(() => vanished.delete(match));
  }
}

async function lookFor(client: Client, committed: string, match: string) {
  if (!(await isGone(client, committed, match))) return;
  await client.waiters.sleep(GONE_MS);
  const { pledges } = client;
  if (!(await isGone(client, committed, match))) return;
  const entry = pledges.get(committed);
  if (!entry || !client.me || entry.player !== client.me.player) return;
  const how = isOfGap(entry, client.me.gone) ? "put_back" : "B";
  if (!end(pledges, committed, how)) return;
  const say = words()[how === "B" ? "vanished" : "gone"];
  client.alarm = `${say(entry.against || text.someone)} ${countsText(pledges)}`;
  if (client.seeking) stopSeeking(client);
  client.changed();
}

/** Whether a match is of a time of which the server says that its matches are gone, since a backup was brought back. */
function isOfGap({ made, seen = made }: Entry, gone: Welcome["gone"]) {
  return Boolean(gone && seen >= gone[0] - CLOCKS_MS && made <= gone[1] + CLOCKS_MS);
}

/** Whether the server knows a match no longer. If it is over, that is noted. */
async function isGone(client: Client, committed: string, match: string) {
  const { pledges } = client;
  try {
    const { view } = await client.connection.ask("record", { match, after: 0 });
    const entry = pledges.get(committed);
    const shown = fromFields(view ?? {});
    const over = { view: shown, seat: entry?.seat ?? null, epoch: entry?.epoch ?? 0 };
    if (shown.phase === "over") end(pledges, committed, endOf(over, entry, Boolean(entry?.taken)));
    return false;
  } catch (error) {
    if (!isUnknown(error)) return false;
  }
  return client.connection.ask("attach", { table: match, sits: false }).then(() => false, isUnknown);
}

const isUnknown = (error: unknown) => error instanceof Refused && error.code === "no_such_match";
