/** The standings of a tournament: live, the player's own row always in sight. */

import { h } from "preact";
import { button, link, player, table } from "../../core/look/parts.tsx";
import { text } from "../../core/texts/text.ts";
import type { Row } from "./model/ranks.ts";
import { words } from "./texts/text.ts";

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
  if (!rows.length) return <p class="empty">{isOver ? say.nobodyCame : say.nobodyIn}</p>;
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
  return (
    <tr key={name} class={isOwn ? `own-row ${at ? "" : "still"}` : ""}>
      <td>{place}</td>
      <th scope="row">
        {player(name)}
        {row.kind === "bot" ? <small>{` ${text.kinds.bot}`}</small> : null}
        {row.rating ? <small class="rating">{` ${row.rating}`}</small> : null}
      </th>
      <td class="sum">
        {points}
        {streak > 1 && !row.tiebreaks?.length
          ? [
              <span aria-hidden title={say.streak}>
                *
              </span>,
              <span class="hidden">{` ${say.streak}`}</span>,
            ]
          : null}
      </td>
      {tiebreaks.map((key, index) => (
        <td key={key}>{row.tiebreaks?.[index] ?? ""}</td>
      ))}
      <td class={tiebreaks.length ? "wider" : ""}>{`${wins}/${matches}`}</td>
      <td class="wider">{performance ?? ""}</td>
      {at && (
        <td>
          {row.match ? (
            link(at(row.match), isOwn ? text.play : text.watch, undefined, isOwn ? undefined : say.watchNames(name))
          ) : row.waiting ? (
            <small>{say.waiting}</small>
          ) : null}
        </td>
      )}
    </tr>
  );
}
