"""Bots against each other without a server, for measuring: the rules play, and both sides get the same dice."""

import math
import random
import statistics
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from tavla_client import Bot, Failures, Turn, call_hook, meaningless, moves_of
from tavla_engine import actions as a
from tavla_engine.actions import Action, Seat
from tavla_engine.conditions import to_act
from tavla_engine.decide import decide
from tavla_engine.dice import Dice, Roller
from tavla_engine.errors import IllegalAction
from tavla_engine.match import Match, Phase, new_match
from tavla_engine.plays import check_play
from tavla_engine.position import Play
from tavla_engine.rules import Rules

from tavla_cli.records.steps import view_of

CONFIDENCE = 1.96  # standard errors on either side of a mean: 95 %


class Score(NamedTuple):
    """The score of one side: its average win, and half the width of its 95 % interval. games: how many were played."""

    mean: float
    plus_minus: float
    games: int


def score(points: Sequence[float], games: int) -> Score:
    """The average of independent samples."""
    error = math.inf if len(points) < 2 else statistics.stdev(points) / math.sqrt(len(points))
    return Score(statistics.fmean(points), CONFIDENCE * error, games)


async def deal(first: Bot, second: Bot, rules: Rules, seed: str, failures: Failures) -> float:
    """The same dice twice, each side once on either seat; what the first bot won on average. Bots may play many deals.
    What their hooks fail at is counted, and the default done, as through a server.

    Points in money play, one game each; in a match 1 or -1.
    """
    there = await play((first, second), rules, shared_dice(seed), failures)
    back = await play((second, first), rules, shared_dice(seed), failures)
    return (_points(there, 0) + _points(back, 1)) / 2


def shared_dice(seed: str) -> Roller:
    """Dice by their number, from a text."""

    def roll(number: int) -> Dice:
        rng = random.Random(f"{seed}:{number}")
        return rng.randint(1, 6), rng.randint(1, 6)

    return roll


async def play(bots: tuple[Bot, Bot], rules: Rules, roll: Roller, failures: Failures) -> Match:
    """Play a game of money play, or a match, to its end."""
    match = new_match(rules)
    asked: list[tuple[int, Phase]] = [(-1, Phase.READY)] * 2  # when each was last asked to resign
    while match.phase is not Phase.OVER and not (rules.length == 0 and match.outcome):
        seat = to_act(match)[0]
        if match.phase is Phase.READY:
            _, match = decide(match, a.Ready(seat), roll)
            continue
        side = Side(bots[seat], Turn("", view_of(match), seat), failures)
        resignable = rules.resignations and match.phase in (Phase.ROLL, Phase.MOVE)
        if resignable and asked[seat] != (match.rolls, match.phase):
            asked[seat] = (match.rolls, match.phase)
            if (value := await side.resignation()) is not None:
                with suppress(IllegalAction):  # as little as was refused in this turn before: then it plays on
                    _, match = decide(match, a.Resign(seat, value), roll)
                    continue
        _, match = decide(match, await side.action(match), roll)
    return match


class Side(NamedTuple):
    """A side that is to act: a bot, and the turn that it sees."""

    bot: Bot
    turn: Turn
    failures: Failures

    async def resignation(self) -> int | None:
        """The value that it offers to lose; None = nothing, or nonsense."""
        value = await self._ask("offer_resign")
        if not value:
            return None
        if value not in (1, 2, 3):
            meaningless(self.failures, self.bot, "offer_resign", value)
            return None
        return int(value)

    async def action(self, match: Match) -> Action:
        """The bot's decision. A play that is refused is counted, and any other one made instead."""
        seat = self.turn.seat
        match match.phase:
            case Phase.ROLL:
                return a.Double(seat) if await self._ask("offer_double") else a.Roll(seat)
            case Phase.CUBE:
                return a.Take(seat) if await self._ask("take_double") else a.Drop(seat)
            case Phase.RESIGN:
                accepted = await self._ask("accept_resign")
                return a.AcceptResignation(seat) if accepted else a.RefuseResignation(seat)
            case _:
                return a.Move(seat, await self._moves(match))

    async def _moves(self, match: Match) -> Play:
        answer = await self._ask("choose_play")
        assert match.dice is not None, "a play has dice"
        try:
            moves = tuple(moves_of(answer))
            check_play(match.position, match.dice, moves, match.rules.hit_and_run)
        except IllegalAction as refused:
            hook = f"{type(self.bot).__name__}.choose_play"
            self.failures.add(hook, f"refused, {refused.reason}", detail=str(refused))
        except (TypeError, ValueError):
            meaningless(self.failures, self.bot, "choose_play", answer)
        else:
            return moves
        return random.choice(self.turn.plays).moves

    async def _ask(self, hook: str) -> Any:
        return await call_hook(self.bot, hook, self.turn, self.failures, in_thread=False)


def _points(match: Match, seat: Seat) -> float:
    if match.rules.length:
        assert match.outcome is not None, "the match is over"
        return 1.0 if match.outcome.winner == seat else -1.0
    return float(match.score[seat] - match.score[1 - seat])
