"""The client library looks back: a match's record in one piece, however many pages it takes."""

import asyncio

import pytest
from tavla_client import Client
from tavla_server.limits import Limits

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import unique


@pytest.mark.parametrize("limits", [Limits(record_page=2)])
async def test_a_record_is_whole(node: str) -> None:
    ada, bob = Client(node, name=unique("ada")), Client(node, name=unique("bob"))
    async with asyncio.timeout(PATIENCE_S), ada, bob:
        match = await ada.create(unique("t"), {"length": 1}, "white")
        played = await bob.join(match.id)
        await played.wait_for_start()
        for _ in range(3):
            await played.auto("play", on=True)
            await played.auto("play", on=False)
        record = await ada.archive.record(match.id)
        assert {event[0] for event in record.events} == set(range(1, record.seq + 1))
        assert (record.seq, record.next, record.view["name"]) == (10, None, match.view.name)
        later = await ada.archive.record(match.id, after=5)
        assert later.events == [event for event in record.events if event[0] > 5]
