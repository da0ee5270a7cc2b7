/** Texts about one's collection, in English. */

export const en = {
  title: "Your collection",
  help: "Matches in files that you keep here: the server judges them, and nobody else sees them.",
  none: "You keep no match yet: open a file below, and keep it.",
  heads: ["Match", "Score", "PR", "Luck", ""],
  waits: "waits for the judge",
  keep: (count: number) => (count === 1 ? "Keep in your collection" : `Keep these ${count} matches`),
  you: "You are",
  neither: "neither of them",
  keeping: (done: number, all: number) => `Kept: ${done} of ${all}`,
  tooLong: "This match is too long to be kept.",
  account: "With an account, the server keeps such matches for you and judges them.",
  toIt: "To your collection",
  discard: "Discard",
  discardThis: (players: string) => `Discard ${players}`,
  forGood: "The match and what the judge has found of it go for good. Your file stays.",
  cancel: "Keep it",
};
