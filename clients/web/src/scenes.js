/**
 * What happened in a match, told from its views in order, each thing once. Pure.
 *
 * @import {View} from "./view.js"
 * @typedef {{seat: number, from: number, to: number}} Move
 * @typedef {[number[], number[]]} Rows
 * @typedef {"game" | "taken" | "beavered" | "refused" | "rolled" | "moved" | "passed" | "missed" | "doubled" | "resigned" | "ended" | "asked"} What
 * @typedef {object} Scene
 * @property {What} what
 * @property {number} seat who did it, or is asked
 * @property {View} view the one that told it
 * @property {Rows | null} rows how the checkers stand after it; null: nothing to see
 * @property {number[]} dice of the turn
 * @property {Move[]} last the steps of the turn so far
 * @property {boolean} whole whether these are all steps of the turn
 * @typedef {{view: View, rolled: number, played: number}} Told the last view; the numbers of the last roll and turn told
 */
import { row } from "./view.js";

/** @param {View} view @returns {Rows} */
export const rowsOf = (view) => [Array.from(row(view, 0)), Array.from(row(view, 1))];

/** @param {number} point */
const named = (point) => ({ 25: "bar", 0: "off" })[point] ?? String(point);

/** A turn as players write it. @param {number[][]} steps */
export const notation = (steps) => steps.map(([from, to]) => `${named(from)}/${named(to)}`).join(" ");

/** The steps of a turn as `last` has it: seat, die, die, from, to, ... @param {number[]} turn */
export function stepsOf(turn) {
  const steps = [];
  for (let i = 3; i < turn.length; i += 2) steps.push([turn[i], turn[i + 1]]);
  return steps;
}

/** The steps that stay marked: those of the last turn. @param {View} view @returns {Move[]} */
export function lastMoves(view) {
  const turn = view.last.findLast((one) => one.length > 3);
  return turn ? stepsOf(turn).map(([from, to]) => ({ seat: turn[0], from, to })) : [];
}

/** @param {Rows} rows @param {Move} move @returns {Rows} */
export function after(rows, { seat, from, to }) {
  const next = /** @type {Rows} */ ([rows[0].slice(), rows[1].slice()]);
  next[seat][from]--;
  next[seat][to]++;
  if (to && next[1 - seat][25 - to] === 1) {
    next[1 - seat][25 - to] = 0;
    next[1 - seat][25]++;
  }
  return next;
}

/** The number of the last turn that was played: each roll has one, from 1. @param {View} view */
const playedBy = (view) => view.rolls - (view.dice.length ? 1 : 0);

/** Of the first view of a match nothing is told: it is just shown. @param {View} view @returns {Told} */
export const begin = (view) => ({ view, rolled: view.rolls, played: playedBy(view) });

/** What a new view tells. @param {Told} told @param {View} now @returns {{told: Told, scenes: Scene[]}} */
export function tell(told, now) {
  const { view: before } = told;
  /** @type {Scene[]} */
  const scenes = [];
  /** @param {What} what @param {number} seat @param {Partial<Scene>} [more] */
  const add = (what, seat, more) => scenes.push({ what, seat, view: now, rows: null, dice: [], last: [], whole: true, ...more });
  const same = before.game === now.game;
  if (!same) add("game", now.turn);
  else answers(before, now, add);
  turns(told, now, add);
  if (now.offer !== null && (before.offer === null || !same)) add("doubled", now.offer);
  if (now.resignation && !before.resignation) add("resigned", now.resignation[0]);
  if ((now.outcome && !before.outcome) || (now.phase === "over" && before.phase !== "over")) add("ended", now.turn);
  if (now.phase === "roll" && (before.phase !== "roll" || before.turn !== now.turn || !same)) add("asked", now.turn);
  return { told: { view: now, rolled: now.rolls, played: playedBy(now) }, scenes };
}

/** @param {View} before @param {View} now @param {(what: What, seat: number) => void} add */
function answers(before, now, add) {
  const { offer, resignation } = before;
  if (offer !== null && now.cube > before.cube) add(now.offer === null ? "taken" : "beavered", 1 - offer);
  if (resignation && !now.resignation && !now.outcome && now.phase !== "over") add("refused", 1 - resignation[0]);
}

/** @param {Told} told @param {View} now @param {(what: What, seat: number, more: Partial<Scene>) => void} add */
function turns({ view: before, rolled, played }, now, add) {
  const end = rowsOf(now);
  const isNew = before.game !== now.game;
  let rows = isNew ? end : rowsOf(before);
  const first = playedBy(now) - now.last.length + 1;
  const known = `${before.last}` === `${now.last}` && now.outcome ? now.last.length : Math.max(0, played + 1 - first);
  const fresh = now.last.slice(known);
  const shown = fresh.reduce((at, turn) => stepsOf(turn).reduce((on, [from, to]) => after(on, { seat: turn[0], from, to }), at), rows);
  const missed = !isNew && `${shown}` !== `${end}`;
  if (missed) add("missed", now.turn, { rows: end });
  fresh.forEach((turn, index) => {
    const [seat] = turn;
    const dice = turn.slice(1, 3);
    if (first + known + index > rolled) add("rolled", seat, { rows: missed ? end : rows, dice });
    const last = stepsOf(turn).map(([from, to]) => ({ seat, from, to }));
    last.forEach((move, step) => {
      rows = missed || isNew ? end : after(rows, move);
      add("moved", seat, { rows, dice, last: last.slice(0, step + 1), whole: step + 1 === last.length });
    });
    if (!last.length) add("passed", seat, { rows: missed ? end : rows, dice });
  });
  if (now.dice.length && now.rolls > rolled) add("rolled", now.turn, { rows: end, dice: now.dice });
}
