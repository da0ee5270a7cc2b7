/** Stakes of a game at the score of a match. Pure. */

import type { Rules } from "../../../../../protocol/tavla.d.ts";
import type { Stakes } from "../evaluator/cube.ts";
import { limit, type State } from "./record.ts";

/** Stakes of a seat. owner: of the cube; -1 = none. */
type At = { score: number[]; cube: { value: number; owner: number } };
export function stakesOf({ score, cube }: At, rules: Rules, seat: number): Stakes {
  const { length = 7, cube: isOn = true, backgammons = true, variant = "standard" } = rules;
  const isNear = length > 0 && Math.max(...score) === length - 1; // the Crawford game, or one after it
  return {
    away: length ? [length - score[seat], length - score[1 - seat]] : null,
    cube: cube.value,
    holder: cube.owner < 0 ? 0 : cube.owner === seat ? 1 : -1,
    cap: isOn ? limit(rules) : 1,
    crawfordDone: !rules.crawford || isNear,
    jacoby: Boolean(rules.jacoby) && cube.owner < 0,
    backgammons,
    variant,
  };
}

export const isOff = (row: number[]) => row.every((count, point) => !count || point === 0);

/** Kind of win, 1 to 3, of bearing off against these checkers. */
export const lossKind = (loser: number[]) => (loser[0] ? 1 : loser.some((count, point) => count && point > 18) ? 3 : 2);

type Doubler = At & Pick<State, "crawford" | "rows">;

/** Whether this seat may double now. */
export function mayDouble({ cube, crawford, score, rows }: Doubler, rules: Rules, seat: number) {
  const { cube: isOn = true, length = 7 } = rules;
  const isDead = length && cube.value >= length - score[seat];
  return isOn && !crawford && cube.value < limit(rules) && cube.owner !== 1 - seat && !isDead && !isOff(rows[1 - seat]);
}
