/** Texts about matches in files, in English. */

export const en = {
  title: "A match of eXtreme Gammon",
  help: "Choose .xg files, drop them here or paste them. They are read in your browser and sent nowhere.",
  folder: "Or all of a folder",
  found: "Matches in these files",
  nothing: "There is no .xg file among these. The terminal reads other formats.",
  unreadable: (name: string) =>
    `${name} cannot be read: it is no .xg file, or it is damaged. The terminal reads other formats.`,
  cut: (game: number, turn: number) => `Turn ${turn} of game ${game} has a play that is none: read up to there.`,
  unfinished: "The match has no end.",
  judged: (by: string) =>
    `Judged in the file by ${by}. What is ranked and drawn here is seen by your browser: one ply, plays without the cube.`,
};
