/**
 * What happened between two views, in order: the turns in `last`, step by step. Pure.
 *
 * @import {View} from "./view.js"
 * @typedef {{seat: number, from: number, to: number}} Move
 * @typedef {{rows: [number[], number[]], dice: number[], roller: number, last: Move[], words: string}} Scene
 */
import { text } from "./text.js";
import { row } from "./view.js";

/** @param {View} view @returns {[number[], number[]]} */
export const rowsOf = (view) => [Array.from(row(view, 0)), Array.from(row(view, 1))];

/** @param {number} point */
const named = (point) => ({ 25: "bar", 0: "off" })[point] ?? String(point);

/** A turn in words. @param {number[][]} steps */
export const notation = (steps) => steps.map(([from, to]) => `${named(from)}/${named(to)}`).join(" ");

/** The steps of a turn as `last` has it: seat, die, die, from, to, ... @param {number[]} turn */
export function stepsOf(turn) {
  const steps = [];
  for (let i = 3; i < turn.length; i += 2) steps.push([turn[i], turn[i + 1]]);
  return steps;
}

/** @param {[number[], number[]]} rows @param {Move} move @returns {[number[], number[]]} */
function after(rows, { seat, from, to }) {
  const next = /** @type {[number[], number[]]} */ ([rows[0].slice(), rows[1].slice()]);
  next[seat][from]--;
  next[seat][to]++;
  if (to && next[1 - seat][25 - to] === 1) {
    next[1 - seat][25 - to] = 0;
    next[1 - seat][25]++;
  }
  return next;
}

/**
 * @param {View} before
 * @param {View} now
 * @param {(seat: number) => string} nameOf
 * @returns {Scene[]}
 */
export function scenes(before, now, nameOf) {
  /** @type {Scene[]} */
  const found = [];
  let rows = rowsOf(before);
  const isNew = before.rolls !== now.rolls || before.phase === "move";
  if (isNew && before.game === now.game) {
    for (const turn of now.last) {
      const [seat, ...dice] = turn;
      const steps = stepsOf(turn);
      const roll = dice.slice(0, 2);
      found.push({ rows, dice: roll, roller: seat, last: [], words: text.rolled(nameOf(seat), roll) });
      /** @type {Move[]} */
      const last = [];
      for (const [from, to] of steps) {
        last.push({ seat, from, to });
        rows = after(rows, { seat, from, to });
        found.push({ rows, dice: roll, roller: seat, last: [...last], words: "" });
      }
      found[found.length - 1].words += ` ${steps.length ? text.played(nameOf(seat), notation(steps)) : text.passed(nameOf(seat))}`;
    }
  }
  if (`${rows}` !== `${rowsOf(now)}`) return []; // more was missed than `last` tells: just show it
  return found;
}

/** The steps that stay marked: those of the last turn. @param {View} view @returns {Move[]} */
export function lastMoves(view) {
  const turn = view.last.findLast((one) => one.length > 3);
  return turn ? stepsOf(turn).map(([from, to]) => ({ seat: turn[0], from, to })) : [];
}
