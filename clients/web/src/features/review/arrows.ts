/** Plays as arrows on a board: one checker's way each. */

import type { Board } from "../../core/board/board.ts";
import { spot } from "../../core/board/plan.ts";
import { draw } from "../../core/board/svg.ts";

type Way = [from: number, to: number];

/** The ways of whole checkers: steps of the same one are joined. */
function waysOf(moves: Way[]): Way[] {
  const ways: Way[] = [];
  for (const [from, to] of [...moves].sort(([a], [b]) => b - a)) {
    const before = ways.find((way) => way[1] === from);
    if (before) before[1] = to;
    else ways.push([from, to]);
  }
  return ways;
}

/** Draws them above the checkers. @param isMine whether the player at the bottom makes this play */
export function drawArrows(board: Board, plays: { kind: string; moves: Way[] }[], isMine: boolean) {
  board.svg.querySelector(".ways")?.remove();
  const { picture } = board;
  if (!picture) return;
  const group = draw("g", { class: "ways", "aria-hidden": "true" }, board.svg);
  const own = isMine ? picture.mine : picture.theirs;
  for (const { kind, moves } of plays) {
    const taken = new Map<number, number>();
    const place = (point: number, isEnd: boolean): [number, number] => {
      const used = taken.get(isEnd ? point : point + 100) ?? 0;
      taken.set(isEnd ? point : point + 100, used + 1);
      const there = own[point];
      const slot = isEnd ? there + used : Math.max(0, there - 1 - used);
      return spot(board.plan, isMine, point, slot, Math.max(there + (isEnd ? used + 1 : 0), 1));
    };
    for (const [from, to] of waysOf(moves)) arrow(group, kind, place(from, false), place(to, true), board.plan.height);
  }
}

/** An arrow that bends to the middle of the board; kinds lie side by side. */
export function arrow(
  group: Element,
  kind: string,
  [x1, y1]: [number, number],
  [x2, y2]: [number, number],
  height: number,
) {
  const bend = height / 2 + ((y1 + y2) / 2 - height / 2) * (kind === "best" ? 0.5 : 0.75);
  const middle = (x1 + x2) / 2 + (x1 === x2 ? 40 : 0);
  const length = Math.hypot(x2 - middle, y2 - bend) || 1;
  const [dx, dy] = [(x2 - middle) / length, (y2 - bend) / length];
  const [endX, endY] = [x2 - 10 * dx, y2 - 10 * dy];
  const d = `M${x1} ${y1}Q${middle} ${bend} ${endX} ${endY}`;
  const one = draw("g", { class: `way ${kind}` }, group);
  draw("path", { class: "halo", d }, one);
  draw("path", { class: "line", d }, one);
  draw("circle", { cx: x1, cy: y1, r: 6 }, one);
  const turn = (Math.atan2(dy, dx) * 180) / Math.PI;
  draw("path", { class: "head", d: "M13 0L-9 -11V11Z", transform: `translate(${endX} ${endY}) rotate(${turn})` }, one);
}
