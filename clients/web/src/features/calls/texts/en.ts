/** Texts of tournaments' calls, in English. */

export const en = {
  come: (name: string, round: number) => `${name} calls you: round ${round} begins. You lose it if you do not come.`,
  comeLast: (name: string) => `${name} calls you: the last round begins. You lose it if you do not come.`,
  board: (name: string) => `${name} waits for you at the board.`,
  won: (name: string, round: number, opponent: string) =>
    `${name}: you have won round ${round}: ${opponent} did not come.`,
  lost: (name: string, round: number, opponent: string) =>
    `${name}: you did not come to round ${round}: ${opponent} has won.`,
  bye: (name: string, round: number) => `${name}: you have a bye in round ${round}, which counts as a win.`,
  go: "Play",
  see: "Show",
  close: "Close",
  title: "You are called",
  left: (time: string) => `${time} left`,
};
