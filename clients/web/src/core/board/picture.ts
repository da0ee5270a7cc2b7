/** Picture of a board. Points are in the numbering of the player at the bottom: 1 to 24, 25 = bar, 0 = off. */

import { lookUp, text } from "../texts/text.ts";

export type Die = {
  value: number;
  used: boolean;
};
export type Cube = {
  value: number;
  place: "mine" | "theirs" | "middle" | "offered by me" | "offered to me";
};

const none = new Set<number>();
/** Picture of a board on which nothing is to be done, but for its checkers. */
export const STILL = {
  colour: 0 as 0 | 1, // of the player at the bottom: 0 = white
  dice: [] as Die[], // in the order in which they are used
  diceMine: true, // whose dice they are, and who is to move
  cube: null as Cube | null,
  sources: none, // points from which a checker may be moved
  chosen: null as number | null, // the point whose checker is to be moved
  targets: none, // where it may go
  last: [] as { from: number; to: number; mine: boolean }[], // the steps to be marked
  arrows: [] as [number, number][], // hints: steps that may be made
  canSwap: false, // whether the dice may be swapped
  mayRoll: false, // whether blank dice lie there, to be tapped
  mayDouble: false, // whether the cube may be tapped
  past: null as { dice: number[]; mine: boolean } | null, // the dice of the turn before, where there are none yet
};
export type Picture = typeof STILL & {
  mine: ArrayLike<number>; // 26 counts of the player at the bottom, in that player's own numbering
  theirs: ArrayLike<number>; // 26 counts of the other one, in the other's numbering
};

/** The cube, in words; "" = there is none. */
export const cubeWords = (cube: Cube | null) =>
  cube ? text.cube(cube.value, lookUp(text.cubeOwners, cube.place.split(" ")[0]) ?? "") : "";

/** The cube as the seat at the bottom sees it. owner, offer: seats, -1 = none. value: before an offer is taken */
export function cubeAt(bottom: number, value: number, owner: number, offer: number): Cube {
  if (offer >= 0) return { value: 2 * value, place: offer === bottom ? "offered by me" : "offered to me" };
  return { value, place: owner < 0 ? "middle" : owner === bottom ? "mine" : "theirs" };
}
