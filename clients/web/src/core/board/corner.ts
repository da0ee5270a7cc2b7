/** A corner of a board, with a few checkers: a design to choose, or a place where there is nothing yet. */
import { drawChecker } from "./checkers.ts";
import { wedge } from "./ground.ts";
import { COLUMN, RADIUS } from "./plan.ts";
import { draw } from "./svg.ts";

const [BASE, TIP] = [120, 18];
export const CORNER = `0 0 ${4 * COLUMN} ${BASE}`;

/** @param sides whose checkers stand there: two on the second point, one on the fourth; "" = none */
export function paintCorner(place: Element, sides: readonly string[]) {
  draw("rect", { class: "field", width: 4 * COLUMN, height: BASE }, place);
  for (const point of [0, 1, 2, 3])
    draw("path", { class: `point ${point % 2 ? "even" : "odd"}`, d: wedge((point + 0.5) * COLUMN, BASE, TIP) }, place);
  sides.forEach((side, index) => {
    const [x, y] = [(index < 2 ? 1.5 : 3.5) * COLUMN, BASE - (index === 1 ? 3 : 1) * RADIUS];
    if (side) drawChecker(place, `piece ${side}`).setAttribute("transform", `translate(${x} ${y})`);
  });
}
