"""Decisions to double and to take, from an outlook, the stakes, and the owner of the cube.

A cube is worth something between nothing (dead: the game is played to its end) and all that can be had (live: it is
turned at the very moment when the opponent may as well drop). The truth is taken to be in between.
Source: Rick Janowski, "Take-Points in Money Games" (bkgm.com/articles/Janowski/cubeformulas.pdf), here with what points
are worth at a match score in place of points themselves, so that the same lines serve match and money play.

What points are worth follows from the same lines: a match at a score is a game whose every end leads to another score.
"""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from tavla_client import Turn
from tavla_engine.rules import Variant

from tavla_bots.evaluator import Outlook

CUBE_EFFICIENCY = 0.68  # how near to a live cube; Janowski's figure for an ordinary position
_DEEPEST = 5  # turns of the cube that are thought ahead
_NEVER = 10**9
_NO_CUBE = 1  # as a cap
_SAME = 1e-6  # points, or of a match
_LEAST = 0.01  # of a match: what is worth less is worth nothing
# Shares of gammons and backgammons of each side in a game that begins, by the network, whichever side begins.
_GAMMONS: dict[str, tuple[float, float]] = {
    Variant.STANDARD: (0.138, 0.0069),
    Variant.NACKGAMMON: (0.146, 0.0101),
    Variant.HYPERGAMMON: (0.290, 0.0201),
    Variant.LONGGAMMON: (0.201, 0.0214),
}
# Chances of who needs so many points, a row each from 1, against who needs one more, two more, ..., up to nine, before
# the Crawford game is over. Source: NOTICE, the table of match equities.
_ROLLED_OUT = (
    (0.6774, 0.7508, 0.8144, 0.8418, 0.8873, 0.9072, 0.9325, 0.9440),
    (0.5995, 0.6687, 0.7436, 0.7994, 0.8423, 0.8754, 0.9020),
    (0.5715, 0.6480, 0.7112, 0.7621, 0.8047, 0.8402),
    (0.5773, 0.6429, 0.6992, 0.7458, 0.7880),
    (0.5664, 0.6264, 0.6779, 0.7254),
    (0.5626, 0.6164, 0.6679),
    (0.5548, 0.6085),
    (0.5544,),
)
_WHOLE_CUBE = 16  # a cap that changes nothing there
EVEN = {variant: Outlook(0.5, *gammons, *gammons) for variant, gammons in _GAMMONS.items()}


Value = Callable[["Stakes"], float]  # worth of a game by its stakes: `holding` or `ahead` of what is known of it


class Stakes(NamedTuple):
    """Stakes of a game, for one player.

    away: points that we and the opponent need, None in money play. cube: its value. holder: 1 we own it, -1 the
    opponent, 0 it is in the middle. cap: the highest value, 1 without a cube. crawford_done, jacoby: as in the rules,
    now. backgammons: they count three times. variant: how games begin.
    """

    away: tuple[int, int] | None
    cube: int
    holder: int
    cap: int
    crawford_done: bool = False
    jacoby: bool = False
    backgammons: bool = True
    variant: str = Variant.STANDARD

    @classmethod
    def of(cls, turn: Turn) -> "Stakes":
        """The stakes of a turn."""
        view, rules = turn.view, turn.rules
        near = turn.away is not None and min(turn.away) == 1
        crawford_rule = bool(rules.get("crawford")) and near
        return cls(
            away=turn.away,
            cube=view.cube,
            holder=0 if view.owner is None else 1 if view.owner == turn.seat else -1,
            cap=int(rules.get("cube_cap", 0)) or _NEVER if rules.get("cube", True) else _NO_CUBE,
            crawford_done=crawford_rule or not rules.get("crawford"),
            jacoby=bool(rules.get("jacoby")) and view.owner is None,
            backgammons=bool(rules.get("backgammons", True)),
            variant=str(rules.get("variant", Variant.STANDARD)),
        )

    def other_side(self) -> "Stakes":
        """The same for the opponent."""
        away = (self.away[1], self.away[0]) if self.away else None
        return self._replace(away=away, holder=-self.holder)

    def after_double(self) -> "Stakes":
        """After we have doubled and the opponent has taken."""
        return self._replace(cube=2 * self.cube, holder=-1, jacoby=False)

    def worth(self, points: int) -> float:
        """Worth of winning or losing so many points: points in money play, else -1 to 1."""
        if self.away is None:
            return float(points)
        ours, theirs = self.away
        after = (ours - max(points, 0), theirs + min(points, 0))
        return 2 * match_winning_chance(*after, self.crawford_done, self.cap, self.backgammons, self.variant) - 1

    @property
    def kinds(self) -> tuple[int, int, int]:
        """Cubes that a single game, a gammon and a backgammon count."""
        return (1, 1, 1) if self.jacoby else (1, 2, 3) if self.backgammons else (1, 2, 2)

    @property
    def wins(self) -> tuple[float, ...]:
        """Worth of winning a single game, a gammon, a backgammon."""
        return _ends(self, 1)

    @property
    def losses(self) -> tuple[float, ...]:
        """Worth of losing a single game, a gammon, a backgammon."""
        return _ends(self, -1)

    @property
    def unit(self) -> float:
        """Worth of an equity of 1: half of what is between winning and losing this game.

        Where a single game changes nothing, as two points away from either side with a cube and without the Crawford
        rule, a gammon's.
        """
        spans = ((win - loss) / 2 for win, loss in zip(self.wins, self.losses, strict=True))
        return next((span for span in spans if span >= _LEAST), 1.0)

    def equity(self, value: float) -> float:
        """Worth as equity: 1 is what a win of this game is worth, -1 what a loss is."""
        return (value - (self.wins[0] + self.losses[0]) / 2) / self.unit

    @property
    def dead(self) -> bool:
        """True if we could gain nothing by turning the cube: one more win of this size is all we need."""
        return 2 * self.cube > self.cap or (self.away is not None and self.away[0] <= self.cube)


