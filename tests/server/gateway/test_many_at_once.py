"""Many who come and go at the same moment: each is told of, once, and none is forgotten."""

import asyncio
import contextlib

from tavla_protocol import messages as m

from tests.support.players.lobby import Watch
from tests.support.players.matches import new_match
from tests.support.players.plain import Player

MATCHES = 20  # more than go in one turn of the loop


async def test_who_loses_the_opponent_in_a_crowd_of_others_is_told_once(node: str) -> None:
    async with contextlib.AsyncExitStack() as stack:
        players = [await stack.enter_async_context(Player(node)) for _ in range(2 * MATCHES)]
        pairs = list(zip(players[::2], players[1::2], strict=True))
        matches = [await new_match(white, black) for white, black in pairs]
        eve = await stack.enter_async_context(Player(node))
        watch = Watch(eve)
        await watch.follow("people")
        for white, _ in pairs:
            white.socket.transport.abort()
        for (_, black), match in zip(pairs, matches, strict=True):
            gone = await black.next(m.Presence)
            assert (gone.match, gone.seat, gone.online) == (match, 0, False)
        rows = await watch.until("people", lambda rows: not any(white.name in rows for white, _ in pairs))
        assert {black.name for _, black in pairs} | {eve.name} <= rows.keys()
        await asyncio.gather(*(white.open() for white, _ in pairs))
        await asyncio.gather(
            *(white.ask(m.Attach, table=match) for (white, _), match in zip(pairs, matches, strict=True))
        )
        for _, black in pairs:
            back = await black.next(m.Presence)
            assert (back.seat, back.online) == (0, True)
            assert not [message for message in await black.sync() if isinstance(message, m.Presence)], "told once"
