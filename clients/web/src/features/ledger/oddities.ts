/** What may have an honest cause, and is told all the same: play goes on. */

import { minutes } from "../../core/model/time.ts";
import type { Client } from "../../core/net/client.ts";
import type { Match } from "../../core/net/match.ts";
import { language } from "../../core/texts/text.ts";
import { LEDGER } from "./texts/text.ts";

const SLACK_MS = 3000; // the clocks of two machines, and the way of a message

/** How the server has ended a match that we have lost, where our own clock says otherwise; "" = it does not. */
export function oddEnd({ browser, connection }: Client, match: Match) {
  const { view, seat, before, held, absence } = match;
  const [winner, , , ending] = view.outcome ?? [];
  const isHere = seat !== null && match.sits && !match.replaced && before && !view.used; // used: of a round's time
  if (!isHere || winner !== 1 - seat) return "";
  const say = LEDGER[language];
  const { since, left } = before;
  if (ending === "time" && connection.steady < since && left > SLACK_MS) return say.oddFlag(minutes(left));
  const steady = browser.now() - Math.max(connection.steady, held);
  const isOdd = ending === "abandoned" && absence[seat] && steady > 1000 * absence[seat] + SLACK_MS;
  return isOdd ? say.oddClaim(Math.floor(steady / 1000)) : "";
}
