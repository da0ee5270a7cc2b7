/** Tournaments and the leaderboard. Fetched when they are opened. */

import { h } from "preact";
import { browser, serverUrl } from "./device/browser.ts";
import { store } from "./device/store.ts";
import { TournamentClient } from "./net/tournaments.ts";
import type { Feature } from "./screens/feature.ts";
import { Tournaments } from "./screens/tournaments/screen.tsx";
import { dotted, text } from "./texts/text.ts";
import styles from "./tournaments.css";

const id = location.pathname.split("/")[2] ?? "";
let client: TournamentClient;

export const feature: Feature = {
  styles,
  title: () => dotted(client.tournament?.name, location.pathname === "/top" ? text.leaders : text.tournaments),
  connect: (changed) => {
    client = new TournamentClient(serverUrl(), store, browser, id, changed);
    return client;
  },
  screen: (app) => <Tournaments {...app} client={client} id={id} />,
};
