/** Our seeds: committed to with a seat, shown when the match waits for them. */
import type { AskedRules } from "../../../../../protocol/tavla.d.ts";
import { unknownOption } from "../model/plays.ts";
import { askedOptions, isOther, rulesText } from "../model/rules.ts";
import { binding, termsOf } from "../model/terms.ts";
import type { View } from "../model/view.ts";
import type { Own } from "../model/witness.ts";
import { text } from "../texts/text.ts";
import type { Client } from "./client.ts";
import { type Fields, reason } from "./connection.ts";
import { withLedger } from "./ledgers.ts";
import type { Match } from "./match.ts";

const PATIENCE_MS = 20_000; // of 30, for another device of ours to show the seed

type Asks = "create" | "join" | "challenge" | "answer" | "rematch" | "seek" | "enter_tournament";

/** Ask for a seat, with a commitment to a fresh seed. @param asked rules that we were shown. @param opponent whom we ask */
export function commit<T extends Asks>(
  client: Client,
  type: T,
  fields: Omit<Fields<T>, "commitment">,
  asked: AskedRules | undefined,
  opponent = "",
  commitment = client.pledges.make(asked && askedOptions(asked), opponent),
  again = true,
) {
  client.sent.set(client.connection.nextId, commitment);
  return client.connection.ask(type, { ...fields, commitment } as Fields<T>, again);
}

/** Note for which match a commitment of ours was sent. */
export function bind(client: Client, commitment: string | undefined, match: string) {
  if (commitment) client.pledges.note(commitment, { table: match });
}

/** Our seed for a match, and the commitments seen when we revealed it. */
export function findOwn(client: Client, { id, seat }: Match, view: View): Own {
  const shown = seat === null ? "" : view.commitments[seat];
  const sent = seat === null ? "" : client.pledges.get(shown) ? shown : client.pledges.sentFor(id);
  const pledge = client.pledges.get(sent);
  const committed = pledge?.match === id && pledge.terms ? pledge.terms.split("\n").slice(5, 8) : [];
  return { seat, sent, server: committed[0] ?? "", other: committed[2 - (seat ?? 0)] ?? "", burnt: pledge?.burnt };
}

/** Show our seed, if the match waits for it, and is what we asked for. */
export function revealSeed(client: Client, match: Match) {
  const { id, seat, view, witness, epoch, seq } = match;
  if (seat === null || !view.unrevealed.includes(seat) || match.revealed) return;
  const committed = view.commitments[seat];
  const pledge = client.pledges.get(committed);
  if (!pledge) return void missSeed(client, match, [...client.sent.values()].includes(committed));
  const terms = termsOf(id, view);
  const before = client.pledges.sentFor(id, "match");
  const isAgain = before && client.pledges.get(before)?.terms !== terms; // our seat is asked for again, for other dice
  if (isAgain) withLedger(({ accuse }) => accuse(client, before));
  if (!terms || isAgain) witness.add(text.faultTerms);
  const { asked = {}, opponent = "" } = pledge;
  const unknown = unknownOption(view.rules);
  if (unknown) witness.add(`${text.laterRules} (${unknown})`);
  if (isOther(asked, view.rules)) witness.add(text.faultAsked(rulesText(asked), rulesText(view.rules)));
  const other = view.players[1 - seat] ?? text.someone;
  if (opponent && opponent.toLowerCase() !== other.toLowerCase()) witness.add(text.faultAsked(opponent, other));
  if (match.isStopped) return;
  const seed = client.pledges.reveal(id, { terms, seat, epoch, seq }, committed);
  match.own = null;
  if (seed === null) return;
  match.revealed = "sent";
  match.revealedBy = client.connection.socket;
  client.connection.ask("reveal", { match: id, seq, seed, binding: binding(terms) }).then(
    () => {
      match.revealed = "yes";
      client.pledges.note(committed, { taken: epoch });
    },
    (error) => {
      match.revealed = "refused";
      client.say(reason(error));
    },
  );
}

/** Our seed is on another device, which has time to show it. @param isLost it was drawn here */
async function missSeed(client: Client, match: Match, isLost: boolean) {
  match.revealed = "refused";
  if (!isLost) await client.waiters.sleep(PATIENCE_MS);
  if (match.view.phase === "reveal" && match.view.unrevealed.includes(match.seat ?? -1)) client.say(text.cannotReveal);
}
