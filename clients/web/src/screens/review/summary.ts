/** Performance of each player: each game, and the match. */

import { h } from "preact";
import { SIGNS } from "../../model/findings.ts";
import { words } from "../../texts/review/text.ts";
import { scroller, stone, tableHead, tip } from "../parts.ts";
import type { Judging } from "./judging.ts";
import { cost, rating, signed } from "./numbers.ts";

/** The match in one line a player. */
export function strip(judging: Judging, names: string[]) {
  const say = words();
  return h(
    "ul",
    { class: "strip" },
    names.map((name, seat) => {
      const one = judging.figures(seat, 0);
      return h(
        "li",
        { key: seat },
        stone(seat === 1),
        h("b", null, name),
        h("span", { title: tip(say.ratingHelp) }, `${say.rating} `, h("b", null, rating(one.rating))),
        h("small", null, `${say.luck} ${signed(one.luck)}`),
      );
    }),
  );
}

export function summary(judging: Judging, names: string[]) {
  const say = words();
  const games = [...new Set(judging.decisions.map(({ at }) => at.game))];
  const rows = games.length > 1 ? [0, ...games] : [0];
  const row = (game: number, seat: number) => {
    const one = judging.figures(seat, game);
    const errors = (["doubtful", "mistake", "blunder"] as const).map((mark) =>
      h(
        "span",
        { class: `tally ${mark}`, title: tip(say.marks[mark]) },
        `${one.marks[mark]}`,
        h("span", { class: "hidden" }, ` ${say.marks[mark]} `),
        h("i", { "aria-hidden": "true" }, SIGNS[mark]),
      ),
    );
    return h(
      "tr",
      { key: `${game} ${seat}`, class: seat ? "second" : "" },
      h("th", { scope: "row" }, stone(seat === 1), names[seat]),
      h("td", null, rating(one.rating)),
      h("td", { class: "errors" }, errors),
      h("td", null, one.loss === null ? rating(null) : cost(one.loss)),
      h("td", null, signed(one.luck)),
    );
  };
  return h(
    "section",
    { class: "list summary" },
    h("h2", null, say.summary),
    scroller(
      say.summary,
      h(
        "table",
        null,
        tableHead([say.player, say.rating, say.errors, say.lost, say.luck], { title: tip(say.ratingHelp) }),
        rows.map((game) =>
          h(
            "tbody",
            { key: game, class: game ? "" : "whole" },
            rows.length > 1 &&
              h(
                "tr",
                { class: "which" },
                h("th", { colSpan: 5, scope: "rowgroup" }, game ? say.gameShort(game) : say.match),
              ),
            row(game, 0),
            row(game, 1),
          ),
        ),
      ),
    ),
    h("p", { class: "aside" }, say.ratingHelp),
  );
}
