"""The house bot: the best play by its own judgement of where each one leads, the cube by what the points are worth.

One-ply: it looks at every play, not at the opponent's answers. A few milliseconds a turn. Weaker levels judge with an
error, the same kind of slip that people make: large ones seldom, small ones often.
"""

import random
import threading
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from tavla_client import Bot, Play, Turn

from tavla_bots import bearoff, cube
from tavla_bots.cube import Prices, Stakes, weights
from tavla_bots.evaluator import Outlook, evaluate, judged
from tavla_bots.features import Floats

SURE = 0.999  # chance from which nothing is left to play for
GENEROUS = 0.02  # how much of a point a resignation may fall short of what a game is worth


class House(Bot):
    """The house bot at its best. noise: the typical error of its judgement, in points of a game. rng: for the noise."""

    level = "house"
    plays: ClassVar[Mapping[str, Sequence[str]]] = {"variant": ("standard", "nackgammon")}  # what it has learned
    noise = 0.0

    def __init__(self, rng: random.Random | None = None) -> None:
        self.rng = rng or random.Random()
        threading.Thread(target=bearoff.rolls_needed, daemon=True).start()  # long before the first bear-off

    def choose_play(self, turn: Turn) -> Play:
        """The play after which the opponent has the least to expect."""
        stakes = Stakes.of(turn).swapped()  # the opponent is on roll then
        hopes = _after(turn) @ np.array(weights(stakes), np.float32)
        scale = self.noise * (stakes.worth(stakes.cube) - stakes.worth(-stakes.cube)) / 2
        errors = [self.rng.gauss(0, scale) for _ in turn.plays] if self.noise else 0
        return turn.plays[int((hopes + errors).argmin())]

    def ranked(self, turn: Turn) -> list[tuple[Play, float]]:
        """Every play, the best first, with its equity at this score, without the cube: 1 is a game won, -1 one lost."""
        stakes = Stakes.of(turn).swapped()
        span = stakes.worth(stakes.cube) - stakes.worth(-stakes.cube)
        equities = 1 - _after(turn) @ np.array(weights(stakes), np.float32) * 2 / span
        return [(turn.plays[place], float(equities[place])) for place in (-equities).argsort()]

    def offer_double(self, turn: Turn) -> bool:
        """Double when that is worth more than waiting."""
        return cube.should_double(self._outlook(turn), Stakes.of(turn))

    def take_double(self, turn: Turn) -> bool:
        """Take when that is worth more than to drop."""
        return cube.should_take(self._outlook(turn, we_roll=False), Stakes.of(turn).swapped())

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
        return self._blurred(evaluate([turn.board if we_roll else turn.board.swapped()])[0])

    def _blurred(self, outlook: Outlook) -> Outlook:
        if not self.noise or not 1 - SURE < outlook.win < SURE:
            return outlook
        win = outlook.win + self.rng.gauss(0, self.noise / 2)
        return outlook._replace(win=min(max(win, outlook.gammon, 0.0), 1 - outlook.lost_gammon))


def _after(turn: Turn) -> Floats:
    """The outlook of the opponent after each play: one row of probabilities each."""
    return judged([play.after.swapped() for play in turn.plays])


class Intermediate(House):
    """A player who knows the game."""

    level = "intermediate"
    noise = 0.06


class Beginner(House):
    """A player who has just learned the rules."""

    level = "beginner"
    noise = 0.16
