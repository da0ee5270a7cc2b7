"""The house bot: the best play by its own judgement of where each one leads, the cube by what the points are worth.

One-ply: it looks at every play, not at the opponent's answers; a millisecond a turn. The level above looks one roll
further. Those below slip as people do: the less a play costs, the more often.
"""

import random
import threading
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from tavla_client import Bot, Play, Turn
from tavla_engine.position import Position

from tavla_bots import bearoff, cube
from tavla_bots.cube import Prices, Stakes, weights
from tavla_bots.evaluator import Outlook, evaluate, judged, weighed
from tavla_bots.features import Floats
from tavla_bots.lookahead import judged_ahead

SURE = 0.999  # chance from which nothing is left to play for
CLOSE, MOST = 0.08, 5  # points that a play may seem to lose, and how many plays are looked at one roll ahead
GENEROUS = 0.02  # how much of a point a resignation may fall short of what a game is worth


class House(Bot):
    """The house bot at its best without looking ahead.

    slips: points of a game; a play that loses so much is chosen 1/e times as often as the best. rng: for them.
    """

    level = "expert"
    plays: ClassVar[Mapping[str, Sequence[str]]] = {"variant": ("standard", "nackgammon")}  # what it has learned
    slips = 0.0

    def __init__(self, rng: random.Random | None = None) -> None:
        self.rng = rng or random.Random()
        threading.Thread(target=bearoff.rolls_needed, daemon=True).start()  # long before the first bear-off

    def choose_play(self, turn: Turn) -> Play:
        """The play after which the opponent has the least to expect, but for slips."""
        stakes = Stakes.of(turn).swapped()  # the opponent is on roll then
        hopes = weighed(_after(turn), weights(stakes))
        if not self.slips:
            return turn.plays[int(hopes.argmin())]
        scale = self.slips * (stakes.worth(stakes.cube) - stakes.worth(-stakes.cube)) / 2
        return self.rng.choices(turn.plays, np.exp((hopes.min() - hopes) / scale).tolist())[0]

    def ranked(self, turn: Turn) -> list[tuple[Play, float]]:
        """Every play, the best first, with its equity at this score, without the cube: 1 is a game won, -1 one lost."""
        stakes = Stakes.of(turn).swapped()
        return _by_equity(turn.plays, weighed(_after(turn), weights(stakes)), stakes)

    def offer_double(self, turn: Turn) -> bool:
        """Double when that is worth more than waiting."""
        stakes = Stakes.of(turn)
        return cube.should_double(self._cube_outlook(turn, turn.board, stakes), stakes)

    def take_double(self, turn: Turn) -> bool:
        """Take when that is worth more than to drop."""
        stakes = Stakes.of(turn).swapped()
        return cube.should_take(self._cube_outlook(turn, turn.board.swapped(), stakes), stakes)

    def offer_resign(self, turn: Turn) -> int:
        """Give up what is lost for certain."""
        outlook = self._outlook(turn)
        if outlook.win > 1 - SURE:
            return 0
        if outlook.lost_gammon < 1 - SURE or Stakes.of(turn).jacoby:
            return 1
        return 2 if outlook.lost_gammon > SURE and outlook.lost_backgammon < 1 - SURE else 0

    def accept_resign(self, turn: Turn) -> bool:
        """Accept what is worth as much as playing on."""
        stakes = Stakes.of(turn)
        we_roll = turn.view.turn == turn.seat
        outlook = self._outlook(turn, we_roll)
        if we_roll:
            expected = Prices.of(outlook, stakes).at(outlook.win)
        else:
            expected = -Prices.of(outlook, stakes.swapped()).at(outlook.win)
        return stakes.worth(turn.resigned * stakes.cube) >= expected - GENEROUS

    def _outlook(self, turn: Turn, we_roll: bool = True) -> Outlook:
        """The outlook of the player on roll: us or the opponent."""
        return evaluate([turn.board if we_roll else turn.board.swapped()])[0]

    def _cube_outlook(self, turn: Turn, position: Position, stakes: Stakes) -> Outlook:
        """Outlook of the player on roll, whose stakes these are, as far as this level sees it."""
        outlook = evaluate([position])[0]
        if not self.slips or not 1 - SURE < outlook.win < SURE:
            return outlook
        win = outlook.win + self.rng.gauss(0, self.slips)
        return outlook._replace(win=min(max(win, outlook.gammon, 0.0), 1 - outlook.lost_gammon))


def _after(turn: Turn) -> Floats:
    """The outlook of the opponent after each play: one row of probabilities each."""
    return judged([play.after.swapped() for play in turn.plays])


class WorldClass(House):
    """Looks one roll ahead, at those plays that seem to be among the best: some 30 milliseconds a turn."""

    level = "world-class"

    def choose_play(self, turn: Turn) -> Play:
        """The play after which the opponent has the least to expect, of all rolls."""
        stakes = Stakes.of(turn).swapped()
        hopes = weighed(_after(turn), weights(stakes))
        margin = CLOSE * (stakes.worth(stakes.cube) - stakes.worth(-stakes.cube)) / 2
        close = [int(place) for place in hopes.argsort()[:MOST] if hopes[place] <= hopes.min() + margin]
        if len(close) == 1:
            return turn.plays[close[0]]
        return turn.plays[close[int(_hopes_ahead(turn, [turn.plays[place] for place in close]).argmin())]]

    def ranked(self, turn: Turn) -> list[tuple[Play, float]]:
        """As `House.ranked`, by the average over all rolls: 5 milliseconds for each play."""
        if not all(any(play.after.mine[1:]) for play in turn.plays):
            return super().ranked(turn)  # nothing is ahead
        return _by_equity(turn.plays, _hopes_ahead(turn, turn.plays), Stakes.of(turn).swapped())

    def _cube_outlook(self, turn: Turn, position: Position, stakes: Stakes) -> Outlook:
        found = judged_ahead([position], weights(stakes.swapped()), _hit_and_run(turn))
        return Outlook(*map(float, found[0]))


def _by_equity(plays: Sequence[Play], hopes: Floats, theirs: Stakes) -> list[tuple[Play, float]]:
    """Plays by their equities, the best first. hopes: the opponent's after each. theirs: the opponent's stakes."""
    equities = 1 - hopes * 2 / (theirs.worth(theirs.cube) - theirs.worth(-theirs.cube))
    return [(plays[place], float(equities[place])) for place in (-equities).argsort()]


def _hopes_ahead(turn: Turn, plays: Sequence[Play]) -> Floats:
    """The opponent's hopes after each of some plays, by all rolls."""
    stakes = Stakes.of(turn).swapped()
    after = [play.after.swapped() for play in plays]
    return weighed(judged_ahead(after, weights(stakes.swapped()), _hit_and_run(turn)), weights(stakes))


def _hit_and_run(turn: Turn) -> bool:
    return bool(turn.rules.get("hit_and_run", True))


class Strong(House):
    """A strong player of a club."""

    level = "strong"
    slips = 0.028


class Club(House):
    """A player who knows the game."""

    level = "club"
    slips = 0.04


class Casual(House):
    """A player who plays now and then."""

    level = "casual"
    slips = 0.055


class Beginner(House):
    """A player who has just learned the rules."""

    level = "beginner"
    slips = 0.07
