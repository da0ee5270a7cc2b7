"""A pilot whose actions come too late, or are refused."""

import asyncio
import logging

import pytest
from tavla_client import Bot, Client, Pilot, Result
from tavla_protocol import messages as m

from tests.support.players.plain import within
from tests.support.servers.scripted import VIEW, attached, change, scripted

REFUSALS = [  # code, whether the match has gone on when the refusal comes, whether a line in the log says so
    ("stale", True, False),
    ("wrong_phase", True, False),
    ("wrong_phase", False, False),
    ("too_many", False, True),
]


@pytest.mark.parametrize(("code", "went_on", "logged"), REFUSALS)
async def test_what_is_refused_is_decided_anew_when_the_match_has_changed(
    caplog: pytest.LogCaptureFixture, code: str, went_on: bool, logged: bool
) -> None:
    theirs, turned = change(VIEW, turn=1, rolls=2)
    ours, back = change(theirs, turn=0, rolls=3)
    _, ended = change(ours, phase="over", score=(1, 0), outcome=(0, 1, 1, "forfeit"))
    async with scripted() as server, Client(server.url, name="ada", bot=True) as client:
        connection = await server.accept()
        playing = asyncio.create_task(Pilot(Bot(), await attached(client, connection)).play())
        with caplog.at_level(logging.WARNING, "tavla_client"):
            first = await connection.expect(m.Roll)
            if went_on:
                await connection.update(6, turned)
            await connection.send(m.Error(id=first.id, code=code, text="not now", seq=6 if went_on else 5))
            assert await connection.silent(), "nothing of ours is to be done"
            if not went_on:
                await connection.update(6, turned)
            await connection.update(7, back)
            second = await connection.expect(m.Roll)
            assert second.seq == 7
            await connection.update(8, ended)
            await connection.send(m.Ok(id=second.id, seq=8))
        assert (await within(playing))[:-1] == Result("m1", "bob", True, (1, 0), "forfeit")[:-1]
        assert ("refused: not now" in caplog.text) is logged
