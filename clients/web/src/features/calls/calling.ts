/** Calls of tournaments, heard on every page. */

import type { Called, Seated } from "../../../../../protocol/tavla.d.ts";
import { fetched } from "../../core/device/fetched.ts";
import { store } from "../../core/device/store.ts";
import { ENTERED } from "../../core/net/keys.ts";
import type { Calls } from "./entry.ts";

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
  fetching ??= fetched(() => import("./entry.ts")).then(({ calls }) => calls(enter));
  fetching.then((calls) => calls.tell(message, BOARD_S));
}

/** The player is at this match. */
export const closeCall = (match: string) => fetching?.then((calls) => calls.close(match));
