/** A decision tried again: one plays on the board, or says what one would do with the cube. */

import type { Decision } from "../../model/decisions.ts";
import { notation } from "../../model/notation.ts";
import { diceOf } from "../../model/plays.ts";
import * as turns from "../../model/turn.ts";

/** A trial. key: of the position that was played; done: what was said of the cube; null = not yet. */
export type Trial = {
  turn: turns.Turn;
  chosen: number | null;
  answer: Pick<Decision, "key" | "done" | "words"> | null;
};

export function beginTrial({ question: { position, dice } }: Decision): Trial {
  const ordered = diceOf([...dice].sort((a, b) => b - a));
  return { turn: { key: "", base: position, dice: ordered, steps: [] }, chosen: null, answer: null };
}

/** A point was tapped. */
export function tapped({ turn, ...trial }: Trial, point: number): Trial {
  const { way, chosen } = turns.tapped(turn, trial.chosen, point, false);
  return { ...trial, turn: way ? turns.play(turn, way) : turn, chosen: way ? null : chosen };
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
