/** Tournaments and the leaderboard. Fetched when they are opened. */

import { h } from "preact";
import { browser, serverUrl } from "../../core/device/browser.ts";
import { store } from "../../core/device/store.ts";
import type { Feature } from "../../core/look/feature.ts";
import { dotted, text } from "../../core/texts/text.ts";
import { TournamentClient } from "./net.ts";
import { Tournaments } from "./screen.tsx";
import styles from "./tournaments.css";

const id = location.pathname.split("/")[2] ?? "";
let client: TournamentClient;

export const feature: Feature = {
  styles,
  title: () => dotted(client.tournament?.name, location.pathname === "/top" ? text.leaders : text.places.tournaments),
  connect: (changed) => {
    client = new TournamentClient(serverUrl(), store, browser, id, changed);
    return client;
  },
  screen: (app) => <Tournaments {...app} client={client} id={id} />,
};
