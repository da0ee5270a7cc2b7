/** Texts of matches as rows, in each language. */

const en = {
  judged: (mine: string, theirs: string, luck: string, theirLuck: string, by: string) =>
    `PR ${mine} / ${theirs} · luck ${luck} / ${theirLuck} · judged by ${by}`,
  notJudged: (why: string) => `not judged: ${why}`,
};
const tr: typeof en = {
  judged: (mine, theirs, luck, theirLuck, by) =>
    `PR ${mine} / ${theirs} · şans ${luck} / ${theirLuck} · değerlendiren: ${by}`,
  notJudged: (why) => `değerlendirilmedi: ${why}`,
};

export const PLAYED: Record<string, typeof en> = { en, tr };
