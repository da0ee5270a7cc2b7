/** Our seeds: committed to with a seat, shown when the match waits for them. */
import type { View } from "../model/view.ts";
import type { Own } from "../model/witness.ts";
import { text } from "../texts/text.ts";
import type { Client } from "./client.ts";
import { type Fields, reason } from "./connection.ts";
import type { Match } from "./match.ts";

/** Ask for a seat, with a commitment to a fresh seed. */
export function commit<T extends "create" | "join" | "challenge" | "answer" | "rematch" | "seek" | "enter_tournament">(
  client: Client,
  type: T,
  fields: Omit<Fields<T>, "commitment">,
  commitment = client.pledges.make(),
  again = true,
) {
  client.sent.set(client.connection.nextId, commitment);
  return client.connection.ask(type, { ...fields, commitment } as Fields<T>, again);
}

/** Note for which match a commitment of ours was sent. */
export function bind(client: Client, commitment: string | undefined, match: string) {
  if (commitment) client.pledges.bind(commitment, match);
}

/** Our seed for a match, and the commitments seen when we revealed it. */
export function findOwn(client: Client, { id, seat }: Match, view: View): Own {
  const shown = seat === null ? "" : view.commitments[seat];
  const pledges = seat === null ? {} : client.pledges.all();
  const sent = seat === null ? "" : Object.hasOwn(pledges, shown) ? shown : client.pledges.sentFor(id);
  const pledge = sent ? pledges[sent] : undefined;
  const isRevealed = pledge?.match === id;
  return { seat, sent, server: (isRevealed && pledge.server) || "", other: (isRevealed && pledge.other) || "" };
}

/** Show our seed, if the match waits for it and nothing is wrong. */
export function revealSeed(client: Client, match: Match) {
  const { seat, view } = match;
  if (seat === null || !view.unrevealed.includes(seat) || match.isStopped || match.revealed) return;
  const seed = client.pledges.reveal(match.id, view, seat);
  match.own = null;
  if (seed === null) return client.say(text.cannotReveal);
  match.revealed = "sent";
  match.revealedBy = client.connection.socket;
  client.connection.ask("reveal", { match: match.id, seq: match.seq, seed }).then(
    () => {
      match.revealed = "yes";
      client.pledges.taken(view.commitments[seat]);
    },
    (error) => {
      match.revealed = "refused";
      client.say(reason(error));
    },
  );
}
