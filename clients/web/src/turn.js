/**
 * A turn that is being made: steps that can be taken back, until Done sends them. Pure; each change is a new value.
 *
 * @import {Position, Step} from "./plays.js"
 * @import {View} from "./view.js"
 * @typedef {{key: string, base: Position, dice: number[], steps: Step[]}} Turn
 */
import { diceOf, heldBy, moved, nextSteps, targets } from "./plays.js";
import { row } from "./view.js";

/** The turn that a view asks for; the one before, half made, if it is the same. @param {View} view @param {number} seat @param {Turn | null} before @returns {Turn} */
export function turnOf(view, seat, before) {
  const key = `${view.game}:${view.rolls}:${view.dice}:${view.points}`;
  if (before?.key === key) return before;
  const base = { mine: Array.from(row(view, seat)), theirs: Array.from(row(view, 1 - seat)), held: heldBy(view.rules) };
  return { key, base, dice: diceOf([...view.dice].sort((a, b) => b - a)), steps: [] };
}

/** Where the checkers stand after the steps so far. @param {Turn} turn @returns {Position} */
export function position({ base, steps }) {
  return steps.reduce((at, { from, die }) => moved(at, from, die) ?? at, base);
}

/** The dice that are left, the one to be used first in front. @param {Turn} turn */
export function left({ dice, steps }) {
  const rest = [...dice];
  for (const { die } of steps) rest.splice(rest.indexOf(die), 1);
  return rest;
}

/** The points from which a step may be made. @param {Turn} turn */
export const sources = (turn) => new Set(nextSteps(position(turn), left(turn)).map((step) => step.from));

/** Where the checker on a point may go. @param {Turn} turn @param {number} from */
export const goals = (turn, from) => targets(position(turn), left(turn), from);

/** Whether nothing more can be played, so that it may be sent. @param {Turn} turn */
export const isDone = (turn) => !nextSteps(position(turn), left(turn)).length;

/** @param {Turn} turn @param {Step[]} steps @returns {Turn} */
export const play = (turn, steps) => ({ ...turn, steps: [...turn.steps, ...steps] });

/** Take back the last step. @param {Turn} turn @returns {Turn} */
export const undo = (turn) => ({ ...turn, steps: turn.steps.slice(0, -1) });

/** The other die first. @param {Turn} turn @returns {Turn} */
export const swap = (turn) => ({ ...turn, dice: [...turn.dice].reverse() });

/** The steps as the protocol wants them. @param {Turn} turn @returns {[number, number][]} */
export const movesOf = (turn) => turn.steps.map(({ from, to }) => [from, to]);

/**
 * A typed turn: `8/5 6/5`, `bar/22`, `13/8(2)`, `6/off`, `24/18/13`.
 * @param {Turn} turn
 * @param {string} text
 * @returns {Turn | null} null when it cannot be read or is not allowed
 */
export function typed(turn, text) {
  for (const word of text.toLowerCase().split(/[\s,]+/).filter(Boolean)) {
    const found = /^((?:bar|off|\d+)(?:\*?\/(?:bar|off|\d+))+)\*?(?:\((\d)\))?$/.exec(word);
    if (!found) return null;
    const points = found[1].replaceAll("*", "").split("/").map((name) => ({ bar: 25, off: 0 })[name] ?? Number(name));
    for (let times = Number(found[2] ?? 1); times > 0; times--) {
      for (let i = 1; i < points.length; i++) {
        const way = goals(turn, points[i - 1]).get(points[i]);
        if (!way) return null;
        turn = play(turn, way);
      }
    }
  }
  return turn;
}
