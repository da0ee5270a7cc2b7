/** All matches of a tournament, each a click away, and what was decided by hand; asked for when it is opened. */

import { Component, h } from "preact";
import type { Pairing } from "../../../../../protocol/tavla.d.ts";
import { winnerOf } from "../../model/rounds.ts";
import type { TournamentClient } from "../../net/tournaments.ts";
import { language, lookUp, text } from "../../texts/text.ts";
import { words } from "../../texts/tournaments/text.ts";
import { button, buttons, select } from "../parts.ts";

/** @param ms since 1970 */
const time = (ms: number) => new Date(ms).toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit" });

/** names: of the players, the first first. */
type Props = { client: TournamentClient; names: string[]; isOver: boolean };
export class Played extends Component<Props, { of: string; open: boolean }> {
  state = { of: "", open: this.props.isOver };

  componentDidMount() {
    if (this.state.open) this.read();
  }

  read = () => this.props.client.showRefusal(this.props.client.readRecord());

  toggle = (event: Event) => {
    const open = event.currentTarget instanceof HTMLDetailsElement && event.currentTarget.open;
    if (open && !this.state.open && !this.props.isOver) this.read(); // as far as it has come by now
    this.setState({ open });
  };

  render() {
    const { client, names } = this.props;
    const { of, open } = this.state;
    const say = words();
    const { pairings = [], rulings = [], next } = client.record ?? {};
    const shown = pairings.filter(({ players, match }) => match && (!of || players.includes(of)));
    const files = `/t/${client.id}`;
    return h(
      "details",
      { class: "list played", open, onToggle: this.toggle },
      h("summary", null, say.allMatches),
      select(
        of,
        [["", say.allPlayers], ...names.map((name): [string, string] => [name, name])],
        (of) => this.setState({ of }),
        {
          "aria-label": say.whom,
        },
      ),
      h(
        "ul",
        null,
        shown.map((one) => match(one, client.at)),
      ),
      client.record ? null : h("p", { class: "empty" }, text.loading),
      next ? buttons(button(text.more, this.read)) : null,
      h(
        "p",
        null,
        h("a", { href: `${files}.mat`, download: true }, say.file),
        " · ",
        h("a", { href: `${files}.json`, download: true }, say.data),
      ),
      rulings.map(({ time: at, by, what, player = "", reason = "" }) =>
        h(
          "p",
          { key: at, class: "aside" },
          `${time(at)} ${by}: ${lookUp(say.decided, what) ?? what} ${player} (${reason})`,
        ),
      ),
    );
  }
}

function match(one: Pairing, at: (match: string) => string) {
  const { players, match = "", over = false, time: made = 0 } = one;
  const winner = winnerOf(one);
  return h(
    "li",
    { key: match },
    h(
      "a",
      { href: at(match) },
      players.map((name, seat) => [
        seat ? " – " : "",
        h(
          name === winner ? "b" : "span",
          null,
          name,
          name === winner ? h("span", { class: "hidden" }, ` ${text.won}`) : null,
        ),
      ]),
    ),
    h("small", null, over ? (winner ? (made ? time(made) : "") : words().nobodyWon) : words().now),
  );
}