@lru_cache(4096)  # some dozen stakes are asked for thousands of times in a turn
def _ends(stakes: Stakes, sign: int) -> tuple[float, ...]:
    return tuple(stakes.worth(sign * stakes.cube * kind) for kind in stakes.kinds)


class Prices(NamedTuple):
    """The prices of a game: average worth of a win and of a loss, with the gammons that go with them."""

    win: float
    loss: float

    @classmethod
    def of(cls, outlook: Outlook, stakes: Stakes) -> "Prices":
        """The prices at these stakes."""
        (w1, w2, w3), (l1, l2, l3) = stakes.wins, stakes.losses
        won, lost = max(outlook.win, 1e-9), max(1 - outlook.win, 1e-9)
        return cls(
            w1 + (outlook.gammon * (w2 - w1) + outlook.backgammon * (w3 - w2)) / won,
            l1 + (outlook.lost_gammon * (l2 - l1) + outlook.lost_backgammon * (l3 - l2)) / lost,
        )

    def at(self, win: float) -> float:
        """The worth of a game with this chance and a dead cube."""
        return self.loss + (self.win - self.loss) * win


def weights(stakes: Stakes) -> tuple[float, ...]:
    """Weight of each probability of an outlook in the worth of a game that is played to its end."""
    (w1, w2, w3), (l1, l2, l3) = stakes.wins, stakes.losses
    return (w1 - l1, w2 - w1, w3 - w2, l2 - l1, l3 - l2)


def should_double(value: Value, stakes: Stakes) -> bool:
    """True if the player on roll, to whom value and stakes belong, does better to double, or as well by a drop."""
    if stakes.holder < 0 or stakes.dead:
        return False
    taken, dropped, waiting = value(stakes.after_double()), stakes.worth(stakes.cube), value(stakes)
    return min(taken, dropped) > waiting or (taken > dropped and abs(dropped - waiting) < _SAME)


def should_take(value: Value, stakes: Stakes) -> bool:
    """True if the opponent of the player on roll, to whom value and stakes belong, does better to take."""
    return value(stakes.after_double()) <= stakes.worth(stakes.cube)


def holding(outlook: Outlook, stakes: Stakes) -> float:
    """The worth of a game in which the cube stays where it is for now."""
    dead = Prices.of(outlook, stakes).at(outlook.win)
    return (1 - CUBE_EFFICIENCY) * dead + CUBE_EFFICIENCY * _live(outlook, stakes)


def ahead(rolls: Sequence[tuple[float, Value]], stakes: Stakes) -> float:
    """The same one roll later, each roll played well and answered as the opponent does best with the cube.

    rolls: the chance of each, and what the game is worth then to the opponent, who is on roll.
    """
    theirs = stakes.other_side()
    return -sum(chance * on_roll(value, theirs) for chance, value in rolls)


