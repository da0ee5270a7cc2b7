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
  by: "House evaluator, up to two rolls ahead.",
  unknownStart: "Nobody here can judge games that begin in this way.",
  rating: "PR",
  luck: "Luck",
  judging: (done: number, all: number) => `Judging: ${done} of ${all}`,
  judgedHere: "Judged in your browser. PR: errors, less is better. Luck: +1 is a game won by dice alone.",
  judges: {
    "the house evaluator": "the house evaluator, 2-ply",
    "the house evaluator at a glance": "the house evaluator, 1-ply",
  },
  forNow: (by: string) => `${by}, for now`,
  judgedThere: (by: string) => `Judged by ${by}. PR: errors, less is better. Luck: +1 is a game won by dice alone.`,
};
