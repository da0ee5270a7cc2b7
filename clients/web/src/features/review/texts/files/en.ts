/** Texts about matches in files, in English. */

export const en = {
  title: "Matches of any program",
  help: "Choose .xg, .bgf, .mat, .sgf, .ogxm or .json files, drop them here or paste them, or a text with positions. They are read in your browser, and sent nowhere until you keep one.",
  folder: "Or all of a folder",
  found: "Matches in these files",
  positions: "Positions in them",
  pasted: "What was pasted",
  nothing: "There is no match among these: files should end in .xg, .bgf, .mat, .sgf, .ogxm or .json.",
  unreadable: (name: string) =>
    `${name} cannot be read: it is damaged, or of another format. In the terminal, tavla replay FILE reads more, or says what is wrong.`,
  more: "Another match follows in the file: the first one is read.",
  cut: (game: number, turn: number) => `Turn ${turn} of game ${game} has a play that is none: read up to there.`,
  unfinished: "The match has no end.",
  judged: (by: string) =>
    `Judged in the file by ${by}. What is ranked and drawn here is seen by your browser: one ply, plays without the cube.`,
};
