/**
 * Equities with the cube, as `tavla_bots/cube.py` has them. Source: Rick Janowski, "Take-Points in Money Games"
 * (bkgm.com/articles/Janowski/cubeformulas.pdf), with what points are worth at a match score in place of points. Pure.
 */
import { type Outlook, swapped as seenByOther } from "./outlook.ts";

const EFFICIENCY = 0.68; // how near to a live cube
const DEEPEST = 5; // turns of the cube that are thought ahead
const LEAST = 1e-9;
const NOTHING = 0.01; // of a match: what is worth less is worth nothing
/** Shares of gammons and backgammons of each side in a game that begins. */
const GAMMONS: Record<string, [number, number]> = {
  standard: [0.138, 0.0069],
  nackgammon: [0.146, 0.0101],
  hypergammon: [0.29, 0.0201],
  longgammon: [0.201, 0.0214],
};
/**
 * Chances of who needs so many points, a row each from 1, against who needs one more, two more, ..., up to nine, before
 * the Crawford game is over. Source: NOTICE, the table of match equities.
 */
const ROLLED_OUT = [
  [0.6774, 0.7508, 0.8144, 0.8418, 0.8873, 0.9072, 0.9325, 0.944],
  [0.5995, 0.6687, 0.7436, 0.7994, 0.8423, 0.8754, 0.902],
  [0.5715, 0.648, 0.7112, 0.7621, 0.8047, 0.8402],
  [0.5773, 0.6429, 0.6992, 0.7458, 0.788],
  [0.5664, 0.6264, 0.6779, 0.7254],
  [0.5626, 0.6164, 0.6679],
  [0.5548, 0.6085],
  [0.5544],
];
const WHOLE_CUBE = 16; // a cap that changes nothing there

/**
 * Of a game, for one player. away: points that we and they need; null for money. holder: 1 = we own the cube, -1 = they.
 * cap: of the cube; 1 = there is none. backgammons: they count three times. variant: how games begin.
 */
export type Stakes = {
  away: [number, number] | null;
  cube: number;
  holder: number;
  cap: number;
  crawfordDone: boolean;
  jacoby: boolean; // and the cube was not turned
  backgammons: boolean;
  variant: string;
};

/** crawfordDone: the Crawford game has been played, or is none of the rules. */
type Match = Pick<Stakes, "crawfordDone" | "cap" | "backgammons" | "variant">;

/** What a decision asks thousands of times of the same stakes is made once. */
function once<T>(make: (stakes: Stakes) => T) {
  const made = new WeakMap<Stakes, T>();
  return (stakes: Stakes): T => {
    const known = made.get(stakes) ?? make(stakes);
    made.set(stakes, known);
    return known;
  };
}

export const swapped = once(
  (stakes): Stakes => ({ ...stakes, away: stakes.away && [stakes.away[1], stakes.away[0]], holder: -stakes.holder }),
);

/** After we have doubled and they have taken. */
const turned = once((stakes): Stakes => ({ ...stakes, cube: 2 * stakes.cube, holder: -1, jacoby: false }));

/** After they have doubled and we have taken. */
const taken = once((stakes): Stakes => ({ ...stakes, cube: 2 * stakes.cube, holder: 1, jacoby: false }));

/** Winning or losing so many points: points for money, else -1 to 1. */
function worth({ away, ...match }: Stakes, points: number) {
  if (!away) return points;
  return 2 * winningChance(away[0] - Math.max(points, 0), away[1] + Math.min(points, 0), match) - 1;
}

const isDead = ({ away, cube, cap }: Stakes) => 2 * cube > cap || (away !== null && away[0] <= cube);

/** What a single game, a gammon and a backgammon are worth, won and lost. */
const endsOf = once((stakes) => {
  const kinds = stakes.jacoby ? [1, 1, 1] : stakes.backgammons ? [1, 2, 3] : [1, 2, 2];
  const wins = kinds.map((kind) => worth(stakes, stakes.cube * kind));
  const losses = kinds.map((kind) => worth(stakes, -stakes.cube * kind));
  return { wins, losses };
});

