"""The house's judge, which is always there: the house bot's evaluator one roll ahead, plays without the cube."""

from tavla_client import Turn
from tavla_engine.actions import Seat
from tavla_engine.match import Match
from tavla_engine.position import Position

from tavla_bots.cube import Stakes, ahead, weights
from tavla_bots.evaluator import equities
from tavla_bots.house import House, ranking_ahead
from tavla_bots.judging import CubeEquities, PlayRanking, turn_of
from tavla_bots.lookahead import CHANCES, ROLLS, after_rolls, rolls_ahead

HOUSE = "the house evaluator"  # as the name of the judge
CLOSE, MOST = 0.05, 3  # equity that a play may seem to lose, and how many plays are looked at one roll ahead


class HouseJudge:
    """The house evaluator as a judge of positions."""

    name = HOUSE

    def __init__(self) -> None:
        self._house = House()

    def ranking(self, turn: Turn, made: Position) -> PlayRanking:
        """Every play; those near the best, and the one that was made, one roll ahead, and before all others."""
        ranked = self._house.ranking(turn)
        (first, best), *_ = ranked
        seen = [
            place
            for place, (play, equity) in enumerate(ranked)
            if (place < MOST and best - equity <= CLOSE) or play.after == made
        ]
        near = [ranked[place][0] for place in seen]
        if len(near) == 1 or not all(any(play.after.mine[1:]) for play in near):
            return PlayRanking(ranked, False)
        ahead = ranking_ahead(turn, near)
        least = ahead[-1][1]
        others = [(play, min(equity, least)) for place, (play, equity) in enumerate(ranked) if place not in seen]
        return PlayRanking(ahead + others, ahead[0][0] != first)

    def cube(self, match: Match, seat: Seat, doubled: bool) -> CubeEquities:
        """Waiting and a double, one roll ahead."""
        position, stakes = Position(match.board[seat], match.board[1 - seat]), Stakes.of(turn_of(match, seat))
        rolls = rolls_ahead(position, stakes, match.rules.hit_and_run)
        return CubeEquities(*(stakes.equity(ahead(rolls, one)) for one in (stakes, stakes.after_double())))

    def luck(self, match: Match, opening: bool) -> float:
        """Luck without the cube."""
        assert match.dice is not None, "just rolled"
        stakes = Stakes.of(turn_of(match, match.turn)).other_side()
        value = weights(stakes)
        best = -equities(after_rolls([match.position], value, match.rules.hit_and_run)[0], value) / stakes.unit
        chances = CHANCES * [high != low for high, low in ROLLS] if opening else CHANCES
        return float(best[ROLLS.index(match.dice)] - best @ chances / chances.sum())
