/**
 * A match as its record tells it: how it stands after each event. Whether that may be so is for `referee.ts` to say.
 * Pure.
 */
import type { Rules } from "../../../../../protocol/tavla.d.ts";
import { startRow } from "./plays.ts";
import { after, type Move, type Rows } from "./scenes.ts";

/** owner, offer, holder: seats, -1 = none. holder: of the offer; count: of beavers. */
const CUBE = { value: 1, owner: -1, offer: -1, holder: -1, count: 0, turned: false };

export function start(rules: Rules): Rows {
  const row = startRow(rules) ?? Array(26).fill(0);
  return [row, [...row]];
}

/** A match of which nothing has happened. */
export const begin = (rules: Rules) => ({
  phase: "between" as "between" | "opening" | "roll" | "move" | "cube" | "over",
  rolls: 0, // so many numbers of the dice were used
  score: [0, 0] as [number, number],
  game: 0,
  turn: 0,
  crawford: false,
  crawfordDone: false,
  ties: 0, // opening rolls of this game that were rolled again
  winner: -1, // of the last game; -1 = none
  dice: [] as number[], // as they were rolled
  roller: 0,
  last: [] as Move[],
  resigned: null as [number, number] | null,
  rows: start(rules),
  cube: CUBE,
  shown: 0, // the number of the newest seed of the server: the next one is of the game in hand
});
export type State = ReturnType<typeof begin>;

/** The events after which a match stands otherwise, without their places and times. */
type Events = {
  game_started: [crawford: boolean];
  opening_rolled: [number, number];
  rolled: [seat: number, number, number];
  moved: [seat: number, moves: [number, number][]];
  doubled: [seat: number];
  taken: [seat: number];
  beavered: [seat: number];
  resignation_offered: [seat: number, kind: number];
  resignation_refused: [seat: number];
  game_ended: [winner: number | null, points: number, kind: number, ending: string];
  match_ended: [winner: number | null, ending: string];
  cancelled: [];
  forked: [link?: number];
};
export type What = keyof Events;

/** An event, and how the match stood before and after it. facts: unread, for events that change nothing. */
export type Step = { what: string; facts: unknown[]; before: State; now: State };

/** A table by the type of the event. */
export type Table<Given, Result> = { [W in What]: (at: State, given: Given, ...facts: Events[W]) => Result };

/**
 * Its entry. That an event has the facts of its type is not looked at: what reads wrong ones throws, or they break a
 * rule.
 */
export const entry = <Given, Result>(table: Partial<Table<Given, Result>>, what: string) =>
  Object.hasOwn(table, what)
    ? (table[what as What] as (at: State, given: Given, ...facts: unknown[]) => Result)
    : undefined;

/** The seat that begins a game; -1 = the opening roll says. */
export function starter({ winner }: State, { opening = "roll_off" }: Rules) {
  if (opening === "roll_off" || (opening === "winner" && winner < 0)) return -1;
  return opening === "winner" ? winner : 0;
}

/** The highest value of the cube. */
export const limit = ({ cube_cap }: Rules) => cube_cap || 2 ** 32;

const rolled = (at: State, seat: number, dice: number[]): Partial<State> => ({
  rolls: at.rolls + 1,
  turn: seat,
  roller: seat,
  dice,
  last: [],
  phase: "move",
});

const CHANGES: Table<Rules, Partial<State>> = {
  game_started: (at, rules, crawford) => ({
    crawford,
    crawfordDone: at.crawfordDone || crawford,
    game: at.game + 1,
    rows: start(rules),
    cube: CUBE,
    ties: 0,
    dice: [],
    last: [],
    phase: rules.opening === "seat_0" || starter(at, rules) < 0 ? "opening" : "roll",
    turn: Math.max(0, starter(at, rules)),
  }),
  opening_rolled: (at, { automatic_doubles = 0 }, ...dice) => {
    const change = rolled(at, Number(dice[1] > dice[0]), dice);
    if (dice[0] !== dice[1]) return change;
    const { value } = at.cube;
    const doubles = !at.crawford && value < 2 ** automatic_doubles;
    const cube = { ...at.cube, value: doubles ? 2 * value : value };
    return { ...change, turn: at.turn, phase: at.phase, ties: at.ties + 1, cube };
  },
  rolled: (at, _, seat, ...dice) => rolled(at, seat, dice),
  moved: (at, _, seat, moves) => {
    const last = moves.map(([from, to]) => ({ seat, from, to }));
    return { rows: last.reduce(after, at.rows), last, phase: "roll", turn: 1 - seat };
  },
  doubled: (at, _, seat) => ({
    cube: { ...at.cube, offer: seat, holder: 1 - seat, count: 0 },
    phase: "cube",
    dice: [],
    last: [],
  }),
  taken: ({ cube }, rules) => {
    const value = 2 * cube.value;
    const owner = value === limit(rules) && !rules.cap_kept ? -1 : cube.holder;
    return { cube: { ...cube, value, owner, offer: -1, turned: true }, phase: "roll" };
  },
  beavered: ({ cube }, _, seat) => ({
    cube: { ...cube, value: 2 * cube.value, offer: seat, count: cube.count + 1, turned: true },
  }),
  resignation_offered: (_at, _rules, ...resigned) => ({ resigned }),
  resignation_refused: () => ({ resigned: null }),
  game_ended: ({ score: [white, black], cube, shown }, _, winner, points) => ({
    shown: shown + 1,
    score: [white + (winner === 0 ? points : 0), black + (winner === 1 ? points : 0)],
    winner: winner ?? -1,
    resigned: null,
    crawford: false,
    cube: { ...cube, offer: -1 },
    phase: "between",
    dice: [],
    last: [],
  }),
  match_ended: ({ phase, shown }, _, _winner, ending) => ({
    phase: "over",
    dice: [],
    last: [],
    shown: shown + Number(phase !== "between" && phase !== "over" && ending !== "voided"),
  }),
  cancelled: () => ({ phase: "over" }),
  forked: ({ shown }, _, link) => ({ shown: link ?? shown }),
};

/** Take an event over. */
export function step(before: State, rules: Rules, what: string, facts: unknown[]): Step {
  return { what, facts, before, now: { ...before, ...entry(CHANGES, what)?.(before, rules, ...facts) } };
}

/** All steps of a record, up to the first that cannot be read. */
export function fold(events: unknown[][], rules: Rules): Step[] {
  const steps: Step[] = [];
  try {
    for (const [, , what, ...facts] of events)
      steps.push(step(steps.at(-1)?.now ?? begin(rules), rules, String(what), facts));
  } catch {
    return steps;
  }
  return steps;
}
