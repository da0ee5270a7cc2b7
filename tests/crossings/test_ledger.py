"""The ledger of a program that was started anew, at a server that was put back, restored or killed meanwhile."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tavla_client import Client, Match, Pledges, Refused
from tavla_client.pledges import Counts
from tavla_server.commands.backup import backup, restore
from tavla_server.match.census import fork_all
from tavla_server.options import Options
from tavla_server.store.client import connection_to

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import unique
from tests.support.servers.processes import NewServer, inside
from tests.support.servers.scripted import Waits
from tests.support.servers.valkey import Valkey
from tests.support.stores.journals import Past

RULES: dict[str, bool | int | str] = {"preset": "tournament", "length": 3, "cube": False}


class Away:
    """A match of two players whose programs have ended; ada's has written down what it saw."""

    def __init__(self, store: Valkey, folder: Path) -> None:
        self.store, self.folder, self.name, self.waits = store, folder, unique("ada"), Waits()
        self.match = self.token = ""
        self.past: Past | None = None

    def ada(self, url: str) -> Client:
        """Ada's program, as it is started each time."""
        return Client(url, name=self.name, token=self.token, pledges=Pledges(self.folder), sleep=self.waits)

    async def play(self, games: int, keeps: int) -> None:
        """Play some games, of which the store may later know the first ones alone. keeps: how many."""
        async with inside(self.store.url) as url, self.ada(url) as ada, Client(url, name=unique("bob")) as bob:
            opened = await ada.create(unique("t"), RULES, "white")
            joined = await bob.join(opened.id)
            for match in (opened, joined):
                await match.wait_for_start()
            for number in range(games):
                if number == keeps:
                    self.past = Past(self.store.url, opened.id)
                await end_of_game(opened, joined)
            self.match, self.token = opened.id, ada.me.token or ""

    @contextlib.asynccontextmanager
    async def back(self) -> AsyncIterator[tuple[Client, Match]]:
        """Ada comes back, to another node."""
        async with inside(self.store.url) as url, self.ada(url) as ada:
            yield ada, await ada.attach(self.match)


async def end_of_game(one: Match, other: Match) -> None:
    """The first player resigns, and both are ready for the next game."""
    game = one.view.game
    await one.resign(1)
    while other.view.resignation is None:
        await other.next_change()
    await other.accept()
    await other.ready()
    while one.view.phase != "ready":
        await one.next_change()
    await one.ready()
    for match in (one, other):
        while match.view.game == game:
            await match.next_change()


@pytest.fixture
async def away(own_valkey: Valkey, tmp_path: Path) -> AsyncIterator[Away]:
    async with asyncio.timeout(PATIENCE_S):
        yield Away(own_valkey, tmp_path / "seeds")


async def test_a_match_that_is_as_it_was_is_as_it_was(away: Away) -> None:
    await away.play(games=1, keeps=1)
    async with away.back() as (ada, match):
        assert (match.losses, match.dice.fault, ada.counts) == (0, "", Counts(1))
        await match.forfeit()
        assert (await match.verdict()).sound
    async with away.back() as (ada, match):
        assert (match.view.phase, match.losses, match.dice.fault, ada.counts) == ("over", 0, "", Counts(1))
    assert away.waits.seconds == []


async def test_a_restore_by_which_nothing_is_lost_is_nothing(away: Away) -> None:
    await away.play(games=1, keeps=1)
    async with connection_to(away.store.url) as redis:
        assert await fork_all(redis) == (1, 0)
    async with away.back() as (_, match):
        assert (match.epoch, match.losses, match.dice.fault) == (2, 0, "")
    assert away.waits.seconds == []


async def test_a_program_that_was_started_anew_brings_the_seed_of_a_game_that_is_lost(away: Away) -> None:
    """So the dice go on with the next seed: whoever has seen the old ones gains nothing."""
    await away.play(games=2, keeps=1)
    assert away.past is not None
    away.past.bring_back()
    async with away.back() as (_, match):
        kept = Pledges(away.folder).revealed_for(away.match)
        assert kept is not None
        assert (match.view.seed, match.epoch) == (kept.shown, 2)
        assert match.dice.fault.startswith("the server was put back: the dice to come are new")


@pytest.mark.parametrize("there", ["no table", "a table that waits"])
async def test_a_match_that_is_gone_with_a_restore_is_not_the_servers_doing(
    new_server: NewServer, tmp_path: Path, there: str
) -> None:
    """Of neither player, wherever the backup was made."""
    server, file, folder, waits = new_server(), tmp_path / "backup.tar", tmp_path / "seeds", Waits()
    await asyncio.to_thread(server.start)
    ledgers = [Pledges(folder / name) for name in ("ada", "bob")]
    async with (
        Client(server.url, name="ada", pledges=ledgers[0]) as ada,
        Client(server.url, name="bob", pledges=ledgers[1]) as bob,
    ):
        if there == "no table":
            await backup(Options(data=server.data), file)
        opened = await ada.create(unique("t"), RULES)
        if there != "no table":
            await backup(Options(data=server.data), file)
        joined = await bob.join(opened.id)
        await opened.wait_for_start()
        await joined.wait_for_start()
        tokens = ada.me.token, bob.me.token
    await asyncio.to_thread(server.kill, store=True)
    await restore(file, tmp_path / "new")
    again = new_server(data=tmp_path / "new")
    await asyncio.to_thread(again.start)
    for token, name in zip(tokens, ("ada", "bob"), strict=True):
        async with Client(again.url, token=token, pledges=Pledges(folder / name), sleep=waits) as back:
            if there == "no table":
                with pytest.raises(Refused, match="backup"):
                    await back.attach(opened.id)
            else:
                assert (await back.attach(opened.id)).dice.fault == ""
            assert back.counts == Counts(1, put_back=1)
    assert waits.seconds == []
