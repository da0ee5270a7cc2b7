"""Programs that play those who ask: what everyone sees of them, and who may sit down with whom."""

import asyncio
from contextlib import AsyncExitStack

import pytest
from tavla_protocol import messages as m
from tavla_server import app

from tests.support.lobby import Watch
from tests.support.patience import NEVER_AGAIN, PATIENCE_S
from tests.support.players import Player, refused, unique
from tests.support.servers import ServerProcess, Valkey, inside


def bot(url: str) -> Player:
    """A program that has not connected yet."""
    return Player(url, hello={"name": unique("bot"), "bot": True})


async def test_an_available_program_is_seen_until_it_is_not_any_more(server: ServerProcess) -> None:
    async with Player(server.url) as eve, bot(server.url) as gnu:
        name = gnu.name or ""
        watch = Watch(eve)
        await watch.follow("people")
        await watch.until("people", lambda rows: name in rows)
        said = {"places": 3, "level": "beginner", "rules": {"variant": ["standard"], "cube": [True, False]}}
        assert isinstance(await gnu.ask(m.Available, **said), m.Ok)
        row = (await watch.until("people", lambda rows: "places" in rows[name]))[name]
        assert {**row, **said} == row
        await gnu.ask(m.Available, places=0)
        await watch.until("people", lambda rows: "places" not in rows[name])
        await gnu.ask(m.Available, places=1)
        await watch.until("people", lambda rows: "places" in rows[name])
        async with Player(server.url, token=gnu.token):
            await gnu.close()
            await watch.until("people", lambda rows: "places" not in rows[name])


async def test_people_are_never_available(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        assert refused(await ada.ask(m.Available, places=1)) == "bots_only"


async def test_a_table_that_waits_for_the_computer_is_taken_by_exactly_one_program(server: ServerProcess) -> None:
    async with AsyncExitStack() as stack:
        ada, bob = [await stack.enter_async_context(Player(server.url)) for _ in range(2)]
        bots = [await stack.enter_async_context(bot(server.url)) for _ in range(5)]
        table = await ada.ask(m.Create, name=unique("t"), opponent="computer")
        assert isinstance(table, m.Snapshot)
        assert refused(await bob.ask(m.Join, table=table.match)) == "bots_only"
        answers = await asyncio.gather(*(one.ask(m.Join, table=table.match) for one in bots))
        assert sum(isinstance(answer, m.Snapshot) for answer in answers) == 1
        assert {answer.code for answer in answers if isinstance(answer, m.Error)} == {"table_full"}


async def test_a_limit_says_when_to_ask_again(valkey: Valkey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "OPENED_BURST", 1.0)
    monkeypatch.setattr(app, "OPENED_PER_S", NEVER_AGAIN)
    async with inside(valkey.url) as node, bot(node) as gnu:
        assert isinstance(await gnu.ask(m.Create, name=unique("t")), m.Snapshot)
        answer = await gnu.ask(m.Create, name=unique("t"))
        assert refused(answer) == "too_many"
        assert isinstance(answer, m.Error)
        assert 1 / NEVER_AGAIN - PATIENCE_S < answer.retry_after <= 1 / NEVER_AGAIN


async def test_programs_and_people_play_for_their_ratings_when_both_have_asked_for_it(
    server: ServerProcess, rules: dict[str, bool | int | str]
) -> None:
    async with Player(server.url) as ada, Player(server.url) as bob, bot(server.url) as gnu, bot(server.url) as other:
        for player in (ada, bob, gnu, other):
            assert isinstance(await player.ask(m.Register, password="long enough"), m.Ok)
        rated = {**rules, "rated": True}

        async def opened(player: Player, opponent: str = "person") -> str:
            table = await player.ask(m.Create, name=unique("t"), rules=rated, opponent=opponent)
            assert isinstance(table, m.Snapshot), table
            return table.match

        for_people, for_programs, of_a_program = await opened(ada), await opened(ada, "computer"), await opened(gnu)
        assert refused(await gnu.ask(m.Join, table=for_people)) == "people_only"
        assert isinstance(await gnu.ask(m.Join, table=for_programs), m.Snapshot)
        assert isinstance(await other.ask(m.Join, table=of_a_program), m.Snapshot)
        assert isinstance(await bob.ask(m.Join, table=for_people), m.Snapshot)
        for player in (ada, gnu, bob, other):
            assert isinstance(await player.ask(m.Seek, rules=rated), m.Ok)
        found = {player.name: (await player.next(m.Matched)).match for player in (ada, bob, gnu, other)}
        assert found[ada.name] == found[bob.name] != found[gnu.name] == found[other.name]
