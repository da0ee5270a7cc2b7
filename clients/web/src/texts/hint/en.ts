/** Texts of hints, in English. */

export const en = {
  play: "Play",
  cube: "Cube",
  equity: "Equity",
  win: "Win",
  noPlay: "no move",
  noDouble: "No double",
  doubleTake: "Double, take",
  doubleDrop: "Double, drop",
  take: "Take",
  drop: "Drop",
  by: "House evaluator, one roll ahead.",
  unknownStart: "Nobody here can judge games that begin in this way.",
  failed: "The evaluator could not be loaded.",
};
