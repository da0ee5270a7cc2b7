"""Players who use the client library: how they play, and how they wait."""

import asyncio
import random
from collections.abc import Callable

from tavla_client import Lists, Match
from tavla_engine.plays import legal_plays
from tavla_engine.position import Position
from tavla_protocol.view import View

from tests.support.patience import PATIENCE_S


async def play(
    match: Match, rng: random.Random, before: Callable[[View], None] = lambda _: None, most: int | None = None
) -> View:
    """Play one side of a match to its end, asking for doubles and plays at random.

    before: told of every view. most: rolls after which this side forfeits.
    """
    async for change in match.changes():
        before(change.view)
        if change.seq == match.seq and change.what in ("snapshot", "update") and match.to_act:
            await (match.forfeit() if most and match.view.rolls >= most else _act(match, rng))
    return match.view


async def _act(match: Match, rng: random.Random) -> None:
    view = match.view
    match view.phase:
        case "ready":
            await match.ready()
        case "roll":
            await (match.double() if rng.random() < 0.2 else match.roll())
        case "cube":
            await (match.take() if rng.random() < 0.7 else match.drop())
        case _:
            board = Position(view.row(view.turn), view.row(1 - view.turn))
            await match.move(rng.choice(list(legal_plays(board, (view.dice[0], view.dice[1])).values())))


async def until(lists: Lists, wanted: Callable[[], bool]) -> None:
    """Follow the lists until they are as wanted."""
    async with asyncio.timeout(PATIENCE_S):
        while not wanted():
            await lists.changed()
