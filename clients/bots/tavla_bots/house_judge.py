"""The house's judge, which is always there: the house bot's evaluator, one roll ahead and two, with the cube.

A network errs to one side where it looks an odd number of rolls ahead, and to the other where it looks an even number:
what counts of plays has the mean of both. With the cube two rolls alone are nearer to the truth.
"""

from collections.abc import Callable

from tavla_client import Turn
from tavla_engine.actions import Seat
from tavla_engine.match import Match
from tavla_engine.position import Position

from tavla_bots.cube import Stakes, Value, on_roll, weights
from tavla_bots.evaluator import equities
from tavla_bots.house import House, has_hit_and_run
from tavla_bots.judging import CubeEquities, PlayRanking, turn_of
from tavla_bots.lookahead import CHANCES, ROLLS, after_rolls, cube_ahead, roll_ahead, rolls_ahead

HOUSE, GLANCE = "the house evaluator", "the house evaluator at a glance"  # as names of judges
CLOSE, MOST = 0.05, 3  # equity that a play may seem to lose, and how many plays are looked at one roll ahead
DOUBT, PLAIN = 0.01, 0.25  # equity that a play seems to lose, from and up to which two rolls are looked ahead


class HouseJudge:
    """The house evaluator as a judge of positions. deep: two rolls ahead, too, where it counts."""

    def __init__(self, deep: bool = True) -> None:
        self.name = HOUSE if deep else GLANCE
        self._plain, self._cube_value = (PLAIN, cube_ahead) if deep else (0.0, roll_ahead)
        self._house = House()

    def ranking(self, turn: Turn, made: Position) -> PlayRanking:
        """Every play: those near the best, and the one that was made, one roll ahead; that one and the best then two.

        All others stay as far behind the best as they seemed.
        """
        ranked = self._house.ranking(turn)
        (first, seemed), *_ = ranked
        near = [
            Position(*play.after)
            for place, (play, equity) in enumerate(ranked)
            if (place < MOST and seemed - equity <= CLOSE) or play.after == made
        ]
        if len(near) == 1 or not all(any(after.mine[1:]) for after in near):
            return PlayRanking(ranked, False)
        stakes, hit_and_run = Stakes.of(turn), has_hit_and_run(turn)
        theirs = stakes.other_side()

        def equity(after: Position, look: Callable[[Position, Stakes, bool], Value]) -> float:
            return stakes.equity(-on_roll(look(after.other_side(), theirs, hit_and_run), theirs))

        found = {after: equity(after, roll_ahead) for after in near}
        best = max(found, key=found.__getitem__)
        if DOUBT <= found[best] - found[made] < self._plain:
            deep = {after: (found[after] + equity(after, rolls_ahead)) / 2 for after in (best, made)}
            found = {after: here + deep[best] - found[best] for after, here in found.items()} | deep
        plays = [(play, found.get(play.after, here + found[best] - seemed)) for play, here in ranked]
        return PlayRanking(sorted(plays, key=lambda one: -one[1]), best != first.after)

    def cube(self, match: Match, seat: Seat, doubled: bool) -> CubeEquities:
        """Waiting and a double, one roll ahead, and two where it is close."""
        position, stakes = Position(match.board[seat], match.board[1 - seat]), Stakes.of(turn_of(match, seat))
        value = self._cube_value(position, stakes, match.rules.hit_and_run)
        return CubeEquities(*(stakes.equity(value(way)) for way in (stakes, stakes.after_double())))

    def luck(self, match: Match, opening: bool) -> float:
        """Luck without the cube."""
        assert match.dice is not None, "just rolled"
        stakes = Stakes.of(turn_of(match, match.turn)).other_side()
        value = weights(stakes)
        best = -equities(after_rolls([match.position], value, match.rules.hit_and_run)[0], value) / stakes.unit
        chances = CHANCES * [high != low for high, low in ROLLS] if opening else CHANCES
        return float(best[ROLLS.index(match.dice)] - best @ chances / chances.sum())
