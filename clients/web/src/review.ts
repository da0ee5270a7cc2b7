/** A match that is over, reviewed; its dice, and all of this server; positions. Fetched when it is opened. */

import { h } from "preact";
import { store } from "./device/store.ts";
import { readSetup } from "./model/setup.ts";
import { NAMES } from "./net/keys.ts";
import styles from "./review.css";
import type { Feature } from "./screens/feature.ts";
import { Fair } from "./screens/review/fair.ts";
import { Mine } from "./screens/review/mine.ts";
import { Playing } from "./screens/review/playing.ts";
import { numberOf, Review } from "./screens/review/screen.ts";
import { SetUp, START } from "./screens/review/setup.ts";
import { words } from "./texts/review/text.ts";
import { text } from "./texts/text.ts";

/** What the address asks for: a match or a screen, and of a match its dice or its decisions. */
const asked = () => {
  const [, kind, match = ""] = location.pathname.split("/");
  return { kind, match, isMatch: kind === "m", isFair: kind === "dice" || location.search === "?dice" };
};

const TWO = "?two"; // players at this screen

export const feature: Feature = {
  styles,
  title: () => {
    const { kind, isMatch, isFair } = asked();
    if (isFair) return text.fairDice;
    if (location.search === TWO) return text.twoHere;
    return isMatch || kind === "review" ? words().title : words().setUp;
  },
  screen: ({ client, code, settings, go, open }) => {
    const { kind, match, isMatch, isFair } = asked();
    const name = store.getItem(NAMES) ?? "";
    if (isFair) return h(Fair, { reader: isMatch ? client : null, match, code });
    if (isMatch) return h(Review, { client, match, code, number: numberOf(location.hash), name, settings, go, open });
    if (kind === "review") return h(Mine, { client, name, settings, go, open });
    const setup = location.search === TWO && readSetup(START);
    if (setup) return h(Playing, { setup, settings, evaluator: null, stop: () => go("/") });
    return h(SetUp, { settings });
  },
};
