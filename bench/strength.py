"""Strength of the computer: against GNU Backgammon's level `expert`, which does not look ahead, and Sage's.

`python -m bench.strength` plays each deal from both sides with the same dice, as `tavla arena --local` does, and writes
points a game, or matches won, with 95 % intervals. `python -m bench.strength sage 1000 500` plays so many games of Sage
against `world-class` without the cube, and so many with it, and writes them with luck taken out as well: the dice of
both sides, as the house and Sage see them, which changes no mean. Stopped, it goes on with the deals that it lacks.
"""

import asyncio
import sys
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import cache
from typing import Any, ClassVar, NamedTuple
from unittest.mock import patch

from tavla_bots import BOTS
from tavla_bots.house_judge import HouseJudge
from tavla_bots.judging import PositionJudge
from tavla_bots.sage import SageJudge, board_of
from tavla_bots.sage_bot import SageBot
from tavla_cli.bots import local_match
from tavla_client import Bot, Failures, Play, Turn
from tavla_engine import events as e
from tavla_engine.actions import Action
from tavla_engine.apply import apply
from tavla_engine.decide import decide
from tavla_engine.dice import Roller
from tavla_engine.events import Event
from tavla_engine.match import Match, Phase, new_match
from tavla_engine.rules import Rules

from bench.progress import results_of
from tests.support.results import recorded, table


class Opposition(NamedTuple):
    """A line of the table. length: 0 = money. games: or matches, both sides of a deal counted."""

    bot: str
    length: int
    cube: bool
    games: int


OPPOSITIONS = (
    Opposition("expert", 0, False, 1000),
    Opposition("expert", 0, True, 1000),
    Opposition("expert", 7, True, 600),
    Opposition("world-class", 7, True, 300),
)
PROCESSES = 8  # GNU Backgammon takes 10 ms for an answer, and hardly computes


class CubelessSage(SageBot):
    """Bot of Sage without a cube: as it plays the Crawford game of a long match, in which points count as in money."""

    stakes: ClassVar[dict[str, Any]] = {
        "cube_value": 1,
        "cube_owner": "centered",
        "away1": 25,
        "away2": 25,
        "is_crawford": True,
        "jacoby": False,
        "beaver": False,
    }

    def choose_play(self, turn: Turn) -> Play:
        """The best play by two plies."""
        after = [board_of(play.after) for play in turn.plays]
        self._process = self._running()  # which ends with its last player
        found = self._process.ask(board=board_of(turn.board), after=after, made=None, stakes=self.stakes)
        place: int = found["plays"][0][0]
        return turn.plays[place]


@cache
def bot(name: str) -> Bot:
    """A bot that plays all deals of a process."""
    return CubelessSage() if name == "cubeless" else BOTS[name]()


def deal(name: str, length: int, cube: bool, number: int) -> float:
    """The bot's mean gain, points or 1 for a match, of both sides of a deal."""
    failures = Failures()
    rules = Rules(length=length, cube=cube, crawford=length > 0)
    won = asyncio.run(local_match.deal(bot(name), bot("gnubg"), rules, f"strength:{number}", failures))
    assert not failures, failures.counts
    return won


def events_of(bots: tuple[Bot, Bot], rules: Rules, seed: str) -> list[Event]:
    """Events of a game of money play, or a match, of two bots. The dice follow from the seed."""
    events: list[Event] = []

    def noted(match: Match, action: Action, roll: Roller) -> tuple[list[Event], Match]:
        done, after = decide(match, action, roll)
        events.extend(done)
        return done, after

    failures = Failures()
    with patch("tavla_cli.bots.local_match.decide", noted):
        asyncio.run(local_match.play(bots, rules, local_match.shared_dice(seed), failures))
    assert not failures, failures.counts
    return events


@cache
def judge_of_dice(cube: bool) -> PositionJudge:
    """The judge of all dice of a process."""
    return SageJudge() if cube else HouseJudge()


def sage_deal(cube: bool, number: int) -> tuple[float, float]:
    """Sage's mean gain against `world-class`, points of both sides of a deal; and the same less its luck."""
    rules = Rules(length=0, cube=cube, crawford=False)
    sage, other = bot("sage" if cube else "cubeless"), bot("world-class")
    there = gains(rules, events_of((sage, other), rules, f"strength:{number}"))
    back = gains(rules, events_of((other, sage), rules, f"strength:{number}"))
    points, fair = ((ours - theirs) / 2 for ours, theirs in zip(there, back, strict=True))
    return points, fair


def gains(rules: Rules, events: Sequence[Event]) -> tuple[float, float]:
    """Points that seat 0 has won in a game of money play; and the same less the luck of both."""
    match, luck = new_match(rules), [0.0, 0.0]
    for event in events:
        match = apply(match, event)
        if isinstance(event, e.Rolled | e.OpeningRolled) and match.phase is Phase.MOVE:
            luck[match.turn] += match.cube.value * judge_of_dice(rules.cube).luck(match, match.rolls == 1)
    points = match.score[0] - match.score[1]
    return points, points - luck[0] + luck[1]


def row(one: Opposition, pool: Executor) -> Sequence[object]:
    """A line of the table."""
    tasks = [[one.bot, one.length, one.cube, number] for number in range(one.games // 2)]
    mean, plus_minus, games = local_match.score(results_of("strength", tasks, deal, pool), one.games)
    if one.length:
        return f"`{one.bot}`", f"{one.length} points", games, f"{50 + 50 * mean:.1f} ± {50 * plus_minus:.1f} % won"
    return f"`{one.bot}`", money(one.cube), games, f"{mean:+.3f} ± {plus_minus:.3f}"


def sage_row(cube: bool, games: int, pool: Executor) -> Sequence[object]:
    """A line of Sage's table."""
    deals = results_of("strength-sage", [[cube, number] for number in range(games // 2)], sage_deal, pool)
    scores = [local_match.score(some, games) for some in zip(*deals, strict=True)]
    return money(cube), games, *(f"{mean:+.3f} ± {error:.3f}" for mean, error, _ in scores)


def money(cube: bool) -> str:
    """Rules of money play, in words."""
    return f"money, {'with' if cube else 'no'} cube"


def main(*sage: str) -> None:
    """Play, then write the table. sage: numbers of Sage's games, without the cube and with it."""
    with ProcessPoolExecutor(1 if sage else PROCESSES) as pool:
        if sage:
            rows = [sage_row(bool(cube), int(many), pool) for cube, many in enumerate(sage)]
        else:
            rows = [row(one, pool) for one in OPPOSITIONS]
    with recorded("strength_sage" if sage else "strength"):
        against = "`sage` against `world-class`" if sage else "against GNU Backgammon, 0-ply | rules"
        gain = "points a game | without luck" if sage else "points a game, or matches"
        print("\n".join(table(f"{against} | games | {gain}", rows)))


if __name__ == "__main__":
    main(*sys.argv[2:])
