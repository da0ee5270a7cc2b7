"""Deeper looks: for accounts, at decisions of matches that are over, so many a day, and no longer than their client."""

import asyncio
import os
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.features.analysis import deeper
from tavla_server.features.archive.archive import Archive
from tavla_server.limits import Limits, Quota
from tavla_server.record.events import Terms

from tests.support.patience import PATIENCE_S, PAUSE_S, wait_until
from tests.support.players.accounts import registered
from tests.support.players.plain import Player, refused
from tests.support.servers.processes import children, inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.archiving import archive_at
from tests.support.stores.judged import decided, judged

pytestmark = pytest.mark.slow  # it starts programs

ONE = Limits(looks=Quota(1, 86_400))


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may take longer than a player waits."""
    monkeypatch.setattr(deeper, "LIMIT_S", PATIENCE_S)


@pytest.fixture
async def archive(tmp_path: Path) -> AsyncIterator[Archive]:
    async with archive_at(url_of(tmp_path)) as archive:
        yield archive


def url_of(folder: Path) -> str:
    return f"sqlite:///{folder}/archive.sqlite3"


async def decisions(archive: Archive, match: str) -> list[dict[str, Any]]:
    """The decisions of a match, as one asks for them: plays first."""
    journal = await archive.journal(match)
    assert journal is not None
    found = [one for _, one in decided(journal)]
    return [
        {"match": match, "game": one.game, "turn": one.turn, "seat": one.seat, "done": one.done}
        for one in sorted(found, key=lambda one: "/" not in one.done)
    ]


def lookers() -> list[int]:
    """Processes of ours that look."""
    return children(os.getpid(), "http.server")


async def test_an_account_is_told_what_each_choice_is_worth(
    valkey: Valkey, archive: Archive, rng: random.Random, tmp_path: Path
) -> None:
    match = await judged(archive, rng)
    play, *_, cube = await decisions(archive, match)
    async with inside(valkey.url, archive=url_of(tmp_path), analysis=True, judge="house") as node, Player(node) as ada:
        assert refused(await ada.ask(m.LookDeeper, **play)) == ErrorCode.ACCOUNT_NEEDED
        await registered(ada)
        found = await ada.get(m.DeeperLook, m.LookDeeper, **play)
        assert found.by == "the house evaluator"
        assert play["done"] in [choice for choice, _, _ in found.choices]
        assert all(error is None for _, _, error in found.choices)
        cube_found = await ada.get(m.DeeperLook, m.LookDeeper, **cube)
        assert {choice for choice, _, _ in cube_found.choices} == {"no double", "double, take", "double, drop"}


async def test_what_cannot_be_looked_at_is_refused(
    valkey: Valkey, archive: Archive, rng: random.Random, tmp_path: Path
) -> None:
    match, private = await judged(archive, rng), await judged(archive, rng, terms=Terms(code="abcd"))
    play, *_ = await decisions(archive, match)
    others: dict[str, Any] = {"analysis": True, "judge": "house", "limits": ONE}
    async with inside(valkey.url, archive=url_of(tmp_path), **others) as node, Player(node) as ada:
        await registered(ada)
        for changed, code in (
            ({"match": "nosuch"}, ErrorCode.NO_SUCH_MATCH),
            ({"match": private}, ErrorCode.PRIVATE),
            ({"turn": 999}, ErrorCode.BAD_MESSAGE),
            ({"done": "1/2"}, ErrorCode.BAD_MESSAGE),
        ):
            assert refused(await ada.ask(m.LookDeeper, **{**play, **changed})) == code
        await ada.get(m.DeeperLook, m.LookDeeper, **play)
        assert refused(await ada.ask(m.LookDeeper, **play)) == ErrorCode.TOO_MANY
    async with inside(valkey.url, archive=url_of(tmp_path)) as node, Player(node) as ada:
        assert refused(await ada.ask(m.LookDeeper, **play)) == ErrorCode.NO_ARCHIVE


async def test_a_look_that_finds_nothing_in_time_is_refused_so_that_no_client_sends_it_again_by_itself(
    valkey: Valkey, archive: Archive, rng: random.Random, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play, *_ = await decisions(archive, await judged(archive, rng))
    monkeypatch.setattr(deeper, "PROGRAM", "http.server")  # which never answers
    monkeypatch.setattr(deeper, "LIMIT_S", PAUSE_S)
    async with inside(valkey.url, archive=url_of(tmp_path), analysis=True, judge="0") as node, Player(node) as ada:
        await registered(ada)
        answer = await ada.ask(m.LookDeeper, **play)
        assert isinstance(answer, m.Error)
        assert answer.code == ErrorCode.TOO_MANY  # `unavailable` asks for the same again
        assert answer.retry_after > 0


async def test_a_look_ends_with_its_client_and_the_next_one_comes(
    valkey: Valkey, archive: Archive, rng: random.Random, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await judged(archive, rng)
    play, *_ = await decisions(archive, match)
    monkeypatch.setattr(deeper, "PROGRAM", "http.server")  # which never answers
    async with inside(valkey.url, archive=url_of(tmp_path), analysis=True, judge="0") as node:
        for _ in range(2):
            async with Player(node) as ada:
                await registered(ada)
                asking = asyncio.create_task(ada.ask(m.LookDeeper, **play))
                await wait_until(lookers)
                assert len(lookers()) == 1
                asking.cancel()
            await wait_until(lambda: not lookers())