/** The average worth of a win and of a loss, with the gammons that go with them. */
function pricesOf([win, gammon, backgammon, lostGammon, lostBackgammon]: Outlook, stakes: Stakes) {
  const { wins, losses } = endsOf(stakes);
  const [[w1, w2, w3], [l1, l2, l3]] = [wins, losses];
  return {
    win: w1 + (gammon * (w2 - w1) + backgammon * (w3 - w2)) / Math.max(win, LEAST),
    loss: l1 + (lostGammon * (l2 - l1) + lostBackgammon * (l3 - l2)) / Math.max(1 - win, LEAST),
  };
}

/** The worth of a game that is played to its end without the cube, scaled: 1 is what a win is worth, -1 what a loss is. */
export function equityOf([win, gammon, backgammon, lostGammon, lostBackgammon]: Outlook, stakes: Stakes) {
  const { wins, losses } = endsOf(stakes);
  const [[w1, w2, w3], [l1, l2, l3]] = [wins, losses];
  const more = gammon * (w2 - w1) + backgammon * (w3 - w2) + lostGammon * (l2 - l1) + lostBackgammon * (l3 - l2);
  return scaled(l1 + win * (w1 - l1) + more, stakes);
}

/** Where a single game changes nothing, a gammon is the unit: two points away from either side with a cube, say. */
function scaled(value: number, stakes: Stakes) {
  const { wins, losses } = endsOf(stakes);
  const unit = wins.map((win, kind) => (win - losses[kind]) / 2).find((span) => span >= NOTHING) ?? 1;
  return (value - (wins[0] + losses[0]) / 2) / unit;
}

/** The worth of a game in which the cube stays where it is for now. */
export function holding(outlook: Outlook, stakes: Stakes) {
  const { win, loss } = pricesOf(outlook, stakes);
  return (1 - EFFICIENCY) * (loss + (win - loss) * outlook[0]) + EFFICIENCY * live(outlook, stakes);
}

/** The worth with a live cube: straight lines from losing to where we drop, where they do, and winning. */
function live(outlook: Outlook, stakes: Stakes): number {
  if (stakes.holder < 0) return -live(seenByOther(outlook), swapped(stakes));
  const prices = pricesOf(outlook, stakes);
  let [low, atLow, high, atHigh] = [0, prices.loss, 1, prices.win];
  if (!isDead(stakes)) {
    high = 1 - liveTakePoint(seenByOther(outlook), swapped(stakes));
    atHigh = worth(stakes, stakes.cube);
  }
  if (stakes.holder === 0 && !isDead(swapped(stakes))) {
    low = liveTakePoint(outlook, stakes);
    atLow = worth(stakes, -stakes.cube);
  }
  if (outlook[0] > high)
    [low, atLow, high, atHigh] = [high, atHigh, 1, prices.win]; // a gammon may be worth more
  else if (outlook[0] < low) [low, atLow, high, atHigh] = [0, prices.loss, low, atLow];
  return atLow + ((atHigh - atLow) * (outlook[0] - low)) / Math.max(high - low, LEAST);
}

/** The least chance with which we take a double, if we then have a live cube. */
function liveTakePoint(outlook: Outlook, stakes: Stakes, depth = DEEPEST): number {
  const after = taken(stakes);
  const prices = pricesOf(outlook, after);
  const dropped = worth(stakes, -stakes.cube);
  let [top, span] = [prices.win, 1];
  if (!isDead(after) && depth > 0) {
    top = worth(after, after.cube);
    span = 1 - liveTakePoint(seenByOther(outlook), swapped(after), depth - 1);
  }
  const point = ((dropped - prices.loss) / Math.max(top - prices.loss, LEAST)) * span;
  return Math.max(0, Math.min(1, point));
}

const known = new Map<string, number>();

