/** The standings of a tournament: live, one's own row always in sight. */

import { h } from "preact";
import type { Row } from "../../model/tournaments.ts";
import { text } from "../../texts/text.ts";
import { words } from "../../texts/tournaments/text.ts";
import { button, table } from "../parts.ts";

const SHOWN = 50; // rows, until more are asked for

type Props = { rows: Row[]; own: string; all: boolean; showAll: () => void };
export function standings({ rows, own, all, showAll }: Props) {
  const say = words();
  const shown = all ? rows : rows.filter(({ name, place }) => place <= SHOWN || name === own);
  if (!rows.length) return h("p", { class: "empty" }, say.nobodyIn);
  return [
    table(
      ["#", say.player, say.points, say.won, say.performance, say.now],
      shown.map((row) => line(row, row.name === own)),
    ),
    shown.length < rows.length ? button(say.showAll(rows.length), showAll) : null,
  ];
}

function line(row: Row, isOwn: boolean) {
  const { name, place, points = 0, wins = 0, matches = 0, streak = 0, performance = null } = row;
  const say = words();
  return h(
    "tr",
    { key: name, class: isOwn ? "own-row" : "" },
    h("td", null, place),
    h(
      "th",
      { scope: "row" },
      h("a", { href: `/p/${name}` }, name),
      row.kind === "bot" ? h("small", null, ` ${text.kinds.bot}`) : null,
      row.rating ? h("small", { class: "rating" }, ` ${row.rating}`) : null,
    ),
    h(
      "td",
      { class: "sum" },
      points,
      streak > 1
        ? [h("span", { "aria-hidden": true, title: say.streak }, "*"), h("span", { class: "hidden" }, ` ${say.streak}`)]
        : null,
    ),
    h("td", null, `${wins}/${matches}`),
    h("td", { class: "wider" }, performance ?? ""),
    h(
      "td",
      null,
      row.match
        ? h(
            "a",
            { href: `/m/${row.match}`, "aria-label": isOwn ? undefined : say.watchNames(name) },
            isOwn ? say.toBoard : text.watch,
          )
        : row.waiting
          ? h("small", null, say.waiting)
          : null,
    ),
  );
}
