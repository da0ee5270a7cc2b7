/** The second page: a match that is over, reviewed; its dice, and all of this server. It is loaded when asked for. */

import { h } from "preact";
import { browser, serverUrl } from "./device/browser.ts";
import { store } from "./device/store.ts";
import { awaitCalls } from "./net/calling.ts";
import { NAMES } from "./net/client.ts";
import { openReader } from "./net/reader.ts";
import { mount, settle } from "./screens/document.ts";
import { homeLink } from "./screens/parts.ts";
import { Puzzles } from "./screens/puzzles/screen.ts";
import { Fair } from "./screens/review/fair.ts";
import { numberOf, Review } from "./screens/review/screen.ts";
import { SetUp } from "./screens/review/setup.ts";
import { words } from "./texts/review/text.ts";
import { text } from "./texts/text.ts";

const settings = settle();
const say = words();
const [, kind, match = ""] = location.pathname.split("/");
const isMatch = kind === "m";
const isPuzzle = kind === "puzzles";
const isFair = kind === "dice" || location.search === "?dice";
const title = isFair ? text.fairDice : isMatch ? say.title : isPuzzle ? text.puzzles : say.setUp;
const code = /^#([^.]*?[^.\d][^.]*)(?:\.|$)/.exec(location.hash)?.[1] ?? "";

/** Parts of the address. */
function screen() {
  if (!isMatch && isFair) return h(Fair, { reader: null, match, code });
  if (!isMatch && !isPuzzle) return h(SetUp, { settings });
  const reader = openReader(serverUrl(), browser);
  const name = store.getItem(NAMES) ?? "";
  if (isFair) return h(Fair, { reader, match, code });
  if (isPuzzle) return h(Puzzles, { reader, name, settings });
  return h(Review, { reader, match, code, number: numberOf(location.hash), name, settings });
}

awaitCalls();
document.title = `${title} · ${text.title}`;
const page = [
  h(
    "header",
    { class: "head" },
    homeLink(),
    isMatch || isPuzzle ? null : h("a", { href: "/puzzles", class: "quiet" }, text.puzzles),
    (isMatch && !isFair) || isPuzzle ? h("a", { href: "/position", class: "quiet" }, say.setUp) : null,
    isMatch ? h("a", { href: `/m/${match}${code && `#${code}`}`, class: "quiet" }, say.toMatch) : null,
  ),
  screen(),
];
mount(page);
