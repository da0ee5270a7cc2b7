/** Findings of the server's judge in a match, if it has one that has come to it. Pure. */

import type { Analysis, Recorded } from "../../../../../protocol/tavla.d.ts";
import type { Decision } from "./decisions.ts";
import { type Answered, MARKS, type Mark, SIGNS } from "./findings.ts";
import { notation } from "./notation.ts";
import { asMoves, keyOf, legalPlays } from "./plays.ts";
import { beginTurn, isDone, movesOf, position, typed } from "./turn.ts";

/**
 * A decision that has cost something. mark: of a judge that has its own. best: as the judge writes it; answer: the same;
 * null = it cannot be read.
 */
type Found = { loss: number; mark: Mark | null; best: string; answer: Answered | null };
/**
 * found: by the place of the decision. isWhole: no decision that has cost something was left out for room. rest: what
 * one that is not there has cost; null = not known.
 */
export type Judgement = { analysis: Required<Analysis>; found: Map<number, Found>; isWhole: boolean; rest: 0 | null };

const ROUNDED = 0.0005; // equity: what a loss may have lost itself

const placeOf = (game: number, turn: number, seat: number, what: string) => `${game} ${turn} ${seat} ${what}`;

const whatOf = (done: string) => (/^(take|drop)$/.test(done) ? "take" : /double$/.test(done) ? "double" : "play");

export function judgementOf(
  decisions: Decision[],
  { analysis, findings = [] }: Pick<Recorded, "analysis" | "findings">,
) {
  if (!analysis?.by) return null;
  const whole = {
    error: "",
    ratings: [null, null],
    lost: [0, 0],
    decisions: [0, 0],
    luck: [0, 0],
    by: "",
    rough: false,
    seen: [0, 0],
    ...analysis,
  };
  const places = new Map(
    decisions.map(({ at, turn, seat, what }, place) => [placeOf(at.game, turn, seat, what), place]),
  );
  const found = new Map<number, Found>();
  let [sum, least] = [0, Number.POSITIVE_INFINITY];
  for (const [game, turn, seat, done, best, loss, sign] of findings) {
    const place = places.get(placeOf(game, turn, seat, whatOf(done)));
    const mark = (Object.keys(SIGNS) as Mark[]).find((one) => SIGNS[one] === sign) ?? null;
    if (place !== undefined) found.set(place, { loss, mark, best, answer: answerOf(decisions[place], best) });
    sum += loss;
    least = Math.min(least, loss);
  }
  const isWhole = whole.lost[0] + whole.lost[1] - sum <= ROUNDED * (whole.decisions[0] + whole.decisions[1]);
  return { analysis: whole, found, isWhole, rest: isWhole || least < MARKS.doubtful ? 0 : null } as Judgement;
}

/** The best choice by a judge. */
export function answerOf({ what, question: { position: base, dice } }: Decision, best: string): Answered | null {
  if (what !== "play") return { key: "", done: best === "double" || best === "take", moves: [] };
  for (const [key, { steps }] of legalPlays(base, dice)) {
    const moves = asMoves(steps);
    if (notation(moves, base.theirs) === best) return { key, done: true, moves }; // also of two ways, of which one hits
  }
  const turn = typed(beginTurn(base, dice), best);
  if (!turn || !isDone(turn)) return null;
  return { key: keyOf(position(turn)), done: true, moves: movesOf(turn) };
}
