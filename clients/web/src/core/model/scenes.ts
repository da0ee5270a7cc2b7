/** Scenes of a match, told from its views in order, each once. Pure. */

import type { Rules } from "../../../../../protocol/tavla.d.ts";
import { notation } from "./notation.ts";
import { onRoll, played } from "./plays.ts";
import { row, type View } from "./view.ts";

export type Move = { seat: number; from: number; to: number };
export type Rows = [number[], number[]];
export type What =
  | "game"
  | "first"
  | "taken"
  | "beavered"
  | "refused"
  | "rolled"
  | "moved"
  | "passed"
  | "missed"
  | "doubled"
  | "resigned"
  | "ended"
  | "asked";
export type Scene = {
  what: What;
  seat: number; // who did it, or is asked
  view: View; // the one that told it
  rows: Rows | null; // how the checkers stand after it; null: nothing to see
  dice: number[]; // of the turn
  last: Move[]; // the steps of the turn so far
  whole: boolean; // whether these are all steps of the turn
  words: string; // the whole turn as players write it, in the numbering of who played
};
/** the last view; the numbers of the last roll and turn told */
export type Told = { view: View; rolled: number; played: number };

export const rowsOf = (view: View): Rows => [Array.from(row(view, 0)), Array.from(row(view, 1))];

/** The steps of a turn as `last` has it: seat, die, die, from, to, ... */
export function stepsOf(turn: number[]) {
  const steps = [];
  for (let i = 3; i < turn.length; i += 2) steps.push([turn[i], turn[i + 1]]);
  return steps;
}

/** Where a turn leads; null: it is not legal. */
export function afterTurn(rows: Rows, rules: Rules, turn: number[]): Rows | null {
  const [seat, ...dice] = turn.slice(0, 3);
  const after = played(onRoll(rows, seat, rules), dice, stepsOf(turn));
  return after && (seat ? [after.theirs, after.mine] : [after.mine, after.theirs]);
}

/** The steps that stay marked: those of the last turn. */
export function lastMoves(view: View): Move[] {
  const turn = view.last.findLast((one) => one.length > 3);
  return turn ? stepsOf(turn).map(([from, to]) => ({ seat: turn[0], from, to })) : [];
}

export function after(rows: Rows, { seat, from, to }: Move): Rows {
  const next: Rows = [rows[0].slice(), rows[1].slice()];
  next[seat][from]--;
  next[seat][to]++;
  if (to && next[1 - seat][25 - to] === 1) {
    next[1 - seat][25 - to] = 0;
    next[1 - seat][25]++;
  }
  return next;
}

/** Of the first view of a match nothing is told: it is just shown. */
export const begin = (view: View): Told => ({
  view,
  rolled: view.rolls,
  played: view.rolls - Number(view.dice.length > 0),
});

/**
 * The number of the last turn that was played: each roll has one, from 1. The last roll of a game that was given up may
 * be unplayed though the view has no dice: sides alternate, so the side of the last turn tells.
 */
function playedBy({ game, rolls, dice, last }: View, { view: before, played }: Told) {
  if (dice.length) return rolls - 1;
  if (before.game !== game) return rolls;
  if (before.outcome || !last.length) return played;
  const isNextSide = last[last.length - 1][0] === before.turn; // that of the turn after `played`
  return rolls - Number(((rolls - played) % 2 === 1) !== isNextSide);
}

/** Scenes of a new view. */
export function narrate(told: Told, now: View): { told: Told; scenes: Scene[] } {
  const { view: before } = told;
  const scenes: Scene[] = [];
  const add = (what: What, seat: number, more?: Partial<Scene>) =>
    scenes.push({ what, seat, view: now, rows: null, dice: [], last: [], whole: true, words: "", ...more });
  const same = before.game === now.game;
  if (!same) add("game", now.turn);
  else answers(before, now, add);
  const played = playedBy(now, told);
  turns(told, now, played, add);
  if (now.offer !== null && (before.offer === null || !same)) add("doubled", now.offer);
  if (now.resignation && !before.resignation) add("resigned", now.resignation[0]);
  if ((now.outcome && !before.outcome) || (now.phase === "over" && before.phase !== "over")) add("ended", now.turn);
  if (now.phase === "roll" && (before.phase !== "roll" || before.turn !== now.turn || !same)) add("asked", now.turn);
  return { told: { view: now, rolled: now.rolls, played }, scenes };
}

function answers(before: View, now: View, add: (what: What, seat: number) => void) {
  const { offer, resignation } = before;
  if (offer !== null && now.cube > before.cube) add(now.offer === null ? "taken" : "beavered", 1 - offer);
  if (resignation && !now.resignation && !now.outcome && now.phase !== "over") add("refused", 1 - resignation[0]);
}

function turns(
  { view: before, rolled, played }: Told,
  now: View,
  nowPlayed: number,
  add: (what: What, seat: number, more: Partial<Scene>) => void,
) {
  const end = rowsOf(now);
  const isNew = before.game !== now.game;
  let rows = isNew ? end : rowsOf(before);
  const first = nowPlayed - now.last.length + 1;
  const known = Math.max(0, played + 1 - first);
  const fresh = now.last.slice(known);
  const shown = fresh.reduce(
    (at, turn) => stepsOf(turn).reduce((on, [from, to]) => after(on, { seat: turn[0], from, to }), at),
    rows,
  );
  const missed = !isNew && (first > played + 1 || `${shown}` !== `${end}`);
  if (missed) add("missed", now.turn, { rows: end });
  fresh.forEach((turn, index) => {
    const [seat] = turn;
    const dice = turn.slice(1, 3);
    if (first + known + index > rolled) add("rolled", seat, { rows: missed ? end : rows, dice });
    const last = stepsOf(turn).map(([from, to]) => ({ seat, from, to }));
    const words = notation(stepsOf(turn), missed || isNew ? [] : rows[1 - seat]);
    last.forEach((move, step) => {
      rows = missed || isNew ? end : after(rows, move);
      add("moved", seat, { rows, dice, last: last.slice(0, step + 1), whole: step + 1 === last.length, words });
    });
    if (!last.length) add("passed", seat, { rows: missed ? end : rows, dice });
  });
  if (now.dice.length && now.rolls > rolled) add("rolled", now.turn, { rows: end, dice: now.dice });
}
