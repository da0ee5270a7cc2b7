/** Texts of matches as rows, in each language. */

const en = {
  title: "Matches played",
  heads: ["Result", "Opponent", "Rating", "PR", "Luck", "Proof"],
  proof: "Dice",
  judged: (mine: string, theirs: string, luck: string, theirLuck: string, by: string) =>
    `PR ${mine} / ${theirs} · luck ${luck} / ${theirLuck} · judged by ${by}`,
  notJudged: (why: string) => `not judged: ${why}`,
};
const tr: typeof en = {
  title: "Oynanan maçlar",
  heads: ["Sonuç", "Rakip", "Puan", "PR", "Şans", "Kanıt"],
  proof: "Zarlar",
  judged: (mine, theirs, luck, theirLuck, by) =>
    `PR ${mine} / ${theirs} · şans ${luck} / ${theirLuck} · değerlendiren: ${by}`,
  notJudged: (why) => `değerlendirilmedi: ${why}`,
};

export const PLAYED: Record<string, typeof en> = { en, tr };
