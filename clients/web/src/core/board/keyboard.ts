/** Keys: arrows go from point to point, as they lie on the screen; Enter and the space bar tap. */
import { closest } from "../device/closest.ts";
import type { Board } from "./board.ts";
import { beside } from "./plan.ts";
import { zonePoint } from "./pointer.ts";

export function listenToKeyboard(board: Board) {
  board.svg.addEventListener("keydown", (event) => press(board, event));
  board.svg.addEventListener("focusin", (event) => {
    const point = zonePoint(event); // by Tab, or by a screen reader
    if (point >= 0 && point !== board.focused) board.focus(point);
  });
}

function press(board: Board, event: KeyboardEvent) {
  const target = closest(event, "[data-point], .swap");
  if (target && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    event.stopPropagation();
    if (target.matches(".swap")) board.on.dice();
    else board.on.point(zonePoint(event));
    return;
  }
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (!step) return;
  event.preventDefault();
  if (step[1]) board.isTop = step[1] < 0;
  board.focus(beside(board.plan, board.focused, step[0], board.isTop));
}
