"""The house bot: the best play by its own judgement of where each one leads, the cube by what the points are worth.

One-ply: it looks at every play, not at the opponent's answers; a millisecond a turn. The level above looks one roll
further. Those below slip as people do: the less a play costs and the harder it is to see, the more often.
"""

import random
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

import numpy as np
from tavla_client import Bot, Play, Turn
from tavla_engine.position import Position
from tavla_engine.rules import STARTS, Variant

from tavla_bots import bearoff, cube
from tavla_bots.cube import Prices, Stakes, weights
from tavla_bots.evaluator import NETWORKS, Outlook, equities, evaluate, evaluate_rows
from tavla_bots.features import Floats
from tavla_bots.lookahead import cube_ahead, evaluate_ahead
from tavla_bots.slips import difficulty

SURE = 0.999  # chance from which nothing is left to play for
CLOSE, MOST = 0.08, 5  # points that a play may seem to lose, and how many plays are looked at one roll ahead
GENEROUS = 0.02  # how much of a point a resignation may fall short of what a game is worth


class House(Bot):
    """The house bot at its best without looking ahead.

    slips: points of a game; where plays are as hard as most, one that loses so much is chosen 1/e times as often as the
    best. rng: for them.
    """

    level = "expert"
    plays: ClassVar[Mapping[str, Sequence[bool | int | str]]] = {"variant": tuple(NETWORKS)}
    slips = 0.0

    def __init__(self, rng: random.Random | None = None) -> None:
        self.rng = rng or random.Random()
        threading.Thread(target=bearoff.chances_of_rolls, daemon=True).start()  # long before the first bear-off

    def choose_play(self, turn: Turn) -> Play:
        """The play after which the opponent has the least to expect, but for slips."""
        stakes = Stakes.of(turn).other_side()  # the opponent is on roll then
        hopes = equities(_after(turn), weights(stakes))
        slips = self.slips and self.slips * difficulty(turn.board, STARTS[Variant(str(turn.rules["variant"]))])
        if not slips:
            return turn.plays[int(hopes.argmin())]
        odds = np.exp((hopes.min() - hopes) / (slips * stakes.unit))
        return self.rng.choices(turn.plays, odds.tolist())[0]

    def ranking(self, turn: Turn) -> list[tuple[Play, float]]:
        """Every play, the best first, with its equity at this score, without the cube: 1 is a game won, -1 one lost."""
        stakes = Stakes.of(turn).other_side()
        return _by_equity(turn.plays, equities(_after(turn), weights(stakes)), stakes)

    def offer_double(self, turn: Turn) -> bool:
        """Double when that is worth more than waiting."""
        stakes = Stakes.of(turn)
        return cube.should_double(self._cube_value(turn, turn.board, stakes), stakes)

    def take_double(self, turn: Turn) -> bool:
        """Take when that is worth more than to drop."""
        stakes = Stakes.of(turn).other_side()
        return cube.should_take(self._cube_value(turn, turn.board.other_side(), stakes), stakes)

    def offer_resign(self, turn: Turn) -> int:
        """Give up what is lost for certain."""
        outlook = self._outlook(turn)
        if outlook.win > 1 - SURE:
            return 0
        *_, backgammon = Stakes.of(turn).kinds
        if outlook.lost_gammon < 1 - SURE or backgammon == 1:
            return 1
        return 2 if outlook.lost_gammon > SURE and (backgammon == 2 or outlook.lost_backgammon < 1 - SURE) else 0

    def accept_resign(self, turn: Turn) -> bool:
        """Accept what is worth as much as playing on."""
        stakes = Stakes.of(turn)
        we_roll = turn.view.turn == turn.seat
        outlook = self._outlook(turn, we_roll)
        if we_roll:
            expected = Prices.of(outlook, stakes).at(outlook.win)
        else:
            expected = -Prices.of(outlook, stakes.other_side()).at(outlook.win)
        return stakes.wins[turn.offered_resignation - 1] >= expected - GENEROUS

    def _outlook(self, turn: Turn, we_roll: bool = True) -> Outlook:
        """The outlook of the player on roll: us or the opponent."""
        return evaluate([turn.board if we_roll else turn.board.other_side()])[0]

    def _cube_value(self, turn: Turn, position: Position, stakes: Stakes) -> cube.Value:
        """Worth of a position to the player on roll, whose stakes these are, as far as this level sees it."""
        outlook = evaluate([position])[0]
        if self.slips and 1 - SURE < outlook.win < SURE:
            win = outlook.win + self.rng.gauss(0, self.slips)
            outlook = outlook._replace(win=min(max(win, outlook.gammon, 0.0), 1 - outlook.lost_gammon))
        return partial(cube.holding, outlook)


def _after(turn: Turn) -> Floats:
    """The outlook of the opponent after each play: one row of probabilities each."""
    return evaluate_rows([play.after.other_side() for play in turn.plays])


class WorldClass(House):
    """World class play: looks one roll ahead, at those plays that seem to be among the best: some 30 milliseconds a
    turn; and two with the cube, where that is close: 150.
    """

    level = "world-class"

    def choose_play(self, turn: Turn) -> Play:
        """The play after which the opponent has the least to expect, of all rolls."""
        stakes = Stakes.of(turn).other_side()
        hopes = equities(_after(turn), weights(stakes))
        margin = CLOSE * stakes.unit
        close = [int(place) for place in hopes.argsort()[:MOST] if hopes[place] <= hopes.min() + margin]
        if len(close) == 1:
            return turn.plays[close[0]]
        return turn.plays[close[int(_hopes_ahead(turn, [turn.plays[place] for place in close]).argmin())]]

    def ranking(self, turn: Turn) -> list[tuple[Play, float]]:
        """The ranking of `House`, by the average over all rolls: 5 milliseconds for each play."""
        if not all(any(play.after.mine[1:]) for play in turn.plays):
            return super().ranking(turn)  # nothing is ahead
        return _by_equity(turn.plays, _hopes_ahead(turn, turn.plays), Stakes.of(turn).other_side())

    def _cube_value(self, turn: Turn, position: Position, stakes: Stakes) -> cube.Value:
        return cube_ahead(position, stakes, has_hit_and_run(turn))


def _by_equity(plays: Sequence[Play], hopes: Floats, theirs: Stakes) -> list[tuple[Play, float]]:
    """Plays by their equities, the best first. hopes: the opponent's after each. theirs: the opponent's stakes."""
    equities = ((theirs.wins[0] - theirs.losses[0]) / 2 - hopes) / theirs.unit
    return [(plays[place], float(equities[place])) for place in (-equities).argsort()]


def _hopes_ahead(turn: Turn, plays: Sequence[Play]) -> Floats:
    """The opponent's hopes after each of some plays, by all rolls."""
    stakes = Stakes.of(turn).other_side()
    after = [play.after.other_side() for play in plays]
    return equities(evaluate_ahead(after, weights(stakes.other_side()), has_hit_and_run(turn)), weights(stakes))


def has_hit_and_run(turn: Turn) -> bool:
    """True if a checker that has hit at home may go on in this turn."""
    return bool(turn.rules.get("hit_and_run", True))


class Strong(House):
    """A strong player of a club."""

    level = "strong"
    slips = 0.041


class Club(House):
    """A player of a club, who knows the game."""

    level = "club"
    slips = 0.057


class Casual(House):
    """A casual player, who plays now and then."""

    level = "casual"
    slips = 0.073


class Beginner(House):
    """A beginner, who has just learned the rules."""

    level = "beginner"
    slips = 0.09
