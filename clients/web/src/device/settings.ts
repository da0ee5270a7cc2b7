/** Settings of a player on this device. */

import { LANGUAGES, language, speak } from "../texts/text.ts";
import { store } from "./store.ts";

export type Settings = {
  speed: "off" | "fast" | "normal" | "slow";
  home: "right" | "left";
  theme: "auto" | "light" | "dark";
  language: string;
  board: "walnut" | "felt" | "slate";
  colour: "seat" | "light" | "dark";
  tap: "choose" | "move";
  sound: "on" | "off";
  first: "on" | "off";
  autoRoll: "on" | "off";
  autoPlay: "on" | "off";
  tips: "on" | "off";
  level: string;
  length: string;
  clock: string;
};

const KEY = "tavla.settings";
const DARK = "(prefers-color-scheme: dark)";

const DEFAULTS: Settings = {
  speed: "normal",
  home: "right",
  theme: "auto",
  language: "auto",
  board: "walnut",
  colour: "seat",
  tap: "choose",
  sound: "on",
  first: "on",
  autoRoll: "off",
  autoPlay: "off",
  tips: "on",
  level: "beginner",
  length: "3",
  clock: "none",
};
const STEP_MS = { off: 0, fast: 130, normal: 260, slow: 520 };

export function load(): Settings {
  return { ...DEFAULTS, ...store.read(KEY, {}) };
}

export function save(settings: Settings) {
  store.setItem(KEY, JSON.stringify(settings));
  apply(settings);
}

export function apply(settings: Settings) {
  const { documentElement: root } = document;
  const isDark = settings.theme === "dark" || (settings.theme === "auto" && matchMedia(DARK).matches);
  root.dataset.theme = isDark ? "dark" : "light";
  root.dataset.board = settings.board;
  speak(settings.language, navigator.languages);
  root.lang = language;
  root.dir = LANGUAGES[language].dir;
}

/** When the system becomes dark or light, so does the page. */
matchMedia(DARK).addEventListener("change", () => apply(load()));

/** Time that one checker moves, in ms; 0 = nothing moves. */
export function stepMs({ speed }: Settings) {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : STEP_MS[speed];
}
