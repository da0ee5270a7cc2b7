/** Puzzles: of the day, of one's own matches, and classic ones. Fetched when they are opened. */

import { h } from "preact";
import { store } from "../../core/device/store.ts";
import type { Feature } from "../../core/look/feature.ts";
import { NAMES } from "../../core/net/keys.ts";
import { text } from "../../core/texts/text.ts";
import styles from "../review/review.css";
import { Puzzles } from "./screen.tsx";

export const feature: Feature = {
  styles,
  title: () => text.places.puzzles,
  screen: ({ client }) => <Puzzles reader={client} name={store.getItem(NAMES) ?? ""} />,
};
