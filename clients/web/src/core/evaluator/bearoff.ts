/**
 * The end of a race, exactly: how many rolls a side needs when all its checkers are home, for each of the 54,264 ways, as
 * in `tavla_bots/bearoff.py`: in single precision, and with ties broken alike. It is computed when it is first asked for.
 */
import type { Row } from "./features.ts";

const CHECKERS = 15;
const POINTS = 6;
const MOST_ROLLS = 32; // more are never needed

/** Binomial coefficients: [n][k]. */
const CHOICES: number[][] = [];
for (let n = 0; n < CHECKERS + POINTS + 1; n++) {
  CHOICES[n] = Array.from({ length: POINTS + 1 }, (_, k) =>
    k ? (n ? CHOICES[n - 1][k - 1] + CHOICES[n - 1][k] : 0) : 1,
  );
}
const COUNT = CHOICES[CHECKERS + POINTS][POINTS];

function indexOf(row: Row) {
  let index = 0;
  let held = 0;
  for (let point = 0; point < POINTS; point++) {
    held += row[point + 1];
    index += CHOICES[held + point][point + 1];
  }
  return index;
}

/** Every position by its number, 7 counts each; the first is not used. */
function allBoards() {
  const boards = new Uint8Array(COUNT * 7);
  const row = [0, 0, 0, 0, 0, 0, 0];
  const fill = (point: number, left: number) => {
    if (point > POINTS) return boards.set(row, 7 * indexOf(row));
    for (row[point] = 0; row[point] <= left; row[point]++) fill(point + 1, left - row[point]);
    row[point] = 0;
  };
  fill(1, CHECKERS);
  return boards;
}

/** Where one checker's move leads from each position: -1 where it cannot be made. [6 * (die - 1) + point - 1] */
function allSteps(boards: Uint8Array) {
  const steps: Int32Array[] = [];
  for (let die = 1; die <= POINTS; die++) {
    for (let point = 1; point <= POINTS; point++) {
      const to = new Int32Array(COUNT).fill(-1);
      for (let index = 0; index < COUNT; index++) {
        const row = boards.subarray(7 * index, 7 * index + 7);
        if (!row[point] || (point < die && row.subarray(point + 1).some(Boolean))) continue;
        const after = row.slice();
        after[point]--;
        if (point > die) after[point - die]++;
        to[index] = indexOf(after);
      }
      steps.push(to);
    }
  }
  return steps;
}

/** For each position: the chance that all are off after exactly n rolls, MOST_ROLLS of them. */
function compute() {
  const boards = allBoards();
  const steps = allSteps(boards);
  const pips = (index: number) =>
    boards.subarray(7 * index, 7 * index + 7).reduce((sum, count, point) => sum + count * point, 0);
  const order = Array.from({ length: COUNT }, (_, index) => [pips(index), index]).sort(([a], [b]) => a - b);
  const mean = new Float32Array(COUNT);
  const chances = new Float32Array(COUNT * MOST_ROLLS);
  chances[0] = 1;
  let best = 0;
  let least = 0;
  // With nothing left the rest of a roll is idle.
  const walk = (index: number, dice: number[], used: number, highest: number, isDouble: boolean) => {
    if (used === dice.length || index === 0) {
      if (mean[index] < least) {
        least = mean[index];
        best = index;
      }
      return;
    }
    for (let point = 1; point <= highest; point++) {
      const to = steps[6 * (dice[used] - 1) + point - 1][index];
      if (to >= 0) walk(to, dice, used + 1, isDouble ? point : POINTS, isDouble);
    }
  };
  for (const [, index] of order.slice(1)) {
    const at = index * MOST_ROLLS;
    let total = 1;
    for (let high = 1; high <= POINTS; high++) {
      for (let low = 1; low <= high; low++) {
        const isDouble = high === low;
        const weight = Math.fround((isDouble ? 1 : 2) / 36);
        least = Number.POSITIVE_INFINITY;
        if (isDouble) walk(index, [high, high, high, high], 0, POINTS, true);
        else {
          walk(index, [high, low], 0, POINTS, false);
          walk(index, [low, high], 0, POINTS, false);
        }
        total = Math.fround(total + Math.fround(weight * mean[best]));
        for (let roll = 1; roll < MOST_ROLLS; roll++)
          chances[at + roll] += Math.fround(weight * chances[best * MOST_ROLLS + roll - 1]);
      }
    }
    mean[index] = total;
  }
  return chances;
}

let known: Float32Array | null = null;

function rollsNeeded(row: Row) {
  known ??= compute();
  const at = indexOf(row) * MOST_ROLLS;
  return known.subarray(at, at + MOST_ROLLS);
}

/** The chance of the side on roll to win a race in which all checkers are home. */
export function race(mine: Row, theirs: Row) {
  const [ours, others] = [rollsNeeded(mine), rollsNeeded(theirs)];
  let chance = 0;
  let done = 0; // the chance that the other side needed fewer rolls
  for (let roll = 0; roll < MOST_ROLLS; roll++) {
    chance += ours[roll] * (1 - done);
    done += others[roll];
  }
  return Math.max(0, Math.min(1, chance));
}

/** The chance to bear off everything with the next roll. */
export const offInOne = (row: Row) => rollsNeeded(row)[1];
