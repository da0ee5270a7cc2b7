/**
 * The first lesson, as data: positions, dice, and what is accepted. Pure. White learns and is at the bottom; each side's
 * checkers stand in its own numbering, and those that are not named are borne off.
 */
import { asMoves, legalPlays, type Position, rowOf, STARTS, whole } from "../../../core/model/plays.ts";
import { beginTurn, type Turn } from "../../../core/model/turn.ts";

export const CHAPTERS = ["move", "hit", "enter", "points", "off", "cube"] as const;
type Chapter = (typeof CHAPTERS)[number];

/** The goal of a turn. holds: made points; hits, off: so many are hit, or borne off. */
type Goal = { holds?: number[]; hits?: number; off?: number };

/**
 * One step. what: "look" = nothing to do; "play" = a turn with these dice; or what to do with the cube.
 * arrows: ways to be shown. rolls: the dice come when one rolls.
 */
export type Step = typeof USUAL & { key: string; chapter: Chapter };

const USUAL = {
  what: "play" as "look" | "play" | "double" | "take" | "drop",
  mine: STARTS.standard,
  theirs: STARTS.standard,
  dice: [] as number[],
  goal: {} as Goal,
  arrows: [] as [number, number][],
  rolls: false,
};

const step = (chapter: Chapter, key: string, more: Partial<Step>): Step => ({ ...USUAL, chapter, key, ...more });

export const STEPS: Step[] = [
  step("move", "board", {
    what: "look",
    arrows: [
      [24, 13],
      [13, 8],
      [8, 6],
      [6, 0],
    ],
  }),
  step("move", "roll", { dice: [6, 5], rolls: true }),
  step("move", "closed", { dice: [5, 5] }),
  step("hit", "hit", { theirs: "24:1 20:1 13:5 8:3 6:5", dice: [3, 2], goal: { hits: 1 } }),
  step("hit", "twice", { theirs: "24:2 18:1 14:1 13:3 8:3 6:5", dice: [6, 2], goal: { hits: 2 } }),
  step("enter", "enter", { mine: "25:1 24:1 13:5 8:3 6:5", dice: [6, 3] }),
  step("enter", "dance", { mine: "25:1 24:1 13:5 8:3 6:5", theirs: "13:5 8:3 6:4 4:3", dice: [6, 4] }),
  step("points", "make", { dice: [3, 1], goal: { holds: [5] } }),
  step("points", "safe", { dice: [6, 1], goal: { holds: [7] } }),
  step("points", "prime", {
    mine: "13:2 9:1 8:3 7:2 6:3 5:2 4:2",
    theirs: "24:2 13:4 8:3 6:4 5:2",
    dice: [6, 5],
    goal: { holds: [3, 4, 5, 6, 7, 8] },
  }),
  step("points", "anchor", { dice: [4, 4], goal: { holds: [20] } }),
  step("off", "home", {
    mine: "8:1 6:4 5:4 4:3 3:3",
    theirs: "6:5 5:4 4:3 3:3",
    dice: [6, 3],
    goal: { off: 1 },
  }),
  step("off", "off", { mine: "6:3 5:3 4:3 3:2 2:2 1:2", theirs: "6:5 5:4 4:3 3:3", dice: [6, 4], goal: { off: 2 } }),
  step("off", "high", { mine: "4:2 3:3 2:2 1:1", theirs: "6:4 5:3 4:3 3:2", dice: [6, 5] }),
  step("off", "win", { mine: "2:1 1:1", theirs: "13:2 8:3 6:5 5:5", dice: [6, 1], goal: { off: 2 } }),
  step("cube", "double", { what: "double", mine: "6:4 5:4 4:3 3:3 1:1", theirs: "8:1 7:1 6:3 5:3 4:4 3:3" }),
  step("cube", "take", { what: "take", mine: "8:1 7:1 6:3 5:3 4:4 3:3", theirs: "6:4 5:4 4:3 3:3 1:1" }),
  step("cube", "drop", { what: "drop", mine: "25:1 6:4 5:4 4:3 3:3", theirs: "9:1 8:2 6:2 5:2 4:2 3:2 2:2 1:2" }),
];

export const positionOf = ({ mine, theirs }: Step): Position => ({
  mine: whole(rowOf(mine)),
  theirs: whole(rowOf(theirs)),
});

/** The turn of a step, from its beginning. */
export const turnOf = (step: Step): Turn => beginTurn(positionOf(step), step.dice, step.key);

/** Whether a turn that ends there is what is asked for. */
export function isReached({ goal }: Step, before: Position, after: Position) {
  const { holds = [], hits = 0, off = 0 } = goal;
  return (
    holds.every((point) => after.mine[point] > 1) &&
    after.theirs[25] >= before.theirs[25] + hits &&
    after.mine[0] >= before.mine[0] + off
  );
}

/** A play that is accepted: its steps. */
export function answerOf(step: Step): [number, number][] {
  const before = positionOf(step);
  const plays = [...legalPlays(before, step.dice).values()];
  const found = plays.find(({ after }) => isReached(step, before, after));
  return asMoves(found?.steps ?? []);
}
