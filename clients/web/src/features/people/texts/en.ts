/** Texts of friends and reports, in English. */

export const en = {
  friends: "Friends",
  nobody: "You follow nobody yet.",
  whom: "Follow a player",
  follow: "Follow",
  unfollow: "Unfollow",
  unfollowName: (name: string) => `Unfollow ${name}`,
  here: "is here",
  away: "is away",
  shy: "does not want to be followed",
  followers: "Others may follow me",
  secret: "Nobody is told who follows whom.",
  came: (name: string) => `${name} is here.`,
  plays: (name: string, opponent: string) => `${name} plays ${opponent}.`,
  opened: (name: string) => `${name} has opened a table.`,
  ownPlay: "How you play",
  judged: (matches: number, decisions: number, by: string) =>
    `${matches} rated matches, ${decisions} decisions, by ${by}`,
  hard: (right: number, hard: number, hardS: string, othersS: string) =>
    `Hard plays: ${right} of ${hard} as the judge; ${hardS} s for one, ${othersS} s for another`,
  met: "Most with:",
  puzzles: (rating: number) => `Puzzles ${rating}`,
  errors: "What has cost, and where",
  errorHeads: ["Where", "Decisions", "PR", "Lost", "Costliest"],
  whats: {
    play: "Plays",
    double: "Doubles",
    take: "Takes",
    opening: "Opening",
    "middle game": "Middle game",
    race: "Race",
    "bear-off": "Bear-off",
  },
  noVerdict: "Only you and moderators see this. The best people are at a PR of 3, and take longer over hard plays.",
  reportWhy: "What has happened?",
  reported: "The moderators have been told. Thank you.",
};
