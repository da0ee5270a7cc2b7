/** Why a checker may not be moved as one wants. Pure. */

import { moved, nextSteps, type Position } from "../../../core/model/plays.ts";
import { left, position as positionOf, type Turn, typed } from "../../../core/model/turn.ts";

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
  | "stay" // it has hit at home, and stays there
  | "larger" // of two dice one can be played, and that is the larger one
  | "both" // as many dice as possible have to be played
  | "done"; // no dice are left

/** @param from the point of the chosen checker; null: the one at `to` was to be chosen */
export function whyNot(turn: Turn, from: number | null, to: number): Refusal {
  const at = positionOf(turn);
  const dice = left(turn);
  const why = !dice.length ? "done" : from === null ? whyNotChosen(at, dice, to) : whyNotThere(at, dice, from, to);
  const start = from ?? to;
  return { why, point: why === "far" ? start - to : why === "stuck" ? start : to, dice };
}

/** Why the checker on a point cannot be moved. */
function whyNotChosen(at: Position, dice: number[], point: number): Why {
  const { mine, theirs } = at;
  if (point === OFF) return isHome(mine) ? "short" : "home";
  if (mine[BAR] && point !== BAR) return "bar";
  if (!mine[point]) return point < BAR && theirs[BAR - point] ? "theirs" : "empty";
  const moves = (here: Position) => dice.some((die) => moved(here, point, die));
  if (moves(at)) return tooFew(at, dice);
  if (moves({ ...at, held: undefined })) return "stay";
  if (dice.every((die) => isClosed(at, point - die))) return "stuck";
  return isHome(mine) ? "higher" : "home";
}

/** Why a checker cannot go there. */
function whyNotThere(at: Position, dice: number[], from: number, to: number): Why {
  const { mine } = at;
  if (mine[BAR] && from !== BAR) return "bar";
  if (to >= from) return "back";
  if (reaches(at, dice, from, to)) return tooFew(at, dice);
  if (reaches({ ...at, held: undefined }, dice, from, to)) return "stay";
  if (to === OFF && !isHome(mine.with(from, mine[from] - 1))) return "home";
  if (isClosed(at, to)) return "closed";
  if (from === BAR && mine[BAR] > 1 && !dice.includes(from - to)) return "bar";
  if (to === OFF) return whyNotOff(at, dice, from);
  return sumsOf(dice).has(from - to) ? "way" : "far";
}

function whyNotOff(at: Position, dice: number[], from: number): Why {
  if (dice.reduce((sum, die) => sum + die, 0) < from) return "short";
  return dice.some((die) => die > from || !isClosed(at, from - die)) ? "higher" : "stuck";
}

/** As many dice as possible have to be played; of two of which one can be, the larger one. */
function tooFew(at: Position, dice: number[]): Why {
  const isOne = nextSteps(at, dice).every(
    ({ after, die }) => !nextSteps(after, dice.toSpliced(dice.indexOf(die), 1)).length,
  );
  return isOne && new Set(dice).size === 2 ? "larger" : "both";
}

const isHome = (mine: number[]) => !mine.slice(HOME + 1).some(Boolean);
const isClosed = ({ theirs }: Position, point: number) => point > OFF && point < BAR && theirs[BAR - point] > 1;

/** Whether one checker can go there by some of the dice, whatever becomes of the others. */
function reaches(at: Position, dice: number[], from: number, to: number): boolean {
  return dice.some((die, index) => {
    const after = moved(at, from, die);
    const point = Math.max(OFF, from - die);
    return after && (point === to || (point > to && reaches(after, dice.toSpliced(index, 1), point, to)));
  });
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
    .replaceAll("*", "")
    .split(/[\s,]+/)
    .filter(Boolean)
    .flatMap(singly);
  const bad = words.findIndex((_, index) => !typed(turn, words.slice(0, index + 1).join(" ")));
  const points = /^(b|bar|\d+)(?:\/(bar|off|\d+))?$/.exec(words[bad] ?? "");
  if (!points) return null;
  const [from, to] = points.slice(1).map((name) => ({ b: BAR, bar: BAR, off: OFF })[name] ?? Number(name));
  const before = typed(turn, words.slice(0, bad).join(" ")) ?? turn;
  if (from > BAR || from < 1) return null;
  const hasChecker = positionOf(before).mine[from] > 0;
  return whyNot(before, hasChecker && points[2] ? from : null, hasChecker && points[2] ? to : from);
}

/** A word as its moves: 13/8/5 as 13/8 and 8/5, 6/5(2) as 6/5 twice. */
function singly(word: string): string[] {
  const [, way, times = "1"] = /^(.*?)(?:\(([1-4])\))?$/.exec(word) ?? [];
  const points = way.split("/");
  const moves = points.length > 2 ? points.slice(1).map((to, index) => `${points[index]}/${to}`) : [way];
  return Array<string[]>(Number(times)).fill(moves).flat();
}
