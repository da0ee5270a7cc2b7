/**
 * Legal plays: the rules of one turn. Pure.
 *
 * Each side counts from its own home: index 0 = borne off, 1 to 24 = points, 25 = bar. `mine` is the side on roll.
 * Source: bkgm.com/rules.html: as many dice as possible, the higher one if only one of either can be played.
 * held: without hit-and-run, the points at home where this turn has hit: one checker stays on each.
 */
import type { Rules } from "../../../../../protocol/tavla.d.ts";
export type Position = { mine: number[]; theirs: number[]; held?: number[] };
export type Step = { from: number; to: number; die: number };

/** How each game begins, by the side: 24:2 are two checkers on the 24 point. */
export const STARTS: Record<string, string> = {
  standard: "24:2 13:5 8:3 6:5",
  nackgammon: "24:2 23:2 13:4 8:3 6:4",
  hypergammon: "24:1 23:1 22:1",
  longgammon: "24:15",
};

const OPENINGS = ["roll_off", "seat_0", "seat_0_cube", "winner"];
const OPTIONS = [
  "variant",
  "length",
  "cube",
  "cube_cap",
  "crawford",
  "jacoby",
  "beavers",
  "automatic_doubles",
  "opening",
  "forfeit_multiplier",
  "resignations",
  "hints",
  "delay_s",
  "reserve_s",
  "rated",
  "backgammons",
  "cap_kept",
  "hit_and_run",
];

/** An option of a later version; undefined: there is none. */
export const unknownOption = (rules: Rules) => Object.keys(rules).find((name) => !OPTIONS.includes(name));

/** Start of a game, the checkers of each seat; null: these rules are of a later version. */
export function startRow({ variant = "standard", opening = "roll_off", ...rules }: Rules) {
  const isKnown = Object.hasOwn(STARTS, variant) && OPENINGS.includes(opening);
  return isKnown && !unknownOption(rules) ? rowOf(STARTS[variant]) : null;
}

/** The same row, with those borne off that are on no point. @param all checkers of the side */
export const whole = (row: number[], all = 15) =>
  row.with(
    0,
    row.slice(1).reduce((left, count) => left - count, all),
  );

/** A row of 26 counts, as STARTS has them. */
export function rowOf(checkers: string) {
  const row: number[] = Array(26).fill(0);
  for (const one of checkers.split(" ")) {
    const [point, count] = one.split(":").map(Number);
    row[point] = count;
  }
  return row;
}

/** The position of a player on roll, at the start of a turn. @param rows of the seats */
export const onRoll = (rows: readonly number[][], seat: number, { hit_and_run }: Rules): Position => ({
  mine: rows[seat],
  theirs: rows[1 - seat],
  held: hit_and_run === false ? [] : undefined,
});

/** A position as the key by which its play is found. */
export const keyOf = ({ mine, theirs }: Position) => `${mine};${theirs}`;

/** Steps as the protocol wants them. */
export const asMoves = (steps: { from: number; to: number }[]) =>
  steps.map(({ from, to }): [number, number] => [from, to]);

export const highFirst = (dice: readonly number[]) => dice.toSorted((a, b) => b - a);

/** The position after one checker was moved by one die; null if it may not. */
export function moved({ mine, theirs, held }: Position, from: number, die: number): Position | null {
  if (!mine[from] || (mine[25] && from !== 25)) return null;
  if (mine[from] === 1 && held?.includes(from)) return null;
  const to = Math.max(0, from - die);
  if (to && theirs[25 - to] > 1) return null;
  if (!to) {
    const farthest = mine.findLastIndex((count) => count > 0);
    if (farthest > 6 || (from < die && from < farthest)) return null;
  }
  const after: Position = { mine: mine.slice(), theirs: theirs.slice(), held };
  after.mine[from]--;
  after.mine[to]++;
  if (to && theirs[25 - to] === 1) {
    after.theirs[25 - to] = 0;
    after.theirs[25]++;
    if (held && to <= 6) after.held = [...held, to].sort();
  }
  return after;
}

