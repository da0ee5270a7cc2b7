/** The lobby's lists and its chat. */

import type { Client, Lists } from "./client.ts";
import type { Words } from "./matches.ts";
import { ensurePlayer } from "./players.ts";

const LISTS = ["tables", "matches", "people", "seekers", "tournaments"] as const;

export function followList(client: Client, what: keyof Lists, on: boolean) {
  client.showRefusal(client.connection.ask(on ? "subscribe" : "unsubscribe", { what }, false));
}

export function followLobby(client: Client, on: boolean) {
  for (const what of LISTS) followList(client, what, on);
  if (client.chatting) followList(client, "chat", on);
}

/** The lobby is on the screen, or no longer. */
export function showLobby(client: Client, on: boolean) {
  if (client.listing === on) return;
  client.listing = on;
  if (client.me) followLobby(client, on); // else with the welcome
}

/** Follow the row of a tournament, for the time of its round; "" = of none. @param before followed until now */
export function followTournament(client: Client, id: string, before = client.atTournament) {
  const ask = (type: "subscribe" | "unsubscribe", tournament: string) =>
    tournament && client.me && client.connection.ask(type, { what: "tournament", tournament }, false).catch(() => {});
  if (id === before) return;
  ask("unsubscribe", before);
  client.atTournament = id;
  ask("subscribe", id);
}

/** Follow the lobby's chat, too. */
export function openChat(client: Client) {
  client.chatting = true;
  followList(client, "chat", true);
}

export async function chatInLobby(client: Client, words: Words) {
  client.notice = "";
  await ensurePlayer(client);
  await client.connection.ask("chat", words, false);
}
