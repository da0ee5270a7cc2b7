/** The plan of the board: where its points are, and the checkers on them. Lengths are units of the drawing. Pure. */

export const COLUMN = 50;
export const RADIUS = 23;
const SIDE = 10; // frame to the left and right
export const EDGE = 24; // frame above and below, with the numbers of the points
export const WIDTH = 14 * COLUMN + 2 * SIDE;
export const BAR = 25;
export const OFF = 0;
const HEIGHT = { wide: 610, tall: 800 };

export type Plan = {
  height: number;
  mirrored: boolean; // the home is on the left
};

/** @param tall for a phone held upright */
export const planOf = (tall: boolean, mirrored: boolean): Plan => ({
  height: tall ? HEIGHT.tall : HEIGHT.wide,
  mirrored,
});

/** A point in the numbering of the other player; bar and tray are the same place for both. */
export const across = (point: number) => (point % BAR ? BAR - point : point);

/** The column of a point, from the left; the tray is the last one. */
export function column(point: number) {
  if (point === OFF) return 13;
  if (point === BAR) return 6;
  if (point <= 12) return point <= 6 ? 13 - point : 12 - point;
  return point <= 18 ? point - 13 : point - 12;
}

/** The left edge of some columns. */
export const left = ({ mirrored }: Plan, first: number, columns: number) =>
  mirrored ? WIDTH - SIDE - (first + columns) * COLUMN : SIDE + first * COLUMN;

export const middle = (plan: Plan, point: number) => left(plan, column(point), 1) + COLUMN / 2;

/** Where a checker is drawn. @param point in its owner's numbering */
export function spot(plan: Plan, mine: boolean, point: number, slot: number, count: number): [number, number] {
  const { height } = plan;
  const half = height / 2;
  const away = mine ? 1 : -1; // down the board for the player at the bottom
  if (point === BAR) return [middle(plan, BAR), half + away * (52 + slot * Math.min(46, 190 / count))];
  if (point === OFF) return [middle(plan, OFF), half + away * (half - EDGE - 9 - slot * 13.5)];
  const seen = mine ? point : 25 - point;
  const room = half - EDGE - RADIUS - 40;
  const step = Math.min(2 * RADIUS, (room - RADIUS) / Math.max(1, count - 1));
  const from = RADIUS + 1 + slot * step;
  return [middle(plan, seen), seen > 12 ? EDGE + from : height - EDGE - from];
}

/** Where a checker would lie on a target: on the blot that it hits. @param own counts of who is to play. @param target as the bottom counts */
export function markOf(plan: Plan, mine: boolean, own: ArrayLike<number>, target: number) {
  const point = mine ? target : across(target);
  return spot(plan, mine, point, point === OFF ? own[OFF] : Math.min(own[point], 5), 5);
}

/** The point in a column and half; -1 = none. */
function pointIn(place: number, isTop: boolean) {
  for (let point = 0; point <= BAR; point++) {
    if (column(point) === place && (point === BAR || point === OFF || point > 12 === isTop)) return point;
  }
  return -1;
}

export const pointAt = ({ height, mirrored }: Plan, x: number, y: number) =>
  pointIn(Math.floor(((mirrored ? WIDTH - x : x) - SIDE) / COLUMN), y < height / 2);

/** The point so many columns further on the screen, in one of the halves; the same one at the end. */
export function beside({ mirrored }: Plan, point: number, columns: number, isTop: boolean) {
  const next = pointIn(column(point) + (mirrored ? -columns : columns), isTop);
  return next < 0 ? point : next;
}
