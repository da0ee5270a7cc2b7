"""Bots against each other without a server, for measuring: the rules play, and both sides get the same dice."""

import math
import random
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from tavla_client import Bot, Failures, Turn, call_hook, meaningless, moves_of
from tavla_engine import actions as a
from tavla_engine.actions import Action, Seat
from tavla_engine.decide import decide
from tavla_engine.dice import Dice, Roller
from tavla_engine.errors import IllegalAction
from tavla_engine.match import Match, Phase, new_match
from tavla_engine.questions import to_act
from tavla_engine.rules import Rules

from tavla_cli.records.steps import view_of

CONFIDENCE = 1.96  # standard errors on either side of a mean: 95 %


class Score(NamedTuple):
    """Average win of one side, and half the width of its 95 % interval. games: how many were played."""

    mean: float
    plus_minus: float
    games: int


def score(points: Sequence[float], games: int) -> Score:
    """The average of independent samples."""
    mean = sum(points) / len(points)
    if len(points) < 2:
        return Score(mean, math.inf, games)
    variance = sum((value - mean) ** 2 for value in points) / (len(points) - 1)
    return Score(mean, CONFIDENCE * math.sqrt(variance / len(points)), games)


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
        side = _Side(bots[seat], Turn("", view_of(match), seat), failures)
        resignable = rules.resignations and match.phase in (Phase.ROLL, Phase.MOVE)
        if resignable and asked[seat] != (match.rolls, match.phase):
            asked[seat] = (match.rolls, match.phase)
            if (value := await side.resigned()) is not None:
                with suppress(IllegalAction):  # as little as was refused in this turn before: then it plays on
                    _, match = decide(match, a.Resign(seat, value), roll)
                    continue
        match = await side.decided(match, roll)
    return match


class _Side(NamedTuple):
    """A seat that is to act: a bot, and what it sees."""

    bot: Bot
    turn: Turn
    failures: Failures

    async def resigned(self) -> int | None:
        """The value that it offers to lose; None = nothing, or nonsense."""
        value = await self._ask("offer_resign")
        if not value:
            return None
        if value not in (1, 2, 3):
            meaningless(self.failures, self.bot, "offer_resign", value)
            return None
        return int(value)

    async def decided(self, match: Match, roll: Roller) -> Match:
        """The match after its decision."""
        seat = self.turn.seat
        action: Action
        match match.phase:
            case Phase.ROLL:
                action = a.Double(seat) if await self._ask("offer_double") else a.Roll(seat)
            case Phase.CUBE:
                action = a.Take(seat) if await self._ask("take_double") else a.Drop(seat)
            case Phase.RESIGN:
                accepted = await self._ask("accept_resign")
                action = a.AcceptResignation(seat) if accepted else a.RefuseResignation(seat)
            case _:
                return await self._played(match, roll)
        return decide(match, action, roll)[1]

    async def _played(self, match: Match, roll: Roller) -> Match:
        answer = await self._ask("choose_play")
        try:
            return decide(match, a.Move(self.turn.seat, tuple(moves_of(answer))), roll)[1]
        except IllegalAction as refused:
            hook = f"{type(self.bot).__name__}.choose_play"
            self.failures.add(hook, f"refused, {refused.reason}", detail=str(refused))
        except (TypeError, ValueError):
            meaningless(self.failures, self.bot, "choose_play", answer)
        play = random.choice(self.turn.plays)
        return decide(match, a.Move(self.turn.seat, play.moves), roll)[1]

    async def _ask(self, hook: str) -> Any:
        return await call_hook(self.bot, hook, self.turn, self.failures, in_thread=False)


def _points(match: Match, seat: Seat) -> float:
    if match.rules.length:
        assert match.outcome is not None, "the match is over"
        return 1.0 if match.outcome.winner == seat else -1.0
    return float(match.score[seat] - match.score[1 - seat])
