/** How the game is played: the lesson, the rules, the words, the options. Fetched when it is opened. */

import { h } from "preact";
import styles from "./learn.css";
import type { Feature } from "./screens/feature.ts";
import { Learn, viewAt } from "./screens/learn/screen.tsx";
import { words } from "./texts/learn/text.ts";
import { dotted } from "./texts/text.ts";

export const feature: Feature = {
  styles,
  title: () => dotted(words().views[viewAt()], words().title),
  screen: ({ settings, open }) => <Learn settings={settings} open={open} />,
};
