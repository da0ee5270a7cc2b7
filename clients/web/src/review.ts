/** A match that is over, reviewed; its dice, and all of this server; positions and puzzles. Fetched when it is opened. */

import { h } from "preact";
import type { Feature } from "./app.ts";
import { store } from "./device/store.ts";
import { NAMES } from "./net/client.ts";
import styles from "./review.css";
import { Puzzles } from "./screens/puzzles/screen.ts";
import { Fair } from "./screens/review/fair.ts";
import { Mine } from "./screens/review/mine.ts";
import { numberOf, Review } from "./screens/review/screen.ts";
import { SetUp } from "./screens/review/setup.ts";
import { words } from "./texts/review/text.ts";
import { text } from "./texts/text.ts";

const [, kind, match = ""] = location.pathname.split("/");
const isMatch = kind === "m";
const isFair = kind === "dice" || location.search === "?dice";
const code = /^#([^.]*?[^.\d][^.]*)(?:\.|$)/.exec(location.hash)?.[1] ?? "";

export const feature: Feature = {
  styles,
  title: () => {
    if (isFair) return text.fairDice;
    if (kind === "puzzles") return text.puzzles;
    return isMatch || kind === "review" ? words().title : words().setUp;
  },
  screen: ({ client, settings, go }) => {
    const name = store.getItem(NAMES) ?? "";
    if (isFair) return h(Fair, { reader: isMatch ? client : null, match, code });
    if (isMatch) return h(Review, { reader: client, match, code, number: numberOf(location.hash), name, settings });
    if (kind === "puzzles") return h(Puzzles, { reader: client, name, settings });
    if (kind === "review") return h(Mine, { reader: client, name, go });
    return h(SetUp, { settings });
  },
};
