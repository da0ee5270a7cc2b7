/** Fair dice and their bounds, as `tavla_engine/fairness.py` has them: what many rolls should come to. Pure. */

import type { Rolls } from "../../../../../../protocol/tavla.d.ts";
import type { Step } from "../../../core/model/record.ts";

/** The counts of the 36 outcomes, 1-1, 1-2, ... 6-6, by who rolled. */
export type Counts = Required<Pick<Rolls, "white" | "black" | "opening">>;

const SIGMAS = 4; // standard deviations

/** Expected count of one outcome, or of one of several, in so many rolls, and how far off chance alone leads. */
export function bounds(rolls: number, ways = 1, outcomes = 36) {
  const mean = (rolls * ways) / outcomes;
  const off = (SIGMAS * Math.sqrt(rolls * ways * (outcomes - ways))) / outcomes;
  return { mean, low: Math.max(0, mean - off), high: mean + off };
}

/** The same of the dice that show one face: two in each roll. */
export const faceBounds = (rolls: number) => bounds(2 * rolls, 1, 6);

/** Dice that show each face, from the counts of the 36 outcomes. */
export const faces = (counts: number[]) =>
  [0, 1, 2, 3, 4, 5].map((face) =>
    counts.reduce(
      (found, count, at) => found + count * (Number(Math.floor(at / 6) === face) + Number(at % 6 === face)),
      0,
    ),
  );

/** Of how many such tables of fair dice one has an outcome or a face outside its bounds. */
export const tablesPerAlarm = (rolls: number) => 1 / (36 * outside(rolls, 1 / 36) + 6 * outside(2 * rolls, 1 / 6));

/** Chance that a count is outside: a normal one's, and what its skewness and kurtosis add (Edgeworth's series). */
function outside(trials: number, p: number) {
  const [normal, density, third, fifth] = [6.334e-5, 1.338e-4, 52, 444]; // at SIGMAS, with Hermite's polynomials
  const more = ((1 - 6 * p * (1 - p)) * third) / 24 + ((1 - 2 * p) ** 2 * fifth) / 72;
  return normal + (2 * density * more) / (trials * p * (1 - p));
}

export const sum = (counts: number[]) => counts.reduce((one, other) => one + other, 0);
export const doubles = (counts: number[]) => sum(counts.filter((_, place) => place % 7 === 0));
export const all = ({ white, black, opening }: Counts) => white.map((count, at) => count + black[at] + opening[at]);

/** The server's report on its dice, if it can be one. */
export function readable(told: Rolls): (Rolls & Counts) | null {
  const { white = [], black = [], opening = [] } = told;
  const isWhole = [white, black, opening].every(
    (counts) => counts.length === 36 && counts.every((count) => Number.isInteger(count) && count >= 0),
  );
  return isWhole ? { ...told, white, black, opening } : null;
}

/** Counts of the dice of one match. */
export function fallen(steps: Step[]): Counts {
  const none = () => Array<number>(36).fill(0);
  const counts = { white: none(), black: none(), opening: none() };
  for (const { what, before, now } of steps) {
    if (now.rolls === before.rolls) continue;
    const whose = what === "opening_rolled" ? "opening" : now.roller ? "black" : "white";
    counts[whose][6 * now.dice[0] + now.dice[1] - 7]++;
  }
  return counts;
}
