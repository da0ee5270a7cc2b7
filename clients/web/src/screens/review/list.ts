/** All decisions of the match, with their marks and what they cost. */

import { Component, createRef, h } from "preact";
import type { Decision } from "../../model/decisions.ts";
import { SIGNS } from "../../model/findings.ts";
import { words } from "../../texts/review/text.ts";
import { stepButton } from "../parts.ts";
import { deed } from "./card.ts";
import type { Judging } from "./judging.ts";
import { cost } from "./numbers.ts";

const HEADING = 40; // pixels: what stays above the rows

type Props = { judging: Judging; places: number[]; at: number; names: string[]; go: (place: number) => void };
export class DecisionList extends Component<Props> {
  place = createRef<HTMLDivElement>();

  /** The decision that is looked at is in sight. */
  componentDidUpdate() {
    const list = this.place.current;
    const row = list?.querySelector<HTMLElement>("[aria-current]");
    if (!list || !row) return;
    const [top, bottom] = [row.offsetTop - HEADING, row.offsetTop + row.offsetHeight];
    if (top < list.scrollTop) list.scrollTop = top;
    else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
  }

  render() {
    const { judging, places, names } = this.props;
    const say = words();
    let game = 0;
    return h(
      "section",
      { class: "list decisions" },
      h("h2", null, say.moves),
      h(
        "div",
        { class: "scroll", ref: this.place, tabIndex: 0, role: "region", "aria-label": say.moves },
        places.length ? null : h("p", { class: "empty" }, say.noMistakes),
        h(
          "ol",
          null,
          places.map((place) => {
            const { at } = judging.decisions[place];
            const heading = at.game === game ? null : say.game(at.game, at.score[0], at.score[1]);
            game = at.game;
            return [
              heading && h("li", { key: `game ${game}`, class: "heading" }, heading),
              h("li", { key: place }, this.row(judging.decisions[place], place, names)),
            ];
          }),
        ),
      ),
    );
  }

  row(decision: Decision, place: number, names: string[]) {
    const { judging, at, go } = this.props;
    const { seat, question, what, turn } = decision;
    const mark = judging.mark(place);
    const finding = judging.finding(place);
    const say = words();
    const cells = [
      h("span", { class: "turn" }, what === "play" ? turn : ""),
      h("span", { class: `stone ${seat ? "black" : "white"}`, role: "img", "aria-label": names[seat] }),
      h("span", { class: "dice" }, question.dice.length ? [...question.dice].sort((a, b) => b - a).join("") : ""),
      h("span", { class: "deed" }, deed(decision)),
      h("span", { class: "cost" }, mark && finding ? cost(finding.loss) : ""),
      h(
        "b",
        { class: "sign" },
        h("span", { "aria-hidden": "true" }, SIGNS[mark]),
        mark && h("span", { class: "hidden" }, say.marks[mark]),
      ),
    ];
    return stepButton(cells, () => go(place), place === at, `row ${mark}`);
  }
}
