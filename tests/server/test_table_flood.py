"""Ten thousand tables: each who opens them meets a limit and a clear answer, and others notice nothing."""

import asyncio
import time

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.requests.tables import TABLES_LIMIT

from tests.players import Player, Received, new_match, unique
from tests.servers import ServerProcess

FLOODERS = 40
CREATIONS = 250  # of each
BATCH = 50
PATIENCE_S = 5.0  # an action takes a few ms; the machine may be busy


async def answer_to(player: Player, id_: int) -> Received:
    """What the server answers to a request."""
    return await player.find(lambda message: getattr(message, "id", None) == id_)


async def flood(player: Player) -> int:
    """How many tables one player gets by asking as fast as the server reads."""
    opened = 0
    for _ in range(CREATIONS // BATCH):
        ids = [await player.send(m.Create, name=unique("t")) for _ in range(BATCH)]
        for answer in [await answer_to(player, id_) for id_ in ids]:
            if isinstance(answer, m.Error):
                assert answer.code == ErrorCode.TOO_MANY
                assert "table" in answer.text
            else:
                opened += 1
    return opened


async def test_ten_thousand_tables_are_a_limit_for_some_and_nothing_for_others(own_server: ServerProcess) -> None:
    async with Player(own_server.url) as white, Player(own_server.url) as black:
        match = await new_match(white, black)
        flooders = [Player(own_server.url) for _ in range(FLOODERS)]
        await asyncio.gather(*(flooder.open() for flooder in flooders))
        flooding = asyncio.gather(*map(flood, flooders))
        waits: list[float] = []
        while not flooding.done():
            began = time.monotonic()
            answer = await white.act(m.Auto, match, what="play", on=len(waits) % 2 == 0)
            assert isinstance(answer, m.Ok), answer
            await black.reach(match, answer.seq or 0)
            waits.append(time.monotonic() - began)
        assert await flooding == [TABLES_LIMIT] * FLOODERS
        assert max(waits) < PATIENCE_S
        assert len(waits) > 10
        await asyncio.gather(*(flooder.close() for flooder in flooders))
