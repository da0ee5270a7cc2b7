/** All matches of a tournament, each a click away, and what was decided by hand; asked for when it is opened. */

import { Component, h } from "preact";
import type { Pairing } from "../../../../../protocol/tavla.d.ts";
import { timeOfDay } from "../../core/look/clock.tsx";
import { select } from "../../core/look/forms.tsx";
import { button, buttons, link } from "../../core/look/parts.tsx";
import { lookUp, text } from "../../core/texts/text.ts";
import { absentOf, winnerOf } from "./model/rounds.ts";
import { named } from "./named.tsx";
import type { TournamentClient } from "./net.ts";
import { words } from "./texts/text.ts";

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
    const shown = pairings.filter(({ players }) => players.length > 1 && (!of || players.includes(of)));
    const rows = names.map((name): [string, string] => [name, name]);
    const files = `/t/${client.id}`;
    return (
      <details class="list played" open={open} onToggle={this.toggle}>
        <summary>{say.allMatches}</summary>
        {select(of, [["", say.allPlayers], ...rows], (of) => this.setState({ of }), { "aria-label": say.player })}
        <ul>{shown.map((one) => match(one, client.at))}</ul>
        {client.record ? null : <p class="empty">{text.loading}</p>}
        {next ? buttons(button(text.more, this.read)) : null}
        <p>
          <a href={`${files}.mat`} download>
            {say.file}
          </a>
          {" · "}
          <a href={`${files}.json`} download>
            {say.data}
          </a>
        </p>
        {rulings.map(({ time: at, by, what, player = "", reason = "", judge = "" }) => {
          const role = lookUp(say.judges, judge) ?? judge;
          const who = by && role ? `${by} (${role})` : by || role;
          const why = reason && ` (${reason})`;
          return (
            <p
              key={at}
              class="aside"
            >{`${timeOfDay(at)} ${who}: ${lookUp(say.decided, what) ?? what} ${player}${why}`}</p>
          );
        })}
      </details>
    );
  }
}

function match(one: Pairing, at: (match: string) => string) {
  const { players, match = "", over = false, time: made = 0 } = one;
  const winner = winnerOf(one);
  const absent = absentOf(one);
  const won = <span class="hidden">{` ${text.won}`}</span>;
  const isWinner = (name: string) => name === winner;
  const names = players.map((name, seat) => [seat ? " – " : "", named(name, isWinner(name), isWinner(name) && won)]);
  return (
    <li key={match || made + players.join(" ")}>
      {match ? link(at(match), names) : <span>{names}</span>}
      {absent.length ? <small>{words().absent(absent)}</small> : null}
      <small>{over ? (winner ? (made ? timeOfDay(made) : "") : words().nobodyWon) : words().now}</small>
    </li>
  );
}
