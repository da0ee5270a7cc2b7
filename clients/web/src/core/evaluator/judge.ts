/**
 * Decisions judged as `tavla_bots/house_judge.py` does: every play ranked, the cube weighed, a roll's luck. One roll
 * ahead, and two where it counts, but for luck. Pure.
 */
import { asMoves, keyOf, legalPlays, type Position, played } from "../model/plays.ts";
import { isOff } from "../model/stakes.ts";
import {
  ahead,
  cubeEquities,
  equityOf,
  holding,
  playEquity,
  type Stakes,
  swapped,
  type Value,
  windowOf,
} from "./cube.ts";
import type { Network } from "./network.ts";
import { type Outlook, outlookOf, swapped as seenByOther } from "./outlook.ts";

/**
 * A question to a player on roll. dice: none = about the cube, before the roll. opening: the first roll of a game.
 * key: of the position to which the play that was made leads. atSight: no roll ahead will do.
 */
export type Question = {
  position: Position;
  dice: number[];
  stakes: Stakes;
  opening: boolean;
  key?: string;
  atSight?: boolean;
};

/** A play. key: of the position after it, see `keyOf`. Figures are those of the player on roll. */
export type Ranked = { moves: [number, number][]; key: string; equity: number; outlook: Outlook };

export type PlayAnswer = { plays: Ranked[] };
/** Equities of the player who may double. opens, cash: chances to win, see `windowOf`. */
export type CubeAnswer = { outlook: Outlook; waiting: number; taken: number; opens: number; cash: number };

/** Equity that a play may seem to lose, and how many plays are looked at one roll ahead. */
const [CLOSE, MOST] = [0.05, 3];
/** Equity that a play seems to lose, from and up to which two rolls are looked ahead. */
const [DOUBT, PLAIN] = [0.01, 0.25];
/** Equity between two ways of the cube, up to which two rolls are looked ahead. */
const CLOSE_CUBE = 0.25;

const ROLLS: [number, number][] = [];
for (let high = 1; high <= 6; high++) for (let low = 1; low <= high; low++) ROLLS.push([high, low]);

/** Of 36 rolls, those that are like this one. */
const weightOf = ([high, low]: number[]) => (high === low ? 1 : 2);

/** After a play the opponent is on roll. */
const hopes = (network: Network, { mine, theirs }: Position) => seenByOther(outlookOf(network, theirs, mine));

/** Every play, the best first. */
export function rankPlays(network: Network, { position, dice, stakes }: Question): PlayAnswer {
  const plays = [...legalPlays(position, dice).values()].map(({ after, steps }): Ranked => {
    const outlook = hopes(network, after);
    return { moves: asMoves(steps), key: keyOf(after), equity: equityOf(outlook, stakes), outlook };
  });
  return { plays: plays.sort((a, b) => b.equity - a.equity) };
}

type Rolls = { chance: number; there: Position; outlook: Outlook }[];

/** Where the best play of each roll leads: the position and the outlook of the opponent, who is on roll then. */
function rollsOf(network: Network, position: Position, stakes: Stakes): Rolls {
  return ROLLS.map((dice) => {
    let [least, best] = [Number.POSITIVE_INFINITY, position];
    let outlook: Outlook = [0, 0, 0, 0, 0];
    for (const { after } of legalPlays(position, dice).values()) {
      const there = { mine: after.theirs, theirs: after.mine, held: position.held };
      const found = outlookOf(network, there.mine, there.theirs);
      const hope = -equityOf(seenByOther(found), stakes);
      if (hope < least) [least, best, outlook] = [hope, there, found];
    }
    return { chance: weightOf(dice) / 36, there: best, outlook };
  });
}

const mean = (rolls: Rolls) =>
  ([0, 1, 2, 3, 4] as const).map((place) =>
    rolls.reduce((sum, one) => sum + one.chance * one.outlook[place], 0),
  ) as Outlook;

const weighed =
  (rolls: [number, Value][]): Value =>
  (stakes) =>
    ahead(rolls, stakes);

const held =
  (outlook: Outlook): Value =>
  (stakes) =>
    holding(outlook, stakes);

/** The worth to the player on roll, one roll ahead. */
const rollAhead = (rolls: Rolls) => weighed(rolls.map(({ chance, outlook }) => [chance, held(outlook)]));

/** The same two rolls ahead. stakes: of the player on roll. */
const rollsAhead = (network: Network, rolls: Rolls, stakes: Stakes) =>
  weighed(
    rolls.map(({ chance, there, outlook }) => [
      chance,
      isOff(there.theirs) ? held(outlook) : rollAhead(rollsOf(network, there, swapped(stakes))),
    ]),
  );

