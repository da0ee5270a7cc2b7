/** All decisions of the match in two columns, as the moves of one that goes on are, with their marks and costs. */

import { Component, createRef, h } from "preact";
import { SIGNS } from "../../model/findings.ts";
import { sheet } from "../../model/moves.ts";
import { words } from "../../texts/review/text.ts";
import { scroller, stepButton, stone, tableHead } from "../parts.ts";
import { deed } from "./card.ts";
import type { Judging } from "./judging.ts";
import { cost } from "./numbers.ts";

const HEADING = 34; // pixels: what stays above the rows

/** listed: what has a place in the table. places: those of them that are shown. */
type Props = {
  judging: Judging;
  listed: number[];
  places: number[];
  at: number;
  names: string[];
  go: (place: number) => void;
};
export class DecisionList extends Component<Props> {
  place = createRef<HTMLElement>();

  /** The decision that is looked at is in sight. */
  componentDidUpdate() {
    const list = this.place.current?.querySelector(".scroll");
    const row = list?.querySelector("[aria-current]");
    if (!list || !row) return;
    const [seen, { top, bottom }] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
    if (top < seen.top + HEADING) list.scrollTop -= seen.top + HEADING - top;
    else if (bottom > seen.bottom) list.scrollTop += bottom - seen.bottom;
  }

  render() {
    const { judging, listed, places, names } = this.props;
    const say = words();
    const games = [...new Set(listed.map((place) => judging.decisions[place].at.game))];
    const heads = ["#", ...names.map((name, seat) => h("th", { scope: "col" }, stone(seat === 1), name))];
    const none = h("p", { class: "empty" }, say.noMistakes);
    return h(
      "section",
      { class: "list decisions", ref: this.place },
      h("h2", null, say.moves),
      scroller(say.moves, places.length ? h("table", null, tableHead(heads), games.map(this.game)) : none),
    );
  }

  game = (game: number) => {
    const { judging, listed, places } = this.props;
    const { decisions } = judging;
    const played = listed.filter((place) => decisions[place].at.game === game);
    const rows = sheet(played.map((place) => ({ place, seat: decisions[place].seat })));
    const isShown = (one?: { place: number } | null) => one && places.includes(one.place);
    const { score } = decisions[played[0]].at;
    const cell = (one?: { place: number } | null) => h("td", null, one && isShown(one) && this.row(one.place));
    return h(
      "tbody",
      { key: game },
      h("tr", { class: "which" }, h("th", { colSpan: 3, scope: "rowgroup" }, words().game(game, score[0], score[1]))),
      rows.map(
        ([left, right], index) =>
          (isShown(left) || isShown(right)) &&
          h("tr", { key: index }, h("td", null, index + 1), cell(left), cell(right)),
      ),
    );
  };

  row(place: number) {
    const { judging, at, go } = this.props;
    const decision = judging.decisions[place];
    const { dice } = decision.question;
    const mark = judging.mark(place);
    const finding = judging.finding(place);
    const cells = [
      dice.length > 0 && h("b", null, [...dice].sort((a, b) => b - a).join(""), " "),
      h("span", { class: "deed" }, deed(decision)),
      mark && finding && h("span", { class: "cost" }, cost(finding.loss)),
      h(
        "b",
        { class: "sign" },
        h("span", { "aria-hidden": "true" }, SIGNS[mark]),
        mark && h("span", { class: "hidden" }, words().marks[mark]),
      ),
    ];
    return stepButton(cells, () => go(place), place === at, `row ${mark}`);
  }
}
