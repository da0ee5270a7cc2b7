"""Bots against each other without a server, for measuring: the rules play, and both sides get the same dice."""

import inspect
import math
import random
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from tavla_client import Bot, Play, Turn
from tavla_engine import actions as a
from tavla_engine.actions import Action, Seat
from tavla_engine.decide import decide
from tavla_engine.dice import Dice, Roller
from tavla_engine.errors import IllegalAction
from tavla_engine.match import Match, Phase, new_match, to_act
from tavla_engine.rules import Rules

from tavla_cli.records.steps import view_of

CONFIDENCE = 1.96  # standard errors on either side of a mean: 95 %


class Score(NamedTuple):
    """What one side won on average, and half the width of its 95 % interval. games: how many were played."""

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


async def deal(first: Bot, second: Bot, rules: Rules, seed: str) -> float:
    """The same dice twice, each side once on either seat; what the first bot won on average. Bots may play many deals.

    Points in money play, one game each; in a match 1 or -1.
    """
    there = await play((first, second), rules, shared_dice(seed))
    back = await play((second, first), rules, shared_dice(seed))
    return (_points(there, 0) + _points(back, 1)) / 2


def shared_dice(seed: str) -> Roller:
    """Dice by their number, from a text."""

    def roll(number: int) -> Dice:
        rng = random.Random(f"{seed}:{number}")
        return rng.randint(1, 6), rng.randint(1, 6)

    return roll


async def play(bots: tuple[Bot, Bot], rules: Rules, roll: Roller) -> Match:
    """One game of money play, or a match, to its end."""
    match = new_match(rules)
    asked: list[tuple[int, Phase]] = [(-1, Phase.READY)] * 2  # when each was last asked to resign
    while match.phase is not Phase.OVER and not (rules.length == 0 and match.outcome):
        seat = to_act(match)[0]
        action: Action
        if match.phase is Phase.READY:
            action = a.Ready(seat)
        else:
            turn = Turn("", view_of(match), seat)
            resign = 0
            if (
                rules.resignations
                and match.phase in (Phase.ROLL, Phase.MOVE)
                and asked[seat] != (match.rolls, match.phase)
            ):
                asked[seat] = (match.rolls, match.phase)
                resign = await _ask(bots[seat].offer_resign, turn)
            if resign:
                with suppress(IllegalAction):  # as little as was refused in this turn before: then it plays on
                    _, match = decide(match, a.Resign(seat, resign), roll)
                    continue
            action = await _decision(bots[seat], match, seat, turn)
        _, match = decide(match, action, roll)
    return match


async def _decision(bot: Bot, match: Match, seat: Seat, turn: Turn) -> Action:
    match match.phase:
        case Phase.ROLL:
            return a.Double(seat) if await _ask(bot.offer_double, turn) else a.Roll(seat)
        case Phase.CUBE:
            return a.Take(seat) if await _ask(bot.take_double, turn) else a.Drop(seat)
        case Phase.RESIGN:
            accepted = await _ask(bot.accept_resign, turn)
            return a.AcceptResignation(seat) if accepted else a.RefuseResignation(seat)
    chosen = await _ask(bot.choose_play, turn)
    return a.Move(seat, tuple(chosen.moves if isinstance(chosen, Play) else chosen))


async def _ask(hook: Any, turn: Turn) -> Any:
    answer = hook(turn)
    return await answer if inspect.isawaitable(answer) else answer


def _points(match: Match, seat: Seat) -> float:
    if match.rules.length:
        assert match.outcome is not None, "the match is over"
        return 1.0 if match.outcome.winner == seat else -1.0
    return float(match.score[seat] - match.score[1 - seat])
