/** How the game is played: the lesson, the rules, the words, the options. Fetched when it is opened. */

import { h } from "preact";
import type { Feature } from "../../core/look/feature.ts";
import { dotted } from "../../core/texts/text.ts";
import styles from "./learn.css";
import { Learn, viewAt } from "./screen.tsx";
import { words } from "./texts/text.ts";

export const feature: Feature = {
  styles,
  title: () => dotted(words().views[viewAt()], words().title),
  screen: () => <Learn />,
};
