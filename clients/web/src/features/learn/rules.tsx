/** The games that one can play here: for each how it begins, and what differs. */
import { h } from "preact";
import { link } from "../../core/look/parts.tsx";
import { startRow } from "../../core/model/plays.ts";
import { linked } from "./linked.tsx";
import { StillBoard } from "./still.tsx";
import { words } from "./texts/text.ts";

export const RULES = "rules-"; // and a game: its place in this document

/** game: its key among the texts. */
export function Rules({ game }: { game: string }) {
  const say = words();
  const { name, about, points, how } = say.games[game];
  const row = startRow({ variant: game }) ?? startRow({}) ?? [];
  return (
    <main class="read">
      <h1>{say.rulesTitle}</h1>
      <nav class="chips" aria-label={say.rulesTitle}>
        {Object.entries(say.games).map(([key, one]) => link(`#${RULES}${key}`, one.name, "", undefined, key === game))}
      </nav>
      <article class="game" key={game}>
        <h2 id={`${RULES}${game}`} tabIndex={-1}>
          {name}
        </h2>
        <p class="about">{about}</p>
        <figure>
          <StillBoard row={row} label={say.startOf(name)} />
          <figcaption>{say.startOf(name)}</figcaption>
        </figure>
        <ol class="points">
          {points.map((one) => (
            <li>
              <span>{linked(one)}</span>
            </li>
          ))}
        </ol>
        <p class="how">
          <b>{say.howHere}</b> {how}
        </p>
      </article>
    </main>
  );
}
