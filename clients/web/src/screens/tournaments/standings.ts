/** The standings of a tournament: live, the player's own row always in sight. */

import { h } from "preact";
import type { Row } from "../../model/tournaments.ts";
import { text } from "../../texts/text.ts";
import { words } from "../../texts/tournaments/text.ts";
import { button, table } from "../parts.ts";

const SHOWN = 50; // rows, until more are asked for

/** tiebreaks: what they are called. */
type Props = {
  rows: Row[];
  tiebreaks: string[];
  isOver: boolean;
  at: (match: string) => string;
  own: string;
  all: boolean;
  showAll: () => void;
};
export function standings({ rows, tiebreaks, isOver, at, own, all, showAll }: Props) {
  const say = words();
  const shown = all ? rows : rows.filter(({ name, place }) => place <= SHOWN || name === own);
  if (!rows.length) return h("p", { class: "empty" }, say.nobodyIn);
  return [
    table(
      ["#", say.player, say.points, ...tiebreaks, say.won, say.performance, ...(isOver ? [] : [say.now])],
      shown.map((row) => line(row, tiebreaks, isOver ? null : at, row.name === own)),
    ),
    shown.length < rows.length ? button(say.showAll(rows.length), showAll) : null,
  ];
}

function line(row: Row, tiebreaks: string[], at: ((match: string) => string) | null, isOwn: boolean) {
  const { name, place, points = 0, wins = 0, matches = 0, streak = 0, performance = null } = row;
  const say = words();
  return h(
    "tr",
    { key: name, class: isOwn ? `own-row ${at ? "" : "still"}` : "" },
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
      streak > 1 && !row.tiebreaks?.length
        ? [h("span", { "aria-hidden": true, title: say.streak }, "*"), h("span", { class: "hidden" }, ` ${say.streak}`)]
        : null,
    ),
    tiebreaks.map((key, index) => h("td", { key }, row.tiebreaks?.[index] ?? "")),
    h("td", { class: tiebreaks.length ? "wider" : "" }, `${wins}/${matches}`),
    h("td", { class: "wider" }, performance ?? ""),
    at &&
      h(
        "td",
        null,
        row.match
          ? h(
              "a",
              { href: at(row.match), "aria-label": isOwn ? undefined : say.watchNames(name) },
              isOwn ? text.play : text.watch,
            )
          : row.waiting
            ? h("small", null, say.waiting)
            : null,
      ),
  );
}
