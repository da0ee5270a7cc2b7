"""A match that more people watch than are written to at a time: each still sees all of it, in order."""

import asyncio
import random

import pytest
from tavla_protocol import messages as m
from tavla_server.delivery import fanout

from tests.support.players.matches import at_match
from tests.support.players.plain import Player, within

WATCHERS = 40


async def look_on(watcher: Player, match: str, rng: random.Random) -> None:
    """Watch to the end; go away and come back now and then, with what was seen or with nothing."""
    await watcher.get(m.Snapshot, m.Attach, table=match)
    while watcher.matches[match].view.phase != "over":
        await watcher.receive()
        if rng.random() < 0.1:
            await watcher.ask(m.Detach, match=match)
            known = watcher.matches[match] if rng.random() < 0.5 else None
            have = {"epoch": known.epoch, "seq": known.seq} if known else {}
            answer = await watcher.ask(m.Attach, table=match, **have)
            assert isinstance(answer, m.Ok | m.Snapshot)


@pytest.mark.parametrize("pending", [fanout.PENDING_LIMIT, 1])
async def test_each_of_many_watchers_sees_everything_in_order(
    node: str, rng: random.Random, monkeypatch: pytest.MonkeyPatch, pending: int
) -> None:
    monkeypatch.setattr(fanout, "SLICE", 1)
    monkeypatch.setattr(fanout, "PENDING_LIMIT", pending)
    async with at_match(node, {"preset": "tournament", "length": 3}) as (white, black, match):
        watchers = [Player(node) for _ in range(WATCHERS)]
        for watcher in watchers:
            await watcher.open()
        watching = [asyncio.create_task(look_on(watcher, match, random.Random(rng.random()))) for watcher in watchers]
        await asyncio.gather(white.play(match, rng), black.play(match, rng))
        await within(asyncio.gather(*watching))  # where each update has to be the next one, and each view the same
        for watcher in watchers:
            assert watcher.matches[match].view == white.matches[match].view
            views = watcher.matches[match].views
            assert all(white.matches[match].views.get(seq, view) == view for seq, view in views.items())
        await asyncio.gather(*(watcher.close() for watcher in watchers))
