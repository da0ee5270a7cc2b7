/** Puzzles: of the day, of one's own matches, and classic ones. Fetched when they are opened. */

import { h } from "preact";
import { store } from "./device/store.ts";
import { NAMES } from "./net/keys.ts";
import styles from "./review.css";
import type { Feature } from "./screens/feature.ts";
import { Puzzles } from "./screens/puzzles/screen.tsx";
import { text } from "./texts/text.ts";

export const feature: Feature = {
  styles,
  title: () => text.puzzles,
  screen: ({ client, settings }) => <Puzzles reader={client} name={store.getItem(NAMES) ?? ""} settings={settings} />,
};
