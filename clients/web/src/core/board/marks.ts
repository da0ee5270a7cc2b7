/** Marks on the board: where checkers may go, where the last turn went, hints, and the numbers of high stacks. */
import type { Board } from "./board.ts";
import type { Picture } from "./picture.ts";
import { BAR, markOf, OFF, RADIUS, spot } from "./plan.ts";
import { draw } from "./svg.ts";

/** Numbers on points with more checkers than can be told at a glance. */
export function showCounts(board: Board, { mine, theirs }: Picture) {
  const high = [mine, theirs].map((counts) => Array.from(counts, (count) => (count < 6 ? 0 : count)));
  if (!board.changes(board.counts, high)) return;
  board.counts.replaceChildren();
  high.forEach((counts, side) => {
    for (let point = 1; point <= BAR; point++) {
      const count = counts[point];
      if (!count) continue;
      const [x, y] = spot(board.plan, !side, point, count - 1, count);
      const label = draw("text", { class: `count ${side ? "theirs" : "mine"}`, x, y: y + 7 }, board.counts);
      label.textContent = String(count);
    }
  });
}

export function showMarks(board: Board, { last, targets, mine, theirs, diceMine }: Picture) {
  if (!board.changes(board.marks, [last, [...targets], targets.size && [diceMine, mine, theirs]])) return;
  board.marks.replaceChildren();
  for (const label of Object.values(board.numbers)) label.classList.remove("left", "reached");
  for (const { from, to, mine: isMine } of last) {
    numberOf(board, from, isMine)?.classList.add("left");
    numberOf(board, to, isMine)?.classList.add("reached");
  }
  for (const point of targets) {
    const [x, y] = markOf(board.plan, diceMine, diceMine ? mine : theirs, point);
    const flat = point === OFF ? " scale(1 0.27)" : "";
    const ghost = draw("g", { class: "target", transform: `translate(${x} ${y})${flat}` }, board.marks);
    draw("circle", { r: RADIUS - 1 }, ghost);
  }
}

/** The number of a point on the edge. @param mine in whose numbering */
function numberOf({ numbers }: Board, point: number, mine: boolean) {
  return point === OFF || point === BAR ? undefined : numbers[mine ? point : 25 - point];
}

export function showArrows(board: Board, { arrows, mine, theirs }: Picture) {
  if (!board.changes(board.hints, arrows.length && [arrows, mine, theirs])) return;
  board.hints.replaceChildren();
  const at = (point: number, more: number) => {
    const count = point === OFF ? 0 : mine[point] + (point < BAR ? theirs[25 - point] : 0) + more;
    return spot(board.plan, true, point, Math.max(0, count - 1), Math.max(1, count));
  };
  const half = board.plan.height / 2;
  for (const [from, to] of arrows) {
    const [[x1, y1], [x2, y2]] = [at(from, 0), at(to, 1)];
    const bend = half + ((y1 + y2) / 2 - half) * 0.45;
    draw("path", { class: "hint", d: `M${x1} ${y1} Q${(x1 + x2) / 2} ${bend} ${x2} ${y2}` }, board.hints);
    const angle = Math.atan2(y2 - bend, x2 - (x1 + x2) / 2) * (180 / Math.PI);
    const transform = `translate(${x2} ${y2}) rotate(${angle})`;
    draw("path", { class: "tip", d: "M4 0L-12 -8V8Z", transform }, board.hints);
  }
}
