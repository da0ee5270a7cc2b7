/** Settings of a player on this device. */

import { fetchRefusals, LANGUAGES, language, speak } from "../texts/text.ts";
import { store } from "./store.ts";

const KEY = "tavla.settings";

type Switch = "on" | "off";
/** What each device begins with, and what else a setting may be. */
const DEFAULTS = {
  speed: "normal" as "off" | "fast" | "normal" | "slow",
  home: "right" as "right" | "left",
  theme: "auto" as "auto" | "light" | "dark",
  language: "auto",
  board: "walnut" as "walnut" | "felt" | "slate",
  colour: "seat" as "seat" | "light" | "dark",
  tap: "choose" as "choose" | "move",
  sound: "on" as Switch,
  first: "on" as Switch,
  autoRoll: "off" as Switch,
  autoPlay: "off" as Switch,
  tips: "on" as Switch,
  ways: "off" as Switch,
  level: "beginner",
  length: "3",
  clock: "none",
};
export type Settings = typeof DEFAULTS;

const STEP_MS = { off: 0, fast: 130, normal: 260, slow: 520 };

export let settings: Settings = { ...DEFAULTS, ...store.read(KEY, {}) };

export function save(change: Partial<Settings>) {
  settings = { ...settings, ...change };
  store.setItem(KEY, JSON.stringify(settings));
  return apply();
}

/** Make the page as they say. @returns whether their language is spoken now; without a network it is as before */
export async function apply() {
  const { documentElement: root } = document;
  root.dataset.theme = settings.theme;
  root.dataset.board = settings.board;
  const spoken = speak(settings.language, navigator.languages);
  const isSpoken = await spoken.then(
    () => true,
    () => false,
  );
  fetchRefusals();
  root.lang = language;
  root.dir = LANGUAGES[language].dir;
  return isSpoken;
}

/** Time that one checker moves, in ms; 0 = nothing moves. */
export const stepMs = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : STEP_MS[settings.speed]);
