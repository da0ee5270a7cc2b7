/** Match equity: the chance to win a match at a score. The same figures as `tavla_bots/match_equity.py`. Pure. */

const GAMMON_RATE = 0.26; // of all games that are won

/**
 * The chance of a player who needs `ours` points, against one who needs `theirs`, before a game.
 * Source of the formula: Rick Janowski, "Match Equity Formula Reviewed and Revised" (bkgm.com/articles/Janowski).
 * @param crawfordDone the Crawford game has been played, or is none of the rules
 */
export function winningChance(ours: number, theirs: number, crawfordDone: boolean): number {
  if (ours <= 0 || theirs <= 0) return ours <= 0 ? 1 : 0;
  if (ours === theirs) return 0.5;
  if (ours > theirs) return 1 - winningChance(theirs, ours, crawfordDone);
  const pointAway = 1 - (crawfordDone ? trailing(theirs) : crawford(theirs));
  if (ours === 1) return pointAway;
  return Math.min(0.5 + (0.85 * (theirs - ours)) / (theirs + 6), pointAway);
}

const known = new Map<number, number>();

/** The chance of one who needs so many points after the Crawford game: each game is doubled at once. */
function trailing(away: number): number {
  if (away <= 1) return away <= 0 ? 1 : 0.5;
  let chance = known.get(away);
  if (chance === undefined) {
    chance = 0.5 * ((1 - GAMMON_RATE) * trailing(away - 2) + GAMMON_RATE * trailing(away - 4));
    known.set(away, chance);
  }
  return chance;
}

/** The same in the Crawford game: no cube. */
const crawford = (away: number) => 0.5 * ((1 - GAMMON_RATE) * trailing(away - 1) + GAMMON_RATE * trailing(away - 2));
