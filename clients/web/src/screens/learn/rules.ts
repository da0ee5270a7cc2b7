/** The games that one can play here: for each how it begins, and what differs. */
import { h } from "preact";
import type { Settings } from "../../device/settings.ts";
import { startRow } from "../../model/plays.ts";
import { words } from "../../texts/learn/text.ts";
import { linked } from "./linked.ts";
import { StillBoard } from "./still.ts";

export const RULES = "rules-"; // and a game: its place in this document

/** game: its key among the texts. */
export function Rules({ game, settings }: { game: string; settings: Settings }) {
  const say = words();
  const { name, about, points, how } = say.games[game];
  const row = startRow({ variant: game }) ?? startRow({}) ?? [];
  return h(
    "main",
    { class: "read" },
    h("h1", null, say.rulesTitle),
    h(
      "nav",
      { class: "chips", "aria-label": say.rulesTitle },
      Object.entries(say.games).map(([key, one]) =>
        h("a", { href: `#${RULES}${key}`, "aria-current": key === game ? "page" : undefined }, one.name),
      ),
    ),
    h(
      "article",
      { class: "game", key: game },
      h("h2", { id: `${RULES}${game}`, tabIndex: -1 }, name),
      h("p", { class: "about" }, about),
      h(
        "figure",
        null,
        h(StillBoard, { row, label: say.startOf(name), settings }),
        h("figcaption", null, say.startOf(name)),
      ),
      h(
        "ol",
        { class: "points" },
        points.map((one) => h("li", null, h("span", null, linked(one)))),
      ),
      h("p", { class: "how" }, h("b", null, say.howHere), " ", how),
    ),
  );
}
