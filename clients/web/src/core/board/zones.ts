/** The zones: for each point what is tapped, focused and read aloud. */
import { text } from "../texts/text.ts";
import type { Board } from "./board.ts";
import { cubeWords, type Picture } from "./picture.ts";
import { across, BAR, COLUMN, middle, OFF } from "./plan.ts";
import { draw } from "./svg.ts";

/** @returns the zone of each point */
export function makeZones({ plan, zones, focused }: Board) {
  zones.replaceChildren();
  const made = [];
  for (let point = 0; point <= BAR; point++) {
    const tabindex = point === focused ? 0 : -1;
    const zone = draw("g", { role: "button", tabindex, "data-point": point }, zones);
    const half = point % BAR ? plan.height / 2 : 0; // bar and tray are both players'
    const height = plan.height - half;
    const [x, y] = [middle(plan, point) - COLUMN / 2, point > 12 ? 0 : half];
    draw("rect", { class: "zone", x, y, width: COLUMN, height }, zone);
    draw("rect", { class: "ring", x: x + 2, y: y + 2, width: COLUMN - 4, height: height - 4, rx: 8 }, zone);
    made.push({ zone, title: point === OFF ? draw("title", {}, zone) : null });
  }
  return made;
}

export function describe(board: Board, { mine, theirs, sources, chosen, targets, cube }: Picture) {
  const inWords = cubeWords(cube);
  board.zoneOf.forEach(({ zone, title }, point) => {
    const other = theirs[across(point)];
    const words =
      point === OFF
        ? text.off(mine[OFF], other)
        : point === BAR
          ? text.bar(mine[BAR], other)
          : text.point(point, mine[point], other);
    const state = [
      targets.has(point) ? text.target : "",
      chosen === point ? text.chosen : sources.has(point) ? text.canMove : "",
    ].filter(Boolean);
    if (!board.changes(zone, [words, state, title && inWords])) return;
    zone.setAttribute("aria-label", [words, ...state].join(", "));
    if (title) title.textContent = [words, inWords].filter(Boolean).join(". ");
    zone.classList.toggle("source", sources.has(point));
    zone.classList.toggle("chosen", chosen === point);
    zone.classList.toggle("goal", targets.has(point));
  });
}
