/** Number of positions answered right in a row, each at the first try. Pure. */

/** done: the positions that were answered, the newest first. */
export type Streak = { right: number; done: string[] };

const KEPT = 300; // positions that are not asked again

export const NONE: Streak = { right: 0, done: [] };

/** After an answer; one that is not the first changes nothing. */
export function after(streak: Streak, key: string, isRight: boolean): Streak {
  if (streak.done.includes(key)) return streak;
  return { right: isRight ? streak.right + 1 : 0, done: [key, ...streak.done].slice(0, KEPT) };
}
