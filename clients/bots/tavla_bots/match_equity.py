"""Match equity: the chance to win a match at a score."""

from functools import cache

GAMMON_RATE = 0.26  # of all games that are won, while neither side plays for or against a gammon in particular


@cache
def match_winning_chance(ours: int, theirs: int, crawford_done: bool) -> float:
    """The chance of a player who needs `ours` points, against one who needs `theirs`, before a game.

    crawford_done: the Crawford game has been played, or is none of the rules.
    Source of the formula: Rick Janowski, "Match Equity Formula Reviewed and Revised" (bkgm.com/articles/Janowski),
    0.5 + 0.85 * lead / (trailer's points + 6); for the Crawford game and those after it, `_trailing`.
    """
    if ours <= 0 or theirs <= 0:
        return 1.0 if ours <= 0 else 0.0
    if ours == theirs:
        return 0.5
    if ours > theirs:
        return 1 - match_winning_chance(theirs, ours, crawford_done)
    point_away = 1 - (_trailing(theirs) if crawford_done else _crawford(theirs))
    if ours == 1:
        return point_away
    formula = 0.5 + 0.85 * (theirs - ours) / (theirs + 6)
    return min(formula, point_away)  # with a long way to go for the other, the formula goes too far


@cache
def _trailing(away: int) -> float:
    """The chance of one who needs `away` points after the Crawford game: each game is doubled at once."""
    if away <= 0:
        return 1.0
    if away == 1:
        return 0.5
    return 0.5 * ((1 - GAMMON_RATE) * _trailing(away - 2) + GAMMON_RATE * _trailing(away - 4))


def _crawford(away: int) -> float:
    """The chance of one who needs `away` points in the Crawford game: no cube."""
    return 0.5 * ((1 - GAMMON_RATE) * _trailing(away - 1) + GAMMON_RATE * _trailing(away - 2))