def on_roll(value: Value, stakes: Stakes) -> float:
    """The worth of a game to the player on roll, who may double first."""
    waiting = value(stakes)
    if stakes.holder < 0 or stakes.dead:
        return waiting
    return max(waiting, min(value(stakes.after_double()), stakes.worth(stakes.cube)))


def _live(outlook: Outlook, stakes: Stakes) -> float:
    """The worth with a live cube: straight lines from losing to where we drop, where the opponent does, and winning."""
    if stakes.holder < 0:
        return -_live(_seen_by_other(outlook), stakes.other_side())
    prices = Prices.of(outlook, stakes)
    low, at_low = 0.0, prices.loss
    high, at_high = 1.0, prices.win
    if not stakes.dead:
        high, at_high = 1 - take_point(_seen_by_other(outlook), stakes.other_side()), stakes.worth(stakes.cube)
    if stakes.holder == 0 and not stakes.other_side().dead:
        low, at_low = take_point(outlook, stakes), stakes.worth(-stakes.cube)
    if outlook.win > high:  # a gammon may be worth more than the opponent's drop
        low, at_low, high, at_high = high, at_high, 1.0, prices.win
    elif outlook.win < low:
        low, at_low, high, at_high = 0.0, prices.loss, low, at_low
    return at_low + (at_high - at_low) * (outlook.win - low) / max(high - low, 1e-9)


def take_point(outlook: Outlook, stakes: Stakes, depth: int = _DEEPEST) -> float:
    """The least chance to win with which we take a double to twice the cube, if we then have a live cube.

    Only the share of gammons counts in the outlook.
    """
    after = stakes._replace(cube=2 * stakes.cube, holder=1, jacoby=False)
    prices = Prices.of(outlook, after)
    dropped = stakes.worth(-stakes.cube)
    if after.dead or depth == 0:
        top, span = prices.win, 1.0
    else:
        top = after.worth(after.cube)
        span = 1 - take_point(_seen_by_other(outlook), after.other_side(), depth - 1)
    return min(max((dropped - prices.loss) / max(top - prices.loss, 1e-9) * span, 0.0), 1.0)


@cache
def match_winning_chance(
    ours: int,
    theirs: int,
    crawford_done: bool,
    cap: int = _NEVER,
    backgammons: bool = True,
    variant: str = Variant.STANDARD,
) -> float:
    """The chance of a player who needs `ours` points, against one who needs `theirs`, before a game.

    crawford_done: the Crawford game has been played, or is none of the rules. cap, backgammons, variant: as in
    `Stakes`.
    Source: `_ROLLED_OUT` where that has the score. Else Walter Trice, "Constructing a Match Equity Table"
    (bkgm.com/rgb/rgb.cgi?view+751), after Tom Keith: each score from those that one game leads to, with a cube that is
    not perfectly efficient.
    """
    if ours <= 0 or theirs <= 0:
        return 1.0 if ours <= 0 else 0.0
    if ours == theirs:
        return 0.5
    if ours > theirs:
        return 1 - match_winning_chance(theirs, ours, crawford_done, cap, backgammons, variant)
    is_usual = not crawford_done and cap >= _WHOLE_CUBE and backgammons and variant == Variant.STANDARD
    if is_usual and theirs <= len(_ROLLED_OUT) + 1:
        return _ROLLED_OUT[ours - 1][theirs - ours - 1]
    game = Stakes((ours, theirs), 1, 0, cap, crawford_done or ours == 1, False, backgammons, variant)
    even = EVEN[variant]
    if ours > 1:
        for nearer in range(2, theirs):  # one after the other, or the recursion goes too deep
            match_winning_chance(ours, nearer, crawford_done, cap, backgammons, variant)
    elif not crawford_done:
        return (1 + Prices.of(even, game).at(even.win)) / 2  # the Crawford game
    elif cap > _NO_CUBE:
        game = game.other_side().after_double().other_side()  # the one behind doubles at once
    return (1 + holding(even, game)) / 2


def _seen_by_other(outlook: Outlook) -> Outlook:
    win, gammon, backgammon, lost_gammon, lost_backgammon = outlook
    return Outlook(1 - win, lost_gammon, lost_backgammon, gammon, backgammon)
