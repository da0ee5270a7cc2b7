/** The first three of a tournament, or of the server, on their steps. */

import { h } from "preact";
import { player } from "../../core/look/parts.tsx";

/** @param first the best first: the place of each, the name, and what is said below it */
export const podium = (first: [number, string, string][]) =>
  first.length < 2 ? null : (
    <ol class="podium">
      {first.slice(0, 3).map(([place, name, words]) => (
        <li key={name}>
          <b>{player(name)}</b>
          <small>{words}</small>
          <span aria-hidden>{place}</span>
        </li>
      ))}
    </ol>
  );
