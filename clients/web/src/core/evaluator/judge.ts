/**
 * Decisions judged: every play ranked, the cube weighed, a roll's luck. One roll ahead, but for luck; plays without
 * the cube. Pure.
 */
import { legalPlays, type Position, played } from "../model/plays.ts";
import { ahead, cubeEquities, equityOf, type Stakes, swapped, windowOf } from "./cube.ts";
import type { Network } from "./network.ts";
import { type Outlook, outlookOf, swapped as seenByOther } from "./outlook.ts";

/**
 * A question to a player on roll. dice: none = about the cube, before the roll. opening: the first roll of a game.
 * key: of the position to which the play that was made leads.
 */
export type Question = { position: Position; dice: number[]; stakes: Stakes; opening: boolean; key?: string };

/** A play. key: of the position after it, see `keyOf`. Figures are those of the player on roll. */
export type Ranked = { moves: [number, number][]; key: string; equity: number; outlook: Outlook };

export type PlayAnswer = { plays: Ranked[] };
/** Equities of the player who may double. opens, cash: chances to win, see `windowOf`. */
export type CubeAnswer = { outlook: Outlook; waiting: number; taken: number; opens: number; cash: number };

/** Equity that a play may seem to lose, and how many plays are looked at one roll ahead. */
const [CLOSE, MOST] = [0.05, 3];

const ROLLS: [number, number][] = [];
for (let high = 1; high <= 6; high++) for (let low = 1; low <= high; low++) ROLLS.push([high, low]);

/** Of 36 rolls, those that are like this one. */
const weightOf = ([high, low]: number[]) => (high === low ? 1 : 2);

const keyOf = ({ mine, theirs }: Position) => `${mine};${theirs}`;

/** After a play the opponent is on roll. */
const hopes = (network: Network, { mine, theirs }: Position) => seenByOther(outlookOf(network, theirs, mine));

/** Every play, the best first. */
export function rankPlays(network: Network, { position, dice, stakes }: Question): PlayAnswer {
  const plays = [...legalPlays(position, dice).values()].map(({ after, steps }): Ranked => {
    const outlook = hopes(network, after);
    const moves = steps.map(({ from, to }): [number, number] => [from, to]);
    return { moves, key: keyOf(after), equity: equityOf(outlook, stakes), outlook };
  });
  return { plays: plays.sort((a, b) => b.equity - a.equity) };
}

/** The best plays, looked at one roll ahead. count: how many of those that seem best. */
export const rankAhead = (network: Network, question: Question, count: number) =>
  lookAhead(network, question, rankPlays(network, question).plays.slice(0, count));

function lookAhead(network: Network, { position, dice, stakes }: Question, plays: Ranked[]) {
  const ahead = plays.map((play): Ranked => {
    const after = played(position, dice, play.moves);
    if (!after || isOver(after)) return play;
    const theirs = { mine: after.theirs, theirs: after.mine, held: position.held };
    const outlook = seenByOther(outlookAhead(network, theirs, swapped(stakes)));
    return { ...play, outlook, equity: equityOf(outlook, stakes) };
  });
  return ahead.sort((a, b) => b.equity - a.equity);
}

const isOver = ({ mine }: Pick<Position, "mine">) => !mine.some((checkers, point) => point && checkers);

/** Every play; those near the best, and the one that was made, one roll ahead, and before all others. */
export function judgePlays(network: Network, question: Question): PlayAnswer {
  const { plays } = rankPlays(network, question);
  const isNear = ({ equity, key }: Ranked, place: number) =>
    (plays[0].equity - equity <= CLOSE && place < MOST) || key === question.key;
  const near = plays.filter(isNear);
  if (near.length === 1 || near.some(({ key }) => isOver({ mine: key.split(";")[0].split(",").map(Number) })))
    return { plays };
  const ahead = lookAhead(network, question, near);
  const least = ahead[ahead.length - 1].equity;
  const rest = plays.filter((play, place) => !isNear(play, place));
  return { plays: [...ahead, ...rest.map((play) => ({ ...play, equity: Math.min(play.equity, least) }))] };
}

/** The outlook before the roll, by the average over all rolls, each played as seems best. */
export function outlookAhead(network: Network, position: Position, stakes: Stakes): Outlook {
  const sum: Outlook = [0, 0, 0, 0, 0];
  for (const dice of ROLLS) {
    const { outlook } = rankPlays(network, { position, dice, stakes, opening: false }).plays[0];
    for (const [place, chance] of outlook.entries()) sum[place] += (chance * weightOf(dice)) / 36;
  }
  return sum;
}

export function weighCube(network: Network, { position, stakes }: Question): CubeAnswer {
  const outlook = outlookOf(network, position.mine, position.theirs);
  return { outlook, ...cubeAhead(network, position, stakes), ...windowOf(outlook, stakes) };
}

/** The cube one roll ahead. */
export function cubeAhead(network: Network, position: Position, stakes: Stakes) {
  const rolls = ROLLS.map((dice): [number, Outlook] => {
    const { outlook } = rankPlays(network, { position, dice, stakes, opening: false }).plays[0];
    return [weightOf(dice) / 36, seenByOther(outlook)];
  });
  return cubeEquities((one) => ahead(rolls, one), stakes);
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
