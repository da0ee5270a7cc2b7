"""Ratings, and their changes by results. Pure.

Source: FIBS, `help formula` (bkgm.com/articles/McCool/ratings.html explains it). In a match of N points between players
whose ratings are D apart, the underdog wins with probability U = 1 / (10^(D sqrt(N) / 2000) + 1). The winner gains and
the loser loses 4 K sqrt(N) P, where P = 1 - U if the underdog won, else U; K = max(1, 5 - experience / 100) is each
player's own. Experience is the sum of the lengths of a player's rated matches. Everyone starts at 1500 with none.

Two rules are our own, so that ratings are not for sale. Who ends a match before both have made two plays loses as ever,
and the other gains nothing. The more often the two have met within a day, the less their match moves.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

from tavla_engine.actions import Seat
from tavla_engine.events import GameEnded, MatchEnded
from tavla_engine.match import Match, Phase
from tavla_engine.rules import MAX_LENGTH

START_RATING = 1500.0
COUNTED_POINTS = MAX_LENGTH  # one game with a high cube counts no more than the longest match
PLAYS = 4  # two of each: without them nothing was played
MEETINGS = 10  # within a day; each takes so much of what the next match moves, and after them none moves anything


class Standing(NamedTuple):
    """The standing of a player: rating and experience, on which the next change depends."""

    rating: float = START_RATING
    experience: int = 0


class Tally(NamedTuple):
    """The tally of changes by a table's rated results so far.

    results: how many there were. changes: of each seat's rating. experience: gained by each of the two.
    """

    results: int = 0
    changes: tuple[float, float] = (0.0, 0.0)
    experience: int = 0


def rating_delta(own: Standing, other: Standing, points: int, won: bool) -> float:
    """The change of a player's own rating by a result."""
    root = math.sqrt(points)
    upset = 1 / (10 ** (abs(own.rating - other.rating) * root / 2000) + 1)
    underdog_won = (own.rating < other.rating) == won
    gain = 4 * max(1.0, 5 - own.experience / 100) * root * (1 - upset if underdog_won else upset)
    return gain if won else -gain


def result(before: Match, events: Iterable[object]) -> tuple[Seat, int] | None:
    """Winner and points of what counts among the events of one entry, if anything does.

    A match counts once, with its length, however it was decided. In money play each game counts with its points;
    one that ends together with the session, by a flag or a claim, counts like a forfeit.
    """
    for event in events:
        match event:
            case GameEnded(winner, points) if not before.rules.length:
                return winner, points
            case MatchEnded(int(winner)) if before.rules.length:
                return winner, before.rules.length
            case MatchEnded(int(winner)) if before.phase is not Phase.READY:
                return winner, before.cube.value * before.rules.forfeit_multiplier
    return None


def taken_back(tally: Tally) -> Tally:
    """The tally of a match that does not count after all. It is one more result, so that ratings follow it."""
    return Tally(tally.results + 1) if tally.results else tally


def was_played(match: Match) -> bool:
    """True if both have made two plays: of a match to points, or of the game in hand for money. Ties are no plays."""
    before = match.opened if match.game == 1 or not match.rules.length else 0
    return match.rolls - before > PLAYS


def weight(met: int) -> float:
    """The part of its change that a match is worth whose players have met so often within a day."""
    return max(0.0, 1 - met / MEETINGS)


def tally_after(
    tally: Tally, standings: tuple[Standing, Standing], winner: Seat, points: int, gain: float = 1.0, loss: float = 1.0
) -> Tally:
    """The tally with one more result. standings: both players', when they sat down.

    gain, loss: the parts of them that count.
    """
    points = min(points, COUNTED_POINTS)
    white, black = (
        Standing(standing.rating + gained, standing.experience + tally.experience)
        for standing, gained in zip(standings, tally.changes, strict=True)
    )
    parts = (gain, loss) if winner == 0 else (loss, gain)
    return Tally(
        tally.results + 1,
        (
            tally.changes[0] + parts[0] * rating_delta(white, black, points, won=winner == 0),
            tally.changes[1] + parts[1] * rating_delta(black, white, points, won=winner == 1),
        ),
        tally.experience + points,
    )
