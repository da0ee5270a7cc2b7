/** Calls of tournaments, heard on every page: by its own connection, or by one for nothing else. */

import type { Called, Seated } from "../../../../protocol/tavla.d.ts";
import type { CallKit, Calls } from "../calls.ts";
import { browser, serverUrl } from "../device/browser.ts";
import { load } from "../device/settings.ts";
import { listen, play } from "../device/sounds.ts";
import { store } from "../device/store.ts";
import { language } from "../texts/text.ts";
import { ENTERED, TOKEN } from "./client.ts";
import { Connection, DEAF, type Receiver } from "./connection.ts";

const BOARD_S = 60; // for both players to come to the board of a tournament's match

let fetching: Promise<Calls> | undefined;
let enterHere: (tournament: string) => boolean = () => false;

/** @param here enters a tournament on this page, if it is the one that is shown */
export const callsEnter = (here: typeof enterHere) => {
  enterHere = here;
};

function enter(tournament: string) {
  store.setItem(ENTERED, tournament);
  if (!enterHere(tournament)) location.assign(`/tournaments/${tournament}`);
}

/** Show a call, whatever page this is. */
export function tellCall(message: Called | Seated) {
  const kit: CallKit = { language, enter, sound: () => load().sound === "on" && play("turn") };
  // @ts-expect-error: it stands beside the page
  fetching ??= import("/calls.js").then(({ calls }: typeof import("../calls.ts")) => calls(kit));
  fetching
    .then((calls) => calls.tell(message, BOARD_S))
    .catch(() => {
      fetching = undefined;
    });
}

/** The player is at this match. */
export const closeCall = (match: string) => fetching?.then((calls) => calls.close(match)).catch(() => {});

/** Hear of calls on a page that has no connection of the player, if this browser is in a tournament. */
export function awaitCalls() {
  const token = store.getItem(TOKEN);
  if (!store.getItem(ENTERED) || !token) return;
  listen();
  const receiver: Receiver = {
    ...DEAF,
    hello: () => ({ token }),
    receive: (message) => {
      if (!Array.isArray(message) && (message.type === "called" || message.type === "seated")) tellCall(message);
    },
  };
  new Connection(serverUrl(), receiver, browser);
}
