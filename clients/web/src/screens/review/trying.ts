/** A decision tried again: one plays on the board, or says what one would do with the cube. */

import type { Picture } from "../../board/picture.ts";
import type { Decision } from "../../model/decisions.ts";
import { notation } from "../../model/notation.ts";
import { diceOf } from "../../model/plays.ts";
import * as turns from "../../model/turn.ts";

/** What is tried. key: of the position that was played; done: what was said of the cube; null = not yet. */
export type Trial = {
  turn: turns.Turn;
  chosen: number | null;
  answer: Pick<Decision, "key" | "done" | "words"> | null;
};

export function beginTrial({ question: { position, dice } }: Decision): Trial {
  const ordered = diceOf([...dice].sort((a, b) => b - a));
  return { turn: { key: "", base: position, dice: ordered, steps: [] }, chosen: null, answer: null };
}

/** What the board shows while the turn is made. */
export function trialPicture({ turn, chosen }: Trial): Partial<Picture> {
  const rest = turns.left(turn);
  const dice = turn.dice.map((value) => {
    const index = rest.indexOf(value);
    if (index >= 0) rest.splice(index, 1);
    return { value, used: index < 0 };
  });
  const targets = new Set(chosen === null ? [] : turns.goals(turn, chosen).keys());
  const canSwap = !turn.steps.length && turn.dice.length === 2;
  return { ...turns.position(turn), dice, sources: turns.sources(turn), chosen, targets, canSwap };
}

/** A point was tapped: its checker is chosen, goes by the first die when it is chosen already, or another goes there. */
export function tapped(trial: Trial, point: number): Trial {
  const { turn, chosen } = trial;
  const sources = turns.sources(turn);
  const only = sources.size === 1 ? [...sources][0] : null;
  const from = chosen ?? only;
  const way = from !== null && from !== point ? turns.goals(turn, from).get(point) : undefined;
  const made =
    way ??
    (chosen === point
      ? turns.firstWay(turn, [point])
      : point === 0
        ? turns.firstWay(turn, [...sources], 0)
        : undefined);
  if (made) return { ...trial, turn: turns.play(turn, made), chosen: null };
  return { ...trial, chosen: sources.has(point) && point !== chosen ? point : null };
}

export function dropped(trial: Trial, from: number, to: number): Trial {
  const way = turns.goals(trial.turn, from).get(to);
  return { ...trial, turn: way ? turns.play(trial.turn, way) : trial.turn, chosen: null };
}

/** The whole turn as an answer. */
export function answered(trial: Trial): Trial {
  const { turn } = trial;
  const { mine, theirs } = turns.position(turn);
  const words = notation(turns.movesOf(turn), turn.base.theirs);
  return { ...trial, answer: { key: `${mine};${theirs}`, done: true, words } };
}
