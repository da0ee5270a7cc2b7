/** Performance of each player: each game, and the match. */

import { h } from "preact";
import { scroller, stone, tableHead, tip } from "../../core/look/parts.tsx";
import { SIGNS } from "../../core/model/findings.ts";
import type { Judging } from "./judging.ts";
import { cost, rating, signed } from "./numbers.ts";
import { words } from "./texts/text.ts";

/** The match in one line a player. */
export function strip(judging: Judging, names: string[]) {
  const say = words();
  return (
    <ul class="strip">
      {names.map((name, seat) => {
        const one = judging.figures(seat, 0);
        return (
          <li key={seat}>
            {stone(seat === 1)}
            <b>{name}</b>
            <span title={tip(say.ratingHelp)}>
              {`${say.rating} `}
              <b>{rating(one.rating)}</b>
            </span>
            <small>{`${say.luck} ${signed(one.luck)}`}</small>
          </li>
        );
      })}
    </ul>
  );
}

export function summary(judging: Judging, names: string[]) {
  const say = words();
  const games = [...new Set(judging.decisions.map(({ at }) => at.game))];
  const rows = games.length > 1 ? [0, ...games] : [0];
  const row = (game: number, seat: number) => {
    const one = judging.figures(seat, game);
    const errors = (["doubtful", "mistake", "blunder"] as const).map((mark) => (
      <span class={`tally ${mark}`} title={tip(say.marks[mark])}>
        {`${one.marks[mark]}`}
        <span class="hidden">{` ${say.marks[mark]} `}</span>
        <i aria-hidden="true">{SIGNS[mark]}</i>
      </span>
    ));
    return (
      <tr key={`${game} ${seat}`} class={seat ? "second" : ""}>
        <th scope="row">
          {stone(seat === 1)}
          {names[seat]}
        </th>
        <td>{rating(one.rating)}</td>
        <td class="errors">{errors}</td>
        <td>{one.loss === null ? rating(null) : cost(one.loss)}</td>
        <td>{signed(one.luck)}</td>
      </tr>
    );
  };
  return (
    <section class="list summary">
      <h2>{say.summary}</h2>
      {scroller(
        say.summary,
        <table>
          {tableHead([say.player, say.rating, say.errors, say.lost, say.luck], { title: tip(say.ratingHelp) })}
          {rows.map((game) => (
            <tbody key={game} class={game ? "" : "whole"}>
              {rows.length > 1 && (
                <tr class="which">
                  <th colSpan={5} scope="rowgroup">
                    {game ? say.gameShort(game) : say.match}
                  </th>
                </tr>
              )}
              {row(game, 0)}
              {row(game, 1)}
            </tbody>
          ))}
        </table>,
      )}
      <p class="aside">{say.ratingHelp}</p>
    </section>
  );
}
