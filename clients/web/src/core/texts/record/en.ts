/** What is wrong with a record, or is proved by it, in English. */

export const en = {
  faultOrder: (number: number) =>
    `What the record tells after roll ${number} cannot follow: a roll without its play, out of turn, or too many.`,
  faultTold: (made: number, told: number) => `${made} rolls were made; the record tells of ${told}.`,
  faultDiffers: (number: number) => `The record tells of roll ${number} otherwise than it was shown.`,
  faultFalls: (seq: number, before: number) => `The numbers of the entries fall: ${seq} stands behind ${before}.`,
  faultBehind: (what: string) => `${what} stands behind the end of the match.`,
  faultRuling: "A ruling stands behind the end of the match, and rules nothing.",
  faultFlag: (name: string, left: string) => `${name} loses on time with ${left} left by the times of the record.`,
  soundRolls: (rolls: number) =>
    `${rolls === 1 ? "The one roll follows" : `All ${rolls} rolls follow`} from the seeds committed to before the match, in order, and every play is legal.`,
  notOver: "The dice can be checked when the match is over.",
};
