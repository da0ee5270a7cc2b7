/** A game that goes on from a position, without a server: what a decision leads to, and how it ends. Pure. */

import type { Decision } from "../../../core/model/decisions.ts";
import type { Position } from "../../../core/model/plays.ts";
import type { Rows } from "../../../core/model/scenes.ts";
import { isOff, lossKind } from "../../../core/model/stakes.ts";
import type { Setup } from "./setup.ts";

/** kind: 1 to 3, a single game to a backgammon; points: what it counts. */
export type End = { winner: number; kind: number; points: number };

/** The first game of a match. @param length 0 = money */
export const matchOf = (start: Setup, length: number): Setup => ({
  ...start,
  length,
  isJacoby: !length,
  cap: length === 1 ? 1 : start.cap,
});

/** The next game, at its start; null: the match is over. @param before its games. @param setup of the game that ended */
export function nextGame(before: Setup, { score: old, length }: Setup, winner: number, points: number): Setup | null {
  const score: [number, number] = [...old];
  score[winner] += points;
  const [most, was] = [score, old].map((one) => Math.max(...one));
  if (length && most >= length) return null;
  return { ...before, score, isCrawford: length > 1 && most === length - 1 && was < most };
}

/** After a turn the other one is to roll. */
export function afterTurn(setup: Setup, { mine, theirs }: Position): Setup {
  const { seat } = setup;
  const rows: Rows = seat ? [theirs, mine] : [mine, theirs];
  return { ...setup, rows, seat: 1 - seat, dice: [] };
}

/** After a word about the cube; null: the double was dropped. */
export function afterCube(setup: Setup, { what, seat }: Decision, done: boolean): Setup | null {
  if (what === "double") return { ...setup, isOffered: done };
  return done ? { ...setup, isOffered: false, cube: 2 * setup.cube, owner: seat } : null;
}

/** The end of a game; null: it goes on. */
export function endOf({ rows, cube, owner, isJacoby }: Setup): End | null {
  const winner = rows.findIndex(isOff);
  if (winner < 0) return null;
  const kind = isJacoby && owner < 0 ? 1 : lossKind(rows[1 - winner]);
  return { winner, kind, points: kind * cube };
}
