/** The lobby's lists and its chat. */

import type { Client } from "./client.ts";
import type { Words } from "./matches.ts";
import { ensurePlayer } from "./players.ts";

const LISTS = ["tables", "matches", "people", "seekers"] as const;

/** Follow the lobby's lists, or no longer. */
export function followLists(client: Client, on: boolean) {
  if (client.listing === on) return;
  client.listing = on;
  if (!client.me) return; // with the welcome
  for (const what of followedLists(client))
    client.showRefusal(client.connection.ask(on ? "subscribe" : "unsubscribe", { what }, false));
}

/** The lists that are followed in the lobby. */
export function followedLists(client: Client) {
  return client.chatting ? [...LISTS, "chat" as const] : LISTS;
}

/** Follow who is here, where the lists are not followed. */
export function followPeople(client: Client, on: boolean) {
  client.showRefusal(client.connection.ask(on ? "subscribe" : "unsubscribe", { what: "people" }, false));
}

/** Follow the lobby's chat, too. */
export function openChat(client: Client) {
  client.chatting = true;
  client.showRefusal(client.connection.ask("subscribe", { what: "chat" }, false));
}

/** Say something in the lobby. */
export async function chatInLobby(client: Client, words: Words) {
  client.notice = "";
  await ensurePlayer(client);
  await client.connection.ask("chat", words, false);
}