/** The chance of a player who needs `ours` points, before a game: as rolled out, or from the scores one game leads to. */
function winningChance(ours: number, theirs: number, match: Match): number {
  if (ours <= 0 || theirs <= 0) return ours <= 0 ? 1 : 0;
  if (ours === theirs) return 0.5;
  if (ours > theirs) return 1 - winningChance(theirs, ours, match);
  const { crawfordDone, cap, backgammons, variant } = match;
  const isUsual = !crawfordDone && cap >= WHOLE_CUBE && backgammons && variant === "standard";
  if (isUsual && theirs <= ROLLED_OUT.length + 1) return ROLLED_OUT[ours - 1][theirs - ours - 1];
  const key = `${ours} ${theirs} ${crawfordDone} ${cap} ${backgammons} ${variant}`;
  let chance = known.get(key);
  if (chance === undefined) {
    const even = { away: [ours, theirs] as [number, number], cube: 1, holder: 0, cap, backgammons, variant };
    const gammons = GAMMONS[variant] ?? GAMMONS.standard;
    const outlook: Outlook = [0.5, ...gammons, ...gammons];
    const game: Stakes = { ...even, crawfordDone: crawfordDone || ours === 1, jacoby: false };
    const isDoubledAtOnce = ours === 1 && crawfordDone && cap > 1; // by the one behind
    const { win, loss } = pricesOf(outlook, game);
    const isCrawford = ours === 1 && !crawfordDone;
    const value = isCrawford
      ? (win + loss) / 2
      : holding(outlook, isDoubledAtOnce ? swapped(turned(swapped(game))) : game);
    chance = (1 + value) / 2;
    known.set(key, chance);
  }
  return chance;
}

/** The worth of a game by its stakes. */
export type Value = (stakes: Stakes) => number;

/**
 * What one roll later a game is worth whose cube stays where it is for now, each roll played well and answered as the
 * opponent does best with the cube. rolls: the chance of each, and what the game is worth then to the opponent, who is
 * on roll.
 */
export function ahead(rolls: [number, Value][], stakes: Stakes) {
  const theirs = swapped(stakes);
  return -rolls.reduce((sum, [chance, value]) => sum + chance * onRoll(value, theirs), 0);
}

/** The worth of a game to the player on roll, who may double first. */
function onRoll(value: Value, stakes: Stakes) {
  const waiting = value(stakes);
  if (stakes.holder < 0 || isDead(stakes)) return waiting;
  return Math.max(waiting, Math.min(value(turned(stakes)), worth(stakes, stakes.cube)));
}

/** The equity of a play, after which the opponent is on roll. value: the worth of the game to the opponent. */
export const playEquity = (value: Value, stakes: Stakes) => scaled(-onRoll(value, swapped(stakes)), stakes);

/** Equities of waiting, and of a double that is taken; one that is dropped is 1. value: the worth by the stakes. */
export const cubeEquities = (value: Value, stakes: Stakes) => ({
  waiting: scaled(value(stakes), stakes),
  taken: scaled(value(turned(stakes)), stakes),
});

/** The same hopes with another chance to win: as many of the wins and losses are gammons. */
function withChance([win, gammon, backgammon, lostGammon, lostBackgammon]: Outlook, chance: number): Outlook {
  const up = chance / Math.max(win, LEAST);
  const down = (1 - chance) / Math.max(1 - win, LEAST);
  return [chance, gammon * up, backgammon * up, lostGammon * down, lostBackgammon * down];
}

/** Where a condition begins to hold that holds from some chance up to the highest. */
function from(highest: number, holds: (chance: number) => boolean) {
  let [low, high] = [0, highest];
  for (let step = 0; step < 20; step++) {
    const middle = (low + high) / 2;
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/**
 * The doubling player's chances from which a double is right, and from which it is dropped. So the opponent's take
 * point is 1 - cash.
 */
export function windowOf(outlook: Outlook, stakes: Stakes) {
  const at = (chance: number) => cubeEquities((one) => holding(withChance(outlook, chance), one), stakes);
  const cash = from(1, (chance) => at(chance).taken > 1);
  const opens = from(cash, (chance) => {
    const { waiting, taken } = at(chance);
    return Math.min(taken, 1) > waiting;
  });
  return { opens, cash };
}