/** A play looked at one roll ahead. rolls: of the opponent after it; none where it ends the game. */
type Seen = { play: Ranked; rolls: Rolls };

function lookAhead(network: Network, { position, dice, stakes }: Question, plays: Ranked[]) {
  const ahead = plays.map((play): Seen => {
    const after = played(position, dice, play.moves);
    if (!after || isOff(after.mine)) return { play, rolls: [] };
    const rolls = rollsOf(network, { mine: after.theirs, theirs: after.mine, held: position.held }, swapped(stakes));
    return {
      play: { ...play, outlook: mean(rolls), equity: playEquity(rollAhead(rolls), stakes) },
      rolls,
    };
  });
  return ahead.sort((a, b) => b.play.equity - a.play.equity);
}

/** The best plays, looked at one roll ahead. count: how many of those that seem best. */
export const rankAhead = (network: Network, question: Question, count: number) =>
  lookAhead(network, question, rankPlays(network, question).plays.slice(0, count)).map(({ play }) => play);

/**
 * Every play: those near the best, and the one that was made, one roll ahead; that one and the best then two. All
 * others stay as far behind the best as they seemed.
 */
export function judgePlays(network: Network, question: Question): PlayAnswer {
  const { plays } = rankPlays(network, question);
  const seemed = plays[0].equity;
  const near = plays.filter(
    ({ equity, key }, place) => (place < MOST && seemed - equity <= CLOSE) || key === question.key,
  );
  if (near.length === 1 || question.atSight) return { plays };
  const seen = lookAhead(network, question, near);
  if (seen.some(({ rolls }) => !rolls.length)) return { plays };
  const [{ play: best }] = seen;
  const made = seen.find(({ play }) => play.key === question.key);
  const deep = new Map<string, number>();
  const cost = made ? best.equity - made.play.equity : 0;
  if (made && DOUBT <= cost && cost < PLAIN)
    for (const { play, rolls } of [seen[0], made]) {
      const twice = playEquity(rollsAhead(network, rolls, swapped(question.stakes)), question.stakes);
      deep.set(play.key, (play.equity + twice) / 2);
    }
  const top = deep.get(best.key) ?? best.equity;
  const found = new Map(seen.map(({ play }) => [play.key, { ...play, equity: play.equity + top - best.equity }]));
  const judged = plays.map((play): Ranked => {
    const here = found.get(play.key) ?? { ...play, equity: play.equity + top - seemed };
    return { ...here, equity: deep.get(play.key) ?? here.equity };
  });
  return { plays: judged.sort((a, b) => b.equity - a.equity) };
}

/** The outlook before the roll, by the average over all rolls, each played as seems best. */
export const outlookAhead = (network: Network, position: Position, stakes: Stakes) =>
  seenByOther(mean(rollsOf(network, position, stakes)));

export function weighCube(network: Network, { position, stakes, atSight }: Question): CubeAnswer {
  const outlook = outlookOf(network, position.mine, position.theirs);
  const equities = atSight ? cubeEquities(held(outlook), stakes) : cubeAhead(network, position, stakes);
  return { outlook, ...equities, ...windowOf(outlook, stakes) };
}

/** The cube one roll ahead, and two where it is close. */
export function cubeAhead(network: Network, position: Position, stakes: Stakes) {
  const rolls = rollsOf(network, position, stakes);
  const once = cubeEquities(rollAhead(rolls), stakes);
  const isClear = Math.min(Math.abs(once.waiting - Math.min(once.taken, 1)), Math.abs(once.taken - 1)) >= CLOSE_CUBE;
  if (isClear) return once;
  return cubeEquities(rollsAhead(network, rolls, stakes), stakes);
}

/** Luck of this roll: its best play against the average over all rolls. */
export function luckOf(network: Network, { position, dice, stakes, opening }: Question) {
  const rolls = opening ? ROLLS.filter(([high, low]) => high !== low) : ROLLS;
  let sum = 0;
  let weights = 0;
  let got = 0;
  for (const roll of rolls) {
    const [{ equity }] = rankPlays(network, { position, dice: roll, stakes, opening }).plays;
    sum += weightOf(roll) * equity;
    weights += weightOf(roll);
    if (roll[0] === Math.max(...dice) && roll[1] === Math.min(...dice)) got = equity;
  }
  return got - sum / weights;
}
