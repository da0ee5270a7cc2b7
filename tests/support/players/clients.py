"""Players who use the client library: how they play, and how they wait."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from tavla_client import Bot, Callbacks, Client, Failures, Lists, Match, Pilot, Result, Turn
from tavla_engine.plays import legal_plays
from tavla_engine.position import Position
from tavla_protocol import messages as m
from tavla_protocol.view import View

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import unique


@asynccontextmanager
async def clients(url: str, *stems: str, **options: Any) -> AsyncIterator[list[Client]]:
    """Clients with names that no other test uses, one for each stem. options: of each of them."""
    async with asyncio.timeout(PATIENCE_S), AsyncExitStack() as stack:
        yield [await stack.enter_async_context(Client(url, name=unique(stem), **options)) for stem in stems]


class Cautious(Bot):
    """The bot of the README."""

    def choose_play(self, turn: Turn) -> Any:
        return min(turn.plays, key=lambda play: play.after.blots)


class Quick(Bot):
    """Plays the first play there is."""

    def choose_play(self, turn: Turn) -> Any:
        return turn.plays[0]


async def match_of_bots(
    url: str, white: Bot, black: Bot, rules: dict[str, bool | int | str], failures: Failures | None = None
) -> list[Result]:
    """Play a match of two bots through a server; what it is for each. failures: of white's hooks."""
    async with clients(url, "w", "b", bot=True) as (ada, bob):
        match = await ada.create(unique("t"), rules, "white")
        joined = await bob.join(match.id)
        return list(await asyncio.gather(Pilot(white, match, failures).play(), Pilot(black, joined).play()))


async def play(
    match: Match,
    rng: random.Random,
    before: Callable[[View], None] = lambda _: None,
    plays: Iterator[object] | None = None,
) -> View:
    """Play one side of a match to its end, asking for doubles and plays at random.

    before: told of every view. plays: one is taken for each play, and who finds none left forfeits; else without end.
    """
    async for change in match.changes():
        before(change.view)
        if change.seq == match.seq and change.what in ("snapshot", "update") and match.to_act:
            is_last = plays and match.view.phase == "move" and next(plays, None) is None
            await (match.forfeit() if is_last else _act(match, rng))
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


def challenges_of(client: Client) -> "asyncio.Queue[m.Challenged]":
    """Challenges that reach a client from now on."""
    news: asyncio.Queue[m.Challenged] = asyncio.Queue()
    client.callbacks = Callbacks(challenge=news.put_nowait)
    return news


async def until(lists: Lists, wanted: Callable[[], bool]) -> None:
    """Follow the lists until they are as wanted."""
    async with asyncio.timeout(PATIENCE_S):
        while not wanted():
            await lists.wait_for_change()
