/** Names of scenes: in words, and as a sound. */

import type { Sound } from "../device/sounds.ts";
import { mirrored } from "../model/notation.ts";
import { highFirst } from "../model/plays.ts";
import type { Scene } from "../model/scenes.ts";
import { minutes } from "../model/time.ts";
import type { View } from "../model/view.ts";
import { text } from "../texts/text.ts";

/** Two times in ms; in tenths of seconds, where they would look alike else. */
const spent = (one: number, other: number) =>
  [one, other].map((ms) => (minutes(one) === minutes(other) ? `${(ms / 1000).toFixed(1)} s` : minutes(ms)));

/** A score as it is told: a match is won with its length, whatever the last game was worth. */
export function toldScore(score: readonly number[], length = 7): [number, number] {
  const most = length || Number.POSITIVE_INFINITY;
  return [Math.min(score[0], most), Math.min(score[1], most)];
}

/** The end of a game, or of the match. */
export function outcome(view: View, nameOf: (seat: number) => string) {
  const { outcome: found, phase } = view;
  const score = toldScore(view.score, view.rules.length);
  if (!found)
    return view.unrevealed.length
      ? text.voided(view.unrevealed.map(nameOf).filter((name) => name !== text.You))
      : phase === "over"
        ? text.cancelled
        : text.revealing;
  const [winner, points, kind, ending] = found;
  if (ending === "aborted") return text.aborted;
  if (ending === "voided") return text.ruledVoid;
  if (ending === "put_back") return text.restored;
  if (winner !== null && view.used) {
    const [won, lost] = spent(view.used[winner], view.used[1 - winner]);
    return text.wonByTime(nameOf(winner), won, lost);
  }
  if (winner === null) return text.level_;
  if (phase === "over" && !points) return `${text.matchWon(nameOf(winner))}${text.endings[ending] ?? ""}.`;
  if (phase === "over") return `${text.matchWon(nameOf(winner))}, ${score[winner]} – ${score[1 - winner]}.`;
  return text.gameWon(nameOf(winner), points, kind, ending);
}

/** A play as it is spoken: a hit is no star. */
export const spoken = (play: string) => play.replaceAll("*", ` ${text.hits}`);

/** The sentence for a scene; "": none. @param own the seat whose numbering is spoken in */
export function inWords(scene: Scene, nameOf: (seat: number) => string, own: number) {
  const { what, seat, view, dice, whole, words } = scene;
  const name = nameOf(seat);
  switch (what) {
    case "game":
      return [
        view.game > 1 && text.game(view.game),
        view.crawford && `${text.crawford}.`,
        view.dice.length && text.begins(nameOf(view.turn), highFirst(view.dice)),
      ]
        .filter(Boolean)
        .join(" ");
    case "first":
      return dice.join(" – ") || text.rollFirst;
    case "taken":
      return text.taken(name, view.cube);
    case "beavered":
      return text.beavered(name, 2 * view.cube);
    case "refused":
      return text.refusedResignation(name);
    case "rolled":
      return text.rolled(name, dice);
    case "moved":
      return whole ? text.played(name, spoken(seat === own ? words : mirrored(words))) : "";
    case "passed":
      return text.passed(name);
    case "missed":
      return text.missed;
    case "doubled":
      return text.doubles(name, 2 * view.cube);
    case "resigned":
      return view.resignation ? text.offersResign(name, view.resignation[1], view.resignation[1] * view.cube) : "";
    case "ended":
      return outcome(view, nameOf);
    case "asked":
      return name === text.You ? text.yourTurn : "";
  }
}

/** @param ours whether it is we who act next */
export function asSound({ what, dice }: Scene, ours: boolean): Sound | null {
  if (what === "rolled" || (what === "first" && dice.length)) return "dice";
  if (what === "moved") return "checker";
  if (what === "doubled" || what === "beavered") return "double";
  return what === "asked" && ours ? "turn" : null;
}
