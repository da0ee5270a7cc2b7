/** All decisions of the match in two columns, as the moves of one that goes on are, with their marks and costs. */

import { Component, createRef, h } from "preact";
import { scroller, stepButton, stone, tableHead } from "../../core/look/parts.tsx";
import { SIGNS } from "../../core/model/findings.ts";
import { sheet } from "../../core/model/moves.ts";
import { highFirst } from "../../core/model/plays.ts";
import { deed } from "./card.tsx";
import type { Judging } from "./judging.ts";
import { cost } from "./numbers.ts";
import { words } from "./texts/text.ts";

const HEADING = 34; // pixels: what stays above the rows

/** Words between which a line may break, and in none of them: `1/off(2)`. */
const whole = (words: string) => words.split(" ").map((one) => [<span>{one}</span>, " "]);

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
    const heads = [
      "#",
      ...names.map((name, seat) => (
        <th scope="col">
          {stone(seat === 1)}
          {name}
        </th>
      )),
    ];
    const none = <p class="empty">{say.noMistakes}</p>;
    return (
      <section class="list decisions" ref={this.place}>
        <h2>{say.moves}</h2>
        {scroller(
          say.moves,
          places.length ? (
            <table>
              {tableHead(heads)}
              {games.map(this.game)}
            </table>
          ) : (
            none
          ),
        )}
      </section>
    );
  }

  game = (game: number) => {
    const { judging, listed, places } = this.props;
    const { decisions } = judging;
    const played = listed.filter((place) => decisions[place].at.game === game);
    const rows = sheet(played.map((place) => ({ place, seat: decisions[place].seat })));
    const isShown = (one?: { place: number } | null) => one && places.includes(one.place);
    const { score } = decisions[played[0]].at;
    const cell = (one?: { place: number } | null) => <td>{one && isShown(one) && this.row(one.place)}</td>;
    return (
      <tbody key={game}>
        <tr class="which">
          <th colSpan={3} scope="rowgroup">
            {words().game(game, score[0], score[1])}
          </th>
        </tr>
        {rows.map(
          ([left, right], index) =>
            (isShown(left) || isShown(right)) && (
              <tr key={index}>
                <td>{index + 1}</td>
                {cell(left)}
                {cell(right)}
              </tr>
            ),
        )}
      </tbody>
    );
  };

  row(place: number) {
    const { judging, at, go } = this.props;
    const decision = judging.decisions[place];
    const { dice } = decision.question;
    const mark = judging.mark(place);
    const finding = judging.finding(place);
    const cells = [
      dice.length > 0 && <b>{highFirst(dice).join("")} </b>,
      <span class="deed">{whole(deed(decision))}</span>,
      mark && finding && <span class="cost">{cost(finding.loss)}</span>,
      <b class="sign">
        <span aria-hidden="true">{SIGNS[mark]}</span>
        {mark && <span class="hidden">{words().marks[mark]}</span>}
      </b>,
    ];
    return stepButton(cells, () => go(place), place === at, `row ${mark}`);
  }
}
