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
  reportWhy: "What has happened?",
  reported: "The moderators have been told. Thank you.",
};
