/**
 * Features of a position as the network reads them: the same numbers as `tavla_bots/features.py`, in the same order. Pure.
 * A row is 26 counts in its owner's numbering: 0 = borne off, 25 = bar.
 */

import { pips } from "../model/view.ts";

export type Row = ArrayLike<number>;

const POINTS = 24;
const HELD = 12; // numbers for one side as a whole
const SIDE = 4 * POINTS + HELD;
const WIDTH = 2 * SIDE + 5;

// Of 36 rolls, those that hit over a distance of 1 to 24 points with nothing in between.
// Source: bkgm.com/gloss/lookup.cgi?shot, the table of direct and indirect shots.
const SHOTS = [11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1];
const MISS = SHOTS.map((shots) => 1 - shots / 36);

/** The point of the rearmost checker; 25 with none left, as the network has learned it. */
function rearmost(row: Row) {
  for (let point = 25; point > 0; point--) if (row[point]) return point;
  return 25;
}

/** Whether the sides have still to pass each other. */
export const contact = (mine: Row, theirs: Row) => rearmost(mine) + rearmost(theirs) > 25;

/** The chance that a blot on this point is hit, by all who are behind it. */
function shot(blot: number, other: Row) {
  let missed = 1;
  for (let shooter = 0; shooter < blot; shooter++) if (other[25 - shooter]) missed *= MISS[blot - shooter - 1];
  return 1 - missed;
}

/** Number of made points from one to another. */
function made(row: Row, from: number, to: number) {
  let count = 0;
  for (let point = from; point <= to; point++) count += Number(row[point] >= 2);
  return count;
}

function side(row: Row, other: Row, into: Float32Array, at: number) {
  let blots = 0;
  let shots = 0;
  let sent = 0; // how far a hit sends back
  let behind = 0; // checkers that have not come past
  const passed = 25 - rearmost(other);
  for (let point = 1; point <= 25; point++) if (point > passed) behind += row[point];
  for (let point = 1; point <= POINTS; point++) {
    const count = row[point];
    if (!count) continue;
    const place = at + point - 1;
    if (count === 1) {
      into[place] = 1;
      const chance = shot(point, other);
      shots += chance;
      sent += (chance * (25 - point)) / 24;
    } else {
      into[place + POINTS] = 1;
      if (count > 2) into[place + 2 * POINTS] = 1;
      if (count > 3) into[place + 3 * POINTS] = (count - 3) / 2;
    }
  }
  for (let point = 1; point <= POINTS; point++) if (other[point] === 1) blots++;
  let prime = 0;
  for (let start = 1; start <= 19; start++) prime = Math.max(prime, made(row, start, start + 5));
  let back = 0;
  for (let point = 19; point <= 25; point++) back += other[point];
  const home = made(row, 1, 6) / 6;
  const held = [
    row[25] / 2,
    row[0] / 15,
    shots,
    sent,
    prime / 6,
    back ? prime / 6 : 0, // a prime with somebody behind it
    home,
    other[25] ? home ** 2 : 0, // they dance
    (home ** 2 * Math.min(blots, 3)) / 3, // what our hits would be worth
    Math.min(made(row, 19, 24), 1), // an anchor
    Math.min(made(row, 20, 21), 1), // a good one
    behind / 15,
  ];
  into.set(held, at + 4 * POINTS);
}

export function features(mine: Row, theirs: Row): Float32Array {
  const into = new Float32Array(WIDTH);
  side(mine, theirs, into, 0);
  side(theirs, mine, into, SIDE);
  const [ours, other] = [pips(mine), pips(theirs)];
  const race = (other - ours) / 50;
  const whole = [ours / 167, other / 167, race, Math.max(-1, Math.min(1, 4 * race)), Number(contact(mine, theirs))];
  into.set(whole, 2 * SIDE);
  return into;
}
