/** A turn that is being made: steps that can be taken back, until Done sends them. Pure; each change is a new value. */

import { asMoves, diceOf, highFirst, moved, nextSteps, onRoll, type Position, type Step, targets } from "./plays.ts";
import { rowsOf } from "./scenes.ts";
import type { View } from "./view.ts";

export type Turn = { key: string; base: Position; dice: number[]; steps: Step[] };

/** A turn of which nothing is made yet. @param roll its dice: the higher one goes first */
export const beginTurn = (base: Position, roll: readonly number[], key = ""): Turn => ({
  key,
  base,
  dice: diceOf(highFirst(roll)),
  steps: [],
});

/** The turn that a view asks for; the one before, half made, if it is the same. */
export function turnOf(view: View, seat: number, before: Turn | null): Turn {
  const key = `${view.game}:${view.rolls}:${view.dice}:${view.points}`;
  if (before?.key === key) return before;
  return beginTurn(onRoll(rowsOf(view), seat, view.rules), view.dice, key);
}

/** goals: by the point, as far as they were asked for. counted: how many dice can be played, of all that was looked at. */
type Facts = {
  at: Position;
  from: Set<number>;
  goals: Map<number, Map<number, Step[]>>;
  counted: Map<string, number>;
};
/** What follows from a turn: a tap asks for it a dozen times. Under its base lies what holds for all of its steps. */
const known: WeakMap<Turn | Position, Facts> = new WeakMap();

function factsOf(turn: Turn): Facts {
  let facts = known.get(turn);
  if (!facts) {
    const { base, steps } = turn;
    const at = steps.reduce((before, { from, die }) => moved(before, from, die) ?? before, base);
    const counted = known.get(base)?.counted ?? new Map();
    const from = new Set(nextSteps(at, left(turn), counted).map((step) => step.from));
    facts = { at, from, goals: new Map(), counted };
    known.set(turn, facts).set(base, facts);
  }
  return facts;
}

/** Where the checkers stand after the steps so far. */
export const position = (turn: Turn) => factsOf(turn).at;

/** The dice that are left, the one to be used first in front. */
export function left({ dice, steps }: Turn) {
  const rest = [...dice];
  for (const { die } of steps) rest.splice(rest.indexOf(die), 1);
  return rest;
}

/** The points from which a step may be made. */
export const sources = (turn: Turn) => factsOf(turn).from;

/** Where the checker on a point may go. */
export function goals(turn: Turn, from: number) {
  const { at, goals, counted } = factsOf(turn);
  const found = goals.get(from) ?? targets(at, left(turn), from, counted);
  goals.set(from, found);
  return found;
}

/** The points to choose from next: those from which a step may be made, or where the chosen checker may go. */
export const choices = (turn: Turn, chosen: number | null) =>
  chosen === null ? [...sources(turn)] : [...goals(turn, chosen).keys()];

/** The step by the die that is first, of one of these checkers. */
function firstWay(turn: Turn, from: number[], to: number | null = null): Step[] | undefined {
  const ways = from.flatMap((one) => [...goals(turn, one).values()]);
  const single = ways.filter((way) => way.length === 1 && (to === null || way[0].to === to));
  const dice = left(turn);
  return single.sort((a, b) => dice.indexOf(a[0].die) - dice.indexOf(b[0].die))[0];
}

/** Whether nothing more can be played, so that it may be sent. */
export const isDone = (turn: Turn) => !sources(turn).size;

export const play = (turn: Turn, steps: Step[]): Turn => ({ ...turn, steps: [...turn.steps, ...steps] });

/** Picture of a turn that is being made. */
export function shown(turn: Turn, chosen: number | null) {
  const rest = left(turn);
  const dice = turn.dice.map((value) => {
    const index = rest.indexOf(value);
    if (index >= 0) rest.splice(index, 1);
    return { value, used: index < 0 };
  });
  const targets = new Set(chosen === null ? [] : goals(turn, chosen).keys());
  const canSwap = !turn.steps.length && turn.dice.length === 2;
  return { ...position(turn), dice, sources: sources(turn), chosen, targets, canSwap };
}

/**
 * A tap on a point: the way that a checker goes then, or the point that is chosen from then on. Chosen already, or
 * at once, its checker goes by the first die. The tray: whatever the first die can bear off. A target of the only
 * checker that can move: that one goes.
 */
export function tapped(turn: Turn, chosen: number | null, point: number, isAtOnce: boolean) {
  const from = sources(turn);
  const only = from.size === 1 ? [...from][0] : null; // such as the bar: no need to choose it
  const moves = chosen ?? (only !== point ? only : null);
  const goes = moves === null || moves === point ? undefined : goals(turn, moves).get(point);
  const first = chosen === point || (chosen === null && isAtOnce && from.has(point));
  const way = goes ?? (first ? firstWay(turn, [point]) : point === 0 ? firstWay(turn, [...from], 0) : undefined);
  return { way, chosen: from.has(point) && point !== chosen ? point : null };
}

export const undo = (turn: Turn): Turn => ({ ...turn, steps: turn.steps.slice(0, -1) });

/** The other die first. */
export const swap = (turn: Turn): Turn => ({ ...turn, dice: [...turn.dice].reverse() });

/** The steps as the protocol wants them. */
export const movesOf = (turn: Turn) => asMoves(turn.steps);

/**
 * A typed turn: `8/5 6/5`, `bar/22`, `13/8(2)`, `6/off`, `24/18/13`; or `13 8`, each by the die that is first.
 * @returns null when it cannot be read or is not allowed
 */
export function typed(turn: Turn, text: string): Turn | null {
  const ways: number[][] = [];
  for (const word of text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)) {
    const found = /^((?:b|bar|off|\d+)(?:\*?\/(?:bar|off|\d+))*)\*?(?:\((\d)\))?$/.exec(word);
    if (!found) return null;
    const points = found[1]
      .replaceAll("*", "")
      .split("/")
      .map((name) => ({ b: 25, bar: 25, off: 0 })[name] ?? Number(name));
    ways.push(...Array<number[]>(Number(found[2] ?? 1)).fill(points));
  }
  return along(turn, ways);
}

/**
 * Checkers go from point to point; a point alone: by the die that is first. One after the other, if that can be: in
 * `12/off 11/5(2)` and `bar/21(2)`, as plays are written, one waits for another.
 */
function along(turn: Turn, ways: number[][]): Turn | null {
  if (!ways.length) return turn;
  if (ways.length > left(turn).length) return null;
  for (const [at, [from, to, ...rest]] of ways.entries()) {
    if (ways.indexOf(ways[at]) < at) continue; // the same again
    const others = ways.filter((_, index) => index !== at);
    const whole = to === undefined ? firstWay(turn, [from]) : goals(turn, from).get(to);
    const parts = nextSteps(position(turn), left(turn)).filter((step) => step.from === from && step.to > to);
    for (const steps of [...(whole ? [whole] : []), ...parts.map(({ after: _, ...step }) => [step])]) {
      const end = steps[steps.length - 1].to;
      const next = to === undefined || end === to ? [end, ...rest] : [end, to, ...rest];
      const found = along(play(turn, steps), next.length > 1 ? [next, ...others] : others);
      if (found) return found;
    }
  }
  return null;
}
