/** Answers to positions: how many were right in a row, and when own mistakes come back. Pure. */

/**
 * done: the positions that were answered, the newest first. again: own mistakes that come back, by key: the place in
 * DAYS, and the day on which it is due (since 1970).
 */
export type Streak = { right: number; done: string[]; again: Record<string, [step: number, day: number]> };

const KEPT = 300; // positions that are not asked again, and own mistakes that are
const DAYS = [1, 3, 10, 30]; // the next number after a right answer, the first after a wrong one

export const NONE: Streak = { right: 0, done: [], again: {} };

/** Whether a position was never answered, or is due. */
export const asks = ({ done, again }: Streak, key: string, today: number) =>
  key in again ? again[key][1] <= today : !done.includes(key);

/** Own mistakes that are due. */
export const due = ({ again }: Streak, today: number) => Object.keys(again).filter((key) => again[key][1] <= today);

/** After an answer; one that was not asked for changes nothing, and only a first one counts. */
export function after(streak: Streak, key: string, isRight: boolean, today: number, comesBack = false): Streak {
  if (!asks(streak, key, today)) return streak;
  const { [key]: was, ...others } = streak.again;
  const step = was && isRight ? was[0] + 1 : 0;
  const back = comesBack && step < DAYS.length ? { [key]: [step, today + DAYS[step]] as [number, number] } : {};
  const again = Object.fromEntries(Object.entries({ ...others, ...back }).slice(-KEPT));
  if (was) return { ...streak, again };
  return { right: isRight ? streak.right + 1 : 0, done: [key, ...streak.done].slice(0, KEPT), again };
}
