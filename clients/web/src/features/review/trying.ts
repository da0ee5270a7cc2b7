/** A decision tried again: one plays on the board, or says what one would do with the cube. */

import type { Decision } from "../../core/model/decisions.ts";
import { notation } from "../../core/model/notation.ts";
import { keyOf } from "../../core/model/plays.ts";
import * as turns from "../../core/model/turn.ts";
import { language } from "../../core/texts/text.ts";
import { whyNoPoint, whyNoTap } from "../match/reasons.ts";
import type { Place } from "./sharing.tsx";

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

/** The trial while its checkers may be moved. */
export const playableOf = (trial: Trial | null, decision: Decision | null | undefined) =>
  trial && !trial.answer && decision?.what === "play" ? trial : null;

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

/** A trial as others are told of it. */
export const toldOf = (trial: Trial | null): Pick<Place, "tried" | "steps" | "answer"> => ({
  tried: trial !== null,
  steps: trial ? turns.movesOf(trial.turn) : [],
  answer: !trial?.answer ? "" : trial.answer.done ? "yes" : "no",
});

/** The trial of which they were told. */
export function trialOf(decision: Decision, { tried, steps, answer }: Place): Trial | null {
  if (!tried) return null;
  const trial = steps.reduce((before, [from, to]) => dropped(before, from, to), beginTrial(decision));
  if (!answer) return trial;
  if (decision.what === "play") return turns.isDone(trial.turn) ? answered(trial) : trial;
  return { ...trial, answer: { key: "", done: answer === "yes", words: "" } };
}

/** The whole turn as an answer. */
export function answered(trial: Trial): Trial {
  const { turn } = trial;
  const words = notation(turns.movesOf(turn), turn.base.theirs);
  return { ...trial, answer: { key: keyOf(turns.position(turn)), done: true, words } };
}
