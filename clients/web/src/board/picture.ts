/** Picture of a board. Points are in the numbering of the player at the bottom: 1 to 24, 25 = bar, 0 = off. */

export type Die = {
  value: number;
  used: boolean;
};
export type Picture = {
  mine: ArrayLike<number>; // 26 counts of the player at the bottom, in that player's own numbering
  theirs: ArrayLike<number>; // 26 counts of the other one, in the other's numbering
  colour: 0 | 1; // of the player at the bottom: 0 = white
  dice: Die[]; // in the order in which they are used
  diceMine: boolean; // whose dice they are
  cube: { value: number; place: "mine" | "theirs" | "middle" | "offered by me" | "offered to me" } | null;
  sources: Set<number>; // points from which a checker may be moved
  chosen: number | null; // the point whose checker is to be moved
  targets: Set<number>; // where it may go
  last: { from: number; to: number; mine: boolean }[]; // the steps to be marked
  arrows: [number, number][]; // hints: steps that may be made
  cubeText: string; // the cube in words
  canSwap: boolean; // whether the dice may be swapped
  past: { dice: number[]; mine: boolean } | null; // the dice of the turn before, where there are none yet
};

const none = new Set<number>();
/** Picture of a board on which nothing is to be done. */
export const STILL: Omit<Picture, "mine" | "theirs"> = {
  colour: 0,
  dice: [],
  diceMine: true,
  cube: null,
  last: [],
  sources: none,
  targets: none,
  chosen: null,
  canSwap: false,
  past: null,
  arrows: [],
  cubeText: "",
};
