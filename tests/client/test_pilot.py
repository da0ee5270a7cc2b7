"""A pilot whose actions come too late, or are refused; and its pace."""

import asyncio
import logging
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from tavla_client import Bot, Client, Pilot, Result, TimeLeft, Turn, human_pace
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


@pytest.mark.parametrize(("accepts", "expected"), [(True, m.Accept), (False, m.Refuse)])
async def test_a_resignation_is_answered_as_the_bot_decides(accepts: bool, expected: type[m.MatchAction]) -> None:
    class Answering(Bot):
        def accept_resign(self, turn: Turn) -> bool:
            return accepts

    offered = replace(VIEW, turn=1, phase="resign", resignation=(1, 2))
    _, ended = change(offered, phase="over", score=(2, 0), outcome=(0, 2, 1, "resignation"))
    async with scripted() as server, Client(server.url, name="ada", bot=True) as client:
        connection = await server.accept()
        playing = asyncio.create_task(Pilot(Answering(), await attached(client, connection, offered)).play())
        answer = await connection.expect(expected)
        await connection.update(6, ended)
        await connection.send(m.Ok(id=answer.id, seq=6))
        assert (await within(playing)).won


async def test_at_a_persons_pace_it_takes_its_time_and_leaves_when_the_match_is_over() -> None:
    asked: list[str] = []

    def slow(hook: str, _turn: Turn, _answer: object) -> float:
        asked.append(hook)
        return 3600 if hook == "offer_double" else 0

    _, ended = change(VIEW, phase="over", score=(1, 0), outcome=(0, 1, 1, "forfeit"))
    async with scripted() as server, Client(server.url, name="ada", bot=True) as client:
        connection = await server.accept()
        playing = asyncio.create_task(Pilot(Bot(), await attached(client, connection), pace=slow).play())
        assert await connection.silent(), "it considers, and has not rolled"
        await connection.update(6, ended)
        assert (await within(playing)).won
    assert asked == ["offer_resign", "offer_double"]


SAME = SimpleNamespace(uniform=lambda low, high: (low + high) / 2)
TIMES = [  # hook, dice, answer, free seconds of a clock, seconds
    ("choose_play", (3, 1), None, None, 0.6 + 0.25 * 4),  # 16 plays
    ("choose_play", (5, 5), None, None, 0.6 + 0.25 * 2),  # 4
    ("choose_play", (3, 1), None, 3.0, 1.0),
    ("choose_play", (3, 1), None, 0.0, 0.0),
    ("offer_double", (), False, None, 0.0),
    ("offer_double", (), True, None, 2.0),
    ("take_double", (), False, None, 2.0),
    ("offer_resign", (), 0, 8.0, 0.0),
    ("accept_resign", (), True, 3.0, 1.0),
]


@pytest.mark.parametrize(("hook", "dice", "answer", "free_s", "expected_s"), TIMES)
def test_a_person_takes_longer_for_more_plays_and_nothing_from_the_reserve(
    hook: str, dice: tuple[int, ...], answer: object, free_s: float | None, expected_s: float
) -> None:
    view = replace(VIEW, phase="move" if dice else "roll", dice=dice)
    turn = Turn("m1", view, 0, None if free_s is None else TimeLeft(free_s, 60.0))
    rng: Any = SAME
    assert human_pace(hook, turn, answer, rng) == pytest.approx(expected_s)
