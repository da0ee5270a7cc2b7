/** How well each player has played: each game, and the match. */

import { h } from "preact";
import type { Analysis } from "../../../../../protocol/tavla.d.ts";
import type { Tally } from "../../model/findings.ts";
import { ratingOf, SIGNS, tallyOf } from "../../model/findings.ts";
import { words } from "../../texts/review/text.ts";
import { tip } from "../parts.ts";
import type { Judging } from "./judging.ts";
import { cost, rating, signed } from "./numbers.ts";

function tally(judging: Judging, seat: number, game: number): Tally {
  const places = judging.decisions.flatMap((one, place) =>
    one.seat === seat && (!game || one.at.game === game) ? [place] : [],
  );
  return tallyOf(
    places.map((place) => judging.finding(place)),
    places.map((place) => judging.lucks.get(place) ?? 0),
  );
}

/** The match in one line a player. */
export function strip(judging: Judging, names: string[]) {
  const say = words();
  return h(
    "ul",
    { class: "strip" },
    names.map((name, seat) => {
      const one = tally(judging, seat, 0);
      return h(
        "li",
        { key: seat },
        h("span", { class: `stone ${seat ? "black" : "white"}`, "aria-hidden": "true" }),
        h("b", null, name),
        h("span", { title: tip(say.ratingHelp) }, `${say.rating} `, h("b", null, rating(ratingOf(one)))),
        h("small", null, `${say.luck} ${signed(one.luck)}`),
      );
    }),
  );
}

/** @param server what the server's own judge says of the match */
export function summary(judging: Judging, names: string[], server: Analysis | null) {
  const say = words();
  const games = [...new Set(judging.decisions.map(({ at }) => at.game))];
  const rows = games.length > 1 ? [0, ...games] : [0];
  const row = (game: number, seat: number) => {
    const one = tally(judging, seat, game);
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
      h(
        "th",
        { scope: "row" },
        h("span", { class: `stone ${seat ? "black" : "white"}`, "aria-hidden": "true" }),
        names[seat],
      ),
      h("td", null, rating(ratingOf(one))),
      h("td", { class: "errors" }, errors),
      h("td", null, cost(one.loss)),
      h("td", null, signed(one.luck)),
    );
  };
  return h(
    "section",
    { class: "list summary" },
    h("h2", null, say.summary),
    h(
      "div",
      { class: "scroll", tabIndex: 0, role: "region", "aria-label": say.summary },
      h(
        "table",
        null,
        h(
          "thead",
          null,
          h(
            "tr",
            { title: tip(say.ratingHelp) },
            [say.player, say.rating, say.errors, say.lost, say.luck].map((label) => h("th", { scope: "col" }, label)),
          ),
        ),
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
    server?.by && server.ratings
      ? h("p", null, say.judgedToo(server.by, rating(server.ratings[0]), rating(server.ratings[1])))
      : null,
    h("p", { class: "aside" }, say.ratingHelp),
  );
}
