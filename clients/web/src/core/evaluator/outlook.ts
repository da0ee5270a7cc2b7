/** Chances of the player on roll: from the rules and the bear-off where they say it, else by the network. Pure. */

import { offInOne, race } from "./bearoff.ts";
import { contact, features, type Row } from "./features.ts";
import { type Network, run } from "./network.ts";

/**
 * Probabilities of a game played to its end, each with those of the next: to win; to win at least a gammon; a
 * backgammon; and the same for the opponent's wins.
 */
export type Outlook = [win: number, gammon: number, backgammon: number, lostGammon: number, lostBackgammon: number];

const has = (row: Row, from: number) => {
  for (let point = from; point <= 25; point++) if (row[point]) return true;
  return false;
};

/** The outlook before the roll. */
export function outlookOf(network: Network, mine: Row, theirs: Row): Outlook {
  if (!has(theirs, 1)) return [0, 0, 0, Number(!mine[0]), Number(!mine[0] && has(mine, 19))]; // they are off
  if (!has(mine, 7) && !has(theirs, 7) && !contact(mine, theirs)) {
    const win = race(mine, theirs);
    return [win, theirs[0] ? 0 : Math.min(offInOne(mine), win), 0, 0, 0];
  }
  const [win, gammon, backgammon, lostGammon, lostBackgammon] = run(network, features(mine, theirs));
  const won = theirs[0] ? 0 : Math.min(gammon, win);
  const lost = mine[0] ? 0 : Math.min(lostGammon, 1 - win);
  return [win, won, Math.min(backgammon, won), lost, Math.min(lostBackgammon, lost)];
}

/** The same as the opponent sees it. */
export const swapped = ([win, gammon, backgammon, lostGammon, lostBackgammon]: Outlook): Outlook => [
  1 - win,
  lostGammon,
  lostBackgammon,
  gammon,
  backgammon,
];