function without(dice: number[], die: number) {
  const index = dice.indexOf(die);
  return dice.filter((_, place) => place !== index);
}

/** The dice of a roll, a double four times. */
export const diceOf = (roll: number[]) =>
  roll.length && roll[0] === roll[1] ? [roll[0], roll[0], roll[0], roll[0]] : [...roll];

/** Number of dice that can be played. known: results by position and dice. */
function most(at: Position, dice: number[], known: Map<string, number>): number {
  if (!dice.length) return 0;
  const key = `${at.mine}|${at.theirs[25]}|${at.held}|${dice}`;
  let best = known.get(key);
  if (best === undefined) {
    best = 0;
    for (const { after, die } of single(at, dice)) {
      if (best === dice.length) break;
      best = Math.max(best, 1 + most(after, without(dice, die), known));
    }
    known.set(key, best);
  }
  return best;
}

/** Every way to play one die, whatever becomes of the others. */
function* single(at: Position, dice: number[]) {
  for (const die of new Set(dice)) {
    for (let from = 25; from > 0; from--) {
      const after = moved(at, from, die);
      if (after) yield { from, to: Math.max(0, from - die), die, after };
    }
  }
}

/**
 * The next steps that a legal turn may have.
 * @param dice those that are left
 */
export function nextSteps(at: Position, dice: number[], known: Map<string, number> = new Map()) {
  const best = most(at, dice, known);
  if (!best) return [];
  const steps = [...single(at, dice)].filter(({ after, die }) => 1 + most(after, without(dice, die), known) === best);
  const high = Math.max(...dice);
  const higher = best === 1 && dice.length === 2 ? steps.filter(({ die }) => die === high) : [];
  return higher.length ? higher : steps;
}

/** The position after every legal turn, each with one way to get there. */
export function legalPlays(at: Position, roll: number[]): Map<string, { after: Position; steps: Step[] }> {
  const known = new Map();
  const ends = new Map();
  const seen = new Set();
  const walk = (from: Position, dice: number[], steps: Step[]) => {
    const here = `${keyOf(from)};${dice}`;
    if (seen.has(here)) return;
    seen.add(here);
    const next = nextSteps(from, dice, known);
    if (!next.length) ends.set(keyOf(from), { after: from, steps });
    for (const { after, ...step } of next) walk(after, without(dice, step.die), [...steps, step]);
  };
  walk(at, diceOf(roll), []);
  return ends;
}

/**
 * The position after a whole turn; null if it may not be played so.
 * @param moves single steps [from, to], in an order in which they can be made
 */
export function played(at: Position, roll: number[], moves: number[][]): Position | null {
  const known: Map<string, number> = new Map();
  const go = (here: Position, dice: number[], index: number): Position | null => {
    const next = nextSteps(here, dice, known);
    if (index === moves.length) return next.length ? null : here;
    for (const { from, to, die, after } of next) {
      const end = from === moves[index][0] && to === moves[index][1] ? go(after, without(dice, die), index + 1) : null;
      if (end) return end;
    }
    return null;
  };
  return go(at, diceOf(roll), 0);
}

/**
 * Where one checker can go, with one die or several, and the steps to get there. The dice are used in the order in
 * which they are given where both orders come to the same.
 */
export function targets(at: Position, dice: number[], from: number, known: Map<string, number> = new Map()) {
  const found: Map<number, Step[]> = new Map();
  const go = (here: Position, left: number[], point: number, path: Step[]) => {
    const next = nextSteps(here, left, known).filter((step) => step.from === point);
    next.sort((a, b) => left.indexOf(a.die) - left.indexOf(b.die));
    for (const { after, ...step } of next) {
      const way = [...path, step];
      const before = found.get(step.to);
      if (!before || way.length < before.length) found.set(step.to, way);
      if (step.to) go(after, without(left, step.die), step.to, way);
    }
  };
  go(at, dice, from, []);
  return found;
}
