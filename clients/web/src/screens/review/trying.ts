/** A decision tried again: one plays on the board, or says what one would do with the cube. */

import type { Decision } from "../../model/decisions.ts";
import { notation } from "../../model/notation.ts";
import * as turns from "../../model/turn.ts";
import { whyNoPoint, whyNoTap } from "../../reasons.ts";
import { language } from "../../texts/text.ts";

/** A trial. refused: why the last tap or drag has done nothing. key: of the position that was played; done: what was said of the cube; null = not yet. */
export type Trial = {
  turn: turns.Turn;
  chosen: number | null;
  refused?: string;
  answer: Pick<Decision, "key" | "done" | "words"> | null;
};

export const beginTrial = ({ question: { position, dice } }: Decision): Trial => ({
  turn: turns.beginTurn(position, dice),
  chosen: null,
  answer: null,
});

/** A point was tapped. */
export function tapped({ turn, ...trial }: Trial, point: number): Trial {
  const { way, chosen } = turns.tapped(turn, trial.chosen, point, false);
  if (way) return { ...trial, turn: turns.play(turn, way), chosen: null, refused: "" };
  const isDone = chosen !== null || trial.chosen === point;
  return { ...trial, turn, chosen, refused: isDone ? "" : whyNoTap(turn, trial.chosen, point, language) };
}

export function dropped(trial: Trial, from: number, to: number): Trial {
  const way = turns.goals(trial.turn, from).get(to);
  if (way) return { ...trial, turn: turns.play(trial.turn, way), chosen: null, refused: "" };
  return { ...trial, chosen: null, refused: to < 0 || to === from ? "" : whyNoPoint(trial.turn, from, to, language) };
}

/** The whole turn as an answer. */
export function answered(trial: Trial): Trial {
  const { turn } = trial;
  const { mine, theirs } = turns.position(turn);
  const words = notation(turns.movesOf(turn), turn.base.theirs);
  return { ...trial, answer: { key: `${mine};${theirs}`, done: true, words } };
}
