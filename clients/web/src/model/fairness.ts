/** Fair dice and their bounds, as `tavla_engine/fairness.py` has them: what many rolls should come to. Pure. */

import type { Rolls } from "../../../../protocol/tavla.d.ts";
import type { Step } from "./record.ts";

/** The counts of the 36 outcomes, 1-1, 1-2, ... 6-6, by who rolled. */
export type Counts = Required<Pick<Rolls, "white" | "black" | "opening">>;

const SIGMAS = 4; // standard deviations: fair dice leave one of 36 such bounds in about one of 400 tables

/** Expected count of one outcome, or of one of several, in so many rolls, and how far off chance alone leads. */
export function bounds(rolls: number, ways = 1) {
  const mean = (rolls * ways) / 36;
  const off = (SIGMAS * Math.sqrt(rolls * ways * (36 - ways))) / 36;
  return { mean, low: Math.max(0, mean - off), high: mean + off };
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
