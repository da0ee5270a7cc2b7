/** Why a checker may not be moved as one wants. Pure. */

import type { Turn } from "./turn.ts";
import { left, position as positionOf, typed } from "./turn.ts";

const [BAR, OFF, HOME] = [25, 0, 6];

/** point: what it is about. dice: those that are left. */
export type Refusal = { why: Why; point: number; dice: number[] };
export type Why =
  | "bar" // a checker on the bar enters first
  | "theirs" // the checkers there are the opponent's
  | "empty" // no checker is there
  | "stuck" // each die leads to a closed point
  | "back" // checkers move towards home
  | "closed" // the opponent holds the point
  | "far" // no die, nor some together, come to that
  | "short" // no die takes it off from there
  | "way" // on the way there are closed points alone
  | "home" // not all checkers are home yet
  | "higher" // there are checkers on higher points
  | "both" // as many dice as possible have to be played
  | "done"; // no dice are left

/** @param from the point of the chosen checker; null: the one at `to` was to be chosen */
export function whyNot(turn: Turn, from: number | null, to: number): Refusal {
  const { mine, theirs } = positionOf(turn);
  const dice = left(turn);
  const because = (why: Why, point = to): Refusal => ({ why, point, dice });
  const isClosed = (point: number) => point > OFF && point < BAR && theirs[BAR - point] > 1;
  const isHome = !mine.slice(HOME + 1).some(Boolean);
  if (!dice.length) return because("done");
  if (from === null) {
    if (to === OFF) return because(isHome ? "higher" : "home");
    if (mine[BAR] && to !== BAR) return because("bar");
    if (!mine[to]) return because(to < BAR && theirs[BAR - to] ? "theirs" : "empty");
    if (dice.every((die) => isClosed(to - die))) return because("stuck");
    return because(to <= Math.max(...dice) && to <= HOME ? (isHome ? "higher" : "home") : "both");
  }
  if (mine[BAR] && from !== BAR) return because("bar");
  if (to >= from) return because("back");
  if (to === OFF && !isHome) return because("home");
  if (isClosed(to)) return because("closed");
  if (to === OFF && !dice.includes(from) && dice.some((die) => die > from)) return because("higher");
  const sums = sumsOf(dice);
  if (!sums.has(from - to)) return because(to === OFF ? "short" : "far", from - to);
  return because(dice.includes(from - to) ? "both" : "way");
}

/** Sums of some of the dice. */
function sumsOf(dice: number[]) {
  const sums = new Set([0]);
  for (const die of dice) for (const sum of [...sums]) sums.add(sum + die);
  return sums;
}

/** Why a typed turn is not allowed, by its first step that is not; null: it cannot be read. */
export function firstRefused(turn: Turn, text: string): Refusal | null {
  const words = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  const bad = words.findIndex((_, index) => !typed(turn, words.slice(0, index + 1).join(" ")));
  const points = /^(b|bar|\d+)(?:\*?\/(bar|off|\d+))?/.exec(words[bad] ?? "");
  if (!points) return null;
  const [from, to] = points.slice(1).map((name) => ({ b: BAR, bar: BAR, off: OFF })[name] ?? Number(name));
  const before = typed(turn, words.slice(0, bad).join(" ")) ?? turn;
  if (from > BAR || from < 1) return null;
  const hasChecker = positionOf(before).mine[from] > 0;
  return whyNot(before, hasChecker && points[2] ? from : null, hasChecker && points[2] ? to : from);
}
