/** Costs of decisions, as `tavla_engine/analysis.py` counts it. Pure. */

import type { CubeAnswer, PlayAnswer } from "../evaluator/judge.ts";
import type { Decision } from "./decisions.ts";

export type Answer = PlayAnswer | CubeAnswer;
export const isPlay = (answer: Answer): answer is PlayAnswer => "plays" in answer;

/** loss: equity. counts: whether there was something to decide. mark: the judge's own; else it is that of the loss. */
export type Finding = { loss: number; counts: boolean; mark?: Mark | null };

const PR_FACTOR = 500;
const [ALIKE, ALIKE_PLAYS] = [0.0001, 10];
const [TRIVIAL, FAR, HOPELESS] = [0.001, 0.2, -0.9];
const SAME = 1e-6;
/** Equity from which a decision has a mark, unless its judge has marks of its own. */
export const MARKS = { blunder: 0.16, mistake: 0.08, doubtful: 0.04 };
export type Mark = keyof typeof MARKS | "";
export const SIGNS: Record<Mark, string> = { blunder: "??", mistake: "?", doubtful: "?!", "": "" };

export function markOf({ loss, counts, mark }: Finding): Mark {
  if (!counts) return "";
  return mark ?? (Object.keys(MARKS) as (keyof typeof MARKS)[]).find((one) => loss >= MARKS[one]) ?? "";
}

/** Equities of what can be done with the cube, for the one who may double. */
export const doubled = ({ taken }: CubeAnswer) => Math.min(taken, 1);

/** A choice at a decision. key: of the position after a play; done: double, or take. */
export type Answered = Pick<Decision, "key" | "done" | "moves">;

export function bestOf({ what }: Decision, answer: Answer): Answered {
  if (isPlay(answer)) return { ...answer.plays[0], done: true };
  const { waiting, taken } = answer;
  const done = what === "take" ? taken <= 1 : Math.min(taken, 1 + SAME) > waiting;
  return { key: "", done, moves: [] };
}

export function costOf(
  { what }: Decision,
  answer: Answer,
  { key, done }: Pick<Decision, "key" | "done">,
): Finding | null {
  if (isPlay(answer)) {
    const played = answer.plays.find((play) => play.key === key);
    const [first, ...others] = answer.plays.slice(0, ALIKE_PLAYS).map(({ equity }) => equity);
    return played ? { loss: first - played.equity, counts: others.some((equity) => first - equity >= ALIKE) } : null;
  }
  const { waiting, taken } = answer;
  if (what === "take")
    return { loss: Math.max(0, done ? taken - 1 : 1 - taken), counts: Math.abs(taken - 1) >= TRIVIAL };
  const double = doubled(answer);
  const loss = Math.max(waiting, double) - (done ? double : waiting);
  const isNone = Math.abs(waiting - double) < TRIVIAL || waiting - double > FAR || Math.max(waiting, taken) < HOPELESS;
  return { loss, counts: loss >= TRIVIAL || !isNone };
}

/** Some decisions of one player. */
export type Tally = { decisions: number; loss: number; luck: number; marks: Record<Mark, number> };

export function tallyOf(findings: (Finding | null)[], lucks: number[]): Tally {
  const known = findings.filter((one) => one !== null);
  const marks: Record<Mark, number> = { blunder: 0, mistake: 0, doubtful: 0, "": 0 };
  for (const one of known) marks[markOf(one)]++;
  return {
    decisions: known.filter(({ counts }) => counts).length,
    loss: known.reduce((sum, { loss }) => sum + loss, 0),
    luck: lucks.reduce((sum, luck) => sum + luck, 0),
    marks,
  };
}

/** The performance rating; null without any decision. */
export const ratingOf = ({ decisions, loss }: Tally) => (decisions ? (PR_FACTOR * loss) / decisions : null);
