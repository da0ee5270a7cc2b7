/** What our seat has done, compared with what this page has asked for. Told; play goes on, for a clock may be running. */

import { notation } from "../../core/model/notation.ts";
import { stepsOf } from "../../core/model/scenes.ts";
import { row, type View } from "../../core/model/view.ts";
import type { Client } from "../../core/net/client.ts";
import { Refused } from "../../core/net/connection.ts";
import type { Match, Sent } from "../../core/net/match.ts";
import { text } from "../../core/texts/text.ts";
import { note, words } from "./ledger.ts";
import { type Act, actOf, afterMoves, allows, decidedFor } from "./model/acts.ts";

const LANDING_MS = 5000; // a request of before may land so late, and so may the word that another window has the seat

type Moves = [number, number][];
/** A turn of ours as it was shown, in version `seq`. */
type Turn = { seq: number; before: View; moves: Moves };

const OF_RULES = ["not_your_turn", "wrong_phase", "illegal_play", "no_double", "no_resignation"];

/** Versions up to which matches were followed since their games began, and no resignation was refused. */
const followed: WeakMap<Match, string> = new WeakMap();
const doubted: WeakMap<Match, string> = new WeakMap(); // the version at which a refusal was doubted last
const excused: WeakMap<object, Act> = new WeakMap(); // requests that an act was taken for
const played: WeakMap<Match, Turn> = new WeakMap(); // the last one
const taken: WeakMap<Match, Sent> = new WeakMap(); // the last play that the server has taken

/** A match of ours has gone on to version `seq`. */
export function look(client: Client, match: Match, before: View, now: View, seq: number) {
  const act = actOf(before, now);
  const seat = decidedFor(before, now, act);
  const isWhole = now.game !== before.game || followed.get(match) === `${match.epoch}:${seq - 1}`;
  followed.set(match, isWhole && act?.what !== "refuse" ? `${match.epoch}:${seq}` : "");
  if (seat !== null) {
    match.witness.add(words().decided(now.players[seat] ?? text.someone));
    note(client, match);
    client.changed();
  } else if (act && act.seat === match.seat) {
    if (act.what === "move" && now.last.length)
      played.set(match, { seq, before, moves: stepsOf(now.last[0]) as Moves });
    comparePlays(client, match);
    const asked = [...match.requests].find((one) => one.type === act.what && (one.seq ?? seq) === seq);
    if (asked) excused.set(asked, act);
    else doubt(client, match, act);
    if (asked) match.requests.delete(asked);
  }
  for (const one of match.requests) if ((one.seq ?? Infinity) <= seq) match.requests.delete(one); // done, and seen
}

/** The server has answered an action of ours. @param answer or an error */
export function answered(client: Client, match: Match, request: Sent, answer: { seq?: number }) {
  if (answer instanceof Error && (!(answer instanceof Refused) || answer.code === "unavailable")) return; // it may be done
  if (answer instanceof Refused) {
    match.requests.delete(request);
    const act = excused.get(request);
    if (act) doubt(client, match, act);
    doubtRefusal(client, match, request, answer);
    return;
  }
  request.seq = answer.seq;
  if (request.type === "move") taken.set(match, request);
  comparePlays(client, match);
}

/** A refusal of what the rules allow, in a game that was followed from its start, is told once a version. */
function doubtRefusal(client: Client, match: Match, request: Sent, { code, seq }: Refused) {
  const { view, seat, epoch } = match;
  const { version } = request;
  const isNow = [`${epoch}:${seq}`, `${epoch}:${match.seq}`, followed.get(match)].every((one) => one === version);
  if (seat === null || !isNow || !OF_RULES.includes(code) || doubted.get(match) === version) return;
  if (!allows(view, seat, request)) return;
  doubted.set(match, version);
  tell(client, words().oddRefusal);
}

/** The play that the server has taken from us leads where the one leads that it has shown. */
function comparePlays(client: Client, match: Match) {
  const [shown, sent] = [played.get(match), taken.get(match)];
  if (!shown || !sent || shown.seq !== sent.seq) return;
  taken.delete(match);
  const { before, moves } = shown;
  const { moves: asked } = sent.fields as { moves: Moves };
  const [ours, other] = [afterMoves(before, asked), afterMoves(before, moves)];
  const written = (play: Moves) => notation(play, row(before, 1 - before.turn));
  if (ours && other && `${ours}` !== `${other}`) tell(client, words().otherPlay(written(moves), written(asked)));
}

/** Tell an act that we did not ask for, unless it turns out that another window of ours had the seat. */
async function doubt(client: Client, match: Match, { what, seat }: Act) {
  const { held } = match;
  const at = client.browser.now();
  if (at - held < LANDING_MS) return;
  await client.waiters.sleep(LANDING_MS / 2);
  await client.waiters.sleep(LANDING_MS / 2); // a page that stood still reads what has come before the second half
  const isHeld =
    match.held === held && match.seat === seat && !match.replaced && match.line === client.connection.socket;
  if (isHeld && client.online && client.connection.steady <= at) tell(client, words().inYourName(words().did[what]));
}

/** Above all screens, until it is read: the next press would take a notice away. */
function tell(client: Client, said: string) {
  client.alarm = said;
  client.changed();
}
