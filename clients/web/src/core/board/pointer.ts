/** Taps and drags. */
import { closest } from "../device/closest.ts";
import type { Board } from "./board.ts";
import { pointAt } from "./plan.ts";
import { draw } from "./svg.ts";

const DRAG = 6; // pixels: less is a tap

export function listenToPointer(board: Board) {
  board.svg.addEventListener("click", (event) => {
    if (board.dragged) return;
    if (closest(event, ".dice.swap, .blanks")) return board.on.dice();
    if (closest(event, ".cube.taps")) return board.on.cube();
    const point = zonePoint(event);
    if (point >= 0) board.on.point(point);
  });
  board.svg.addEventListener("pointerdown", (event) => grab(board, event));
  // The finger with a checker scrolls nothing. As a style, this would have all of the board styled anew with each turn.
  board.svg.addEventListener("touchmove", (event) => board.grabbed && event.preventDefault(), { passive: false });
}

/** The point in whose zone something happened; -1 = none. */
export const zonePoint = (event: Event) => Number(closest(event, "[data-point]")?.getAttribute("data-point") ?? -1);

function grab(board: Board, down: PointerEvent) {
  const { svg } = board;
  if (board.grabbed) return;
  board.dragged = false;
  board.on.touch();
  const from = zonePoint(down);
  if (from < 0 || down.button || !board.picture?.sources.has(from)) return;
  const moving = board.checkers.top(from, board.picture.diceMine);
  if (!moving) return;
  const toScreen = svg.getScreenCTM(); // asked for with each move, all would be laid out anew
  const { left, top } = board.root.getBoundingClientRect();
  const flipped = svg.classList.contains("flipped") ? "flipped" : "";
  const hand = draw("svg", { class: `hand ${flipped}`, width: toScreen?.a ?? 1, viewBox: "0 0 1 1" });
  let at = down; // where the pointer was last
  const isSame = (event: Event) => !(event instanceof PointerEvent) || event.pointerId === down.pointerId;
  const drag = (move: PointerEvent) => {
    if (!isSame(move)) return;
    if (move.buttons !== down.buttons) return end(move); // a second one is pressed, or the first was let go outside
    if (!board.dragged) {
      if (Math.hypot(move.clientX - down.clientX, move.clientY - down.clientY) < DRAG || !board.on.pick(from)) return;
      board.dragged = true;
      svg.setPointerCapture(down.pointerId);
      const copy = draw("g", { class: `${moving.element.classList}` }, hand);
      copy.append(...Array.from(moving.element.children, (part) => part.cloneNode()));
      board.root.append(hand);
      moving.element.classList.add("held");
    }
    at = move;
    hand.style.transform = `translate(${move.clientX - left}px, ${move.clientY - top}px)`;
  };
  const end = (event: Event) => {
    if (!isSame(event)) return;
    listening.abort();
    board.grabbed = false;
    if (!board.dragged) return;
    const isDone = event instanceof PointerEvent && event.type === "pointerup";
    if (isDone) at = event;
    hand.remove();
    moving.element.classList.remove("held");
    const { x, y } = new DOMPoint(at.clientX, at.clientY).matrixTransform(toScreen?.inverse());
    moving.at = `translate(${x}px, ${y}px) scale(1, 1)`;
    board.on.drop(from, isDone ? pointAt(board.plan, x, y) : from);
    setTimeout(() => (board.dragged = false)); // after the click that follows
  };
  const listening = new AbortController();
  const { signal } = listening;
  board.grabbed = true;
  svg.addEventListener("pointermove", drag, { signal });
  svg.addEventListener("pointerup", end, { signal });
  svg.addEventListener("pointercancel", end, { signal });
  svg.addEventListener("lostpointercapture", (event) => event.target === svg && end(event), { signal }); // not a finger's own
  addEventListener("blur", end, { signal });
}
