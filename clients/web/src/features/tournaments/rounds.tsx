/** Tournaments with rounds: who plays whom, the bracket, and the crosstable. */

import { Component, h } from "preact";
import type { Pairing, Tournament } from "../../../../../protocol/tavla.d.ts";
import { select } from "../../core/look/forms.tsx";
import { type Children, link, scroller, table } from "../../core/look/parts.tsx";
import { text } from "../../core/texts/text.ts";
import type { Row } from "./model/ranks.ts";
import { absentOf, bracketOf, type Cell, cellsOf, roundsOf, type Slot, winnerOf } from "./model/rounds.ts";
import { named } from "./named.tsx";
import { words } from "./texts/text.ts";

const BRACKETS = [0, 1, 2];

/** A part that may be wider than the screen. */
const wide = (label: string, what: Children) => (
  <section class="list wide-table">
    <h2>{label}</h2>
    {scroller(label, what)}
  </section>
);

type Props = { tournament: Tournament; pairings: Record<string, Pairing>; own: string; at: (match: string) => string };
/** The pairings of a round, the newest first looked at. */
export class Rounds extends Component<Props, { round: number }> {
  state = { round: 0 };

  render() {
    const { pairings, own } = this.props;
    const say = words();
    const rounds = roundsOf(pairings);
    if (!rounds.length) return null;
    const round = this.state.round || rounds.length;
    const choose = (value: string) => this.setState({ round: Number(value) });
    return (
      <section class="list rounds">
        <div class="title">
          <h2>{say.pairings}</h2>
          {select(
            String(round),
            rounds.map((_, index) => [String(index + 1), say.round(index + 1)]),
            choose,
            { "aria-label": say.pairings },
          )}
        </div>
        <ul>{(rounds[round - 1] ?? []).map((one) => this.pairing(one, one.players.includes(own)))}</ul>
      </section>
    );
  }

  pairing(one: Pairing, isOwn: boolean) {
    const say = words();
    const { players, match = "", over = false } = one;
    const { at } = this.props;
    const winner = winnerOf(one);
    const absent = absentOf(one);
    const does = over ? text.places.review : text.watch;
    const name = (player: string) => named(player, player === winner);
    return (
      <li key={players.join(" ")} class={isOwn ? "mine" : ""}>
        <span>
          {name(players[0])}
          {players.length > 1 ? [" – ", name(players[1])] : <small>{` ${say.bye}`}</small>}
          {winner && players.length > 1 ? <span class="hidden">{say.wonBy(winner)}</span> : null}
        </span>
        {match ? (
          link(at(match), does, undefined, `${does}: ${players.join(" – ")}`)
        ) : absent.length ? (
          <small>{say.absent(absent)}</small>
        ) : over && !winner ? (
          <small>{say.nobodyWon}</small>
        ) : null}
      </li>
    );
  }
}

/** A knock-out: its main bracket, the consolation, the last chance. */
export function brackets({ tournament, pairings, own, at }: Props) {
  const say = words();
  return BRACKETS.map((bracket) => {
    const rounds = bracketOf(pairings, bracket, bracket ? 0 : (tournament.rounds ?? 0));
    if (!rounds.length) return null;
    const title = (round: number) =>
      say.roundNames[Math.ceil(Math.log2(rounds[round].length))] ?? say.round(bracket + round + 1);
    return wide(
      say.brackets[bracket],
      <ol class="bracket">
        {rounds.map((slots, round) => (
          <li key={round}>
            <h3>{title(round)}</h3>
            <ul>{slots.map((slot, number) => place(slot, own, at, number))}</ul>
          </li>
        ))}
      </ol>,
    );
  });
}

function place({ players, winner, match, over }: Slot, own: string, at: Props["at"], number: number) {
  const say = words();
  const names = [...players, ...["", ""]].slice(0, 2);
  const isBye = players.length === 1;
  const line = (name: string, index: number) => (
    <span
      key={index}
      title={name}
      class={`${name && name === winner ? "winner" : over ? "loser" : ""} ${name === own && own ? "me" : ""}`}
    >
      {name || (isBye ? say.bye : "…")}
      {name && name === winner && !isBye ? <span class="hidden">{` ${text.won}`}</span> : null}
    </span>
  );
  const lines = names.map(line);
  return (
    <li key={number}>{match ? link(at(match), lines, over ? "" : "live-now") : <span class="nobody">{lines}</span>}</li>
  );
}

/** Crosstable of results; with a Swiss, with the rounds. */
export function crosstable(rows: Row[], { tournament, pairings, own, at }: Props) {
  const say = words();
  if (!Object.keys(pairings).length) return null;
  const cells = cellsOf(rows, pairings);
  const isRobin = tournament.format === "round-robin";
  const count = isRobin ? rows.length : roundsOf(pairings).length;
  const heads = Array.from({ length: count }, (_, index) => (isRobin ? String(index + 1) : say.roundShort(index + 1)));
  const line = (row: Row) => (
    <tr key={row.name} class={row.name === own ? "mine" : ""}>
      <td>{row.place}</td>
      <th scope="row">{named(row.name)}</th>
      {heads.map((_, index) => {
        if (isRobin && index + 1 === row.place) return <td key={index} class="self-cell" />;
        const all = cells.get(row.name) ?? [];
        return (
          <td key={index}>
            {all
              .filter((cell) => (isRobin ? cell.opponent : cell.round) === index + 1)
              .map((cell) => result(cell, isRobin, at))}
          </td>
        );
      })}
      <td class="sum">{row.points ?? 0}</td>
    </tr>
  );
  return wide(say.crosstable, table(["#", say.player, ...heads, say.points], rows.map(line)));
}

function result({ opponent, result, match }: Cell, isRobin: boolean, at: Props["at"]) {
  const say = words();
  const sign = result === null ? "·" : result ? "+" : "−";
  const shown = isRobin ? (result === null ? "·" : String(result)) : opponent ? `${sign}${opponent}` : say.byeShort;
  const said = `${result === null ? "" : result ? text.won : text.lost} ${opponent ? `#${opponent}` : say.bye}`.trim();
  return match ? link(at(match), shown, result ? "winner" : "", `${shown}: ${said}`) : shown;
}
