"""What the library makes of a match that was put back: it stops where dice may have been chosen, and else tells it."""

import contextlib
from collections.abc import AsyncIterator

import pytest
from tavla_client import Match, PlayStopped
from tavla_server.match.census import fork_all
from tavla_server.match.history import MILESTONE, RECENT
from tavla_server.store.client import connection_to

from tests.support.players.clients import clients
from tests.support.players.plain import unique
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.journals import Past, check_journal

RULES: dict[str, bool | int | str] = {"preset": "tournament", "length": 3, "cube": False}
FORGOTTEN = RECENT + MILESTONE + 2  # entries: more than a node remembers


class Table:
    """A match of two clients on one server, whose store can be put back."""

    def __init__(self, url: str, ada: Match, bob: Match) -> None:
        self.url, self.ada, self.bob = url, ada, bob

    async def toggle(self, times: int) -> None:
        """So many entries that change nothing of the game."""
        for number in range(times):
            await self.ada.auto("play", on=number % 2 == 0)
        await self.reach()

    async def reach(self) -> None:
        """Both have seen the same."""
        while (self.bob.epoch, self.bob.seq) < (self.ada.epoch, self.ada.seq):
            await self.bob.next_change()

    async def lose(self, past: Past) -> None:
        """Put the match back, to where no node can give back what was shown; both see it."""
        losses = self.ada.losses
        past.bring_back()
        with contextlib.suppress(PlayStopped):
            await self.bob.auto("play", on=not self.bob.view.auto_play[1])
        for match in (self.ada, self.bob):
            while match.losses == losses:
                await match.next_change()


@contextlib.asynccontextmanager
async def table_on(valkey: Valkey) -> AsyncIterator[Table]:
    async with inside(valkey.url) as url, clients(url, "ada", "bob") as (ada, bob):
        opened = await ada.create(unique("t"), RULES, "white")
        joined = await bob.join(opened.id)
        for match in (opened, joined):
            await match.wait_for_start()
        yield Table(valkey.url, opened, joined)


@pytest.fixture
async def table(valkey: Valkey) -> AsyncIterator[Table]:
    async with table_on(valkey) as made:
        yield made


async def end_of_game(table: Table) -> None:
    await table.ada.resign(1)
    await table.reach()
    await table.bob.accept()
    while not table.ada.view.seed:
        await table.ada.next_change()


async def test_a_fork_that_shows_a_seed_stops_both(table: Table) -> None:
    past = Past(table.url, table.ada.id)
    await end_of_game(table)
    await table.toggle(FORGOTTEN)
    await table.lose(past)
    for match in (table.ada, table.bob):
        assert match.view.seed
        assert match.dice.fault.startswith("the server was put back: the dice to come are new")
        with pytest.raises(PlayStopped):
            await match.roll()
        match.go_on()
    await table.toggle(1)
    check_journal(table.url, table.ada.id)


async def test_a_loss_without_a_seed_is_told_and_the_second_one_stops(table: Table) -> None:
    past = Past(table.url, table.ada.id)
    await table.toggle(FORGOTTEN)
    await table.lose(past)
    for match in (table.ada, table.bob):
        assert (match.losses, match.dice.fault) == (1, "")
        assert match.loss.startswith("the server has lost what happened last")
    await table.toggle(FORGOTTEN)
    await table.lose(past)
    for match in (table.ada, table.bob):
        assert match.losses == 2
        assert match.dice.fault.startswith("the server was put back a second time")


async def test_a_match_that_has_lost_something_is_sound_at_its_end(table: Table) -> None:
    past = Past(table.url, table.ada.id)
    await table.toggle(FORGOTTEN)
    await table.lose(past)
    await table.toggle(FORGOTTEN)
    await table.bob.forfeit()
    for match in (table.ada, table.bob):
        verdict = await match.verdict()
        assert verdict.sound, verdict


async def test_a_fork_by_which_nothing_was_lost_is_nothing_and_the_match_is_sound(own_valkey: Valkey) -> None:
    async with table_on(own_valkey) as table:
        await table.toggle(3)
        async with connection_to(own_valkey.url) as redis:
            assert await fork_all(redis) == (1, 0), "as a restore does it"
        await table.toggle(2)
        for match in (table.ada, table.bob):
            assert (match.epoch, match.losses, match.dice.fault) == (2, 0, "")
        await table.bob.forfeit()
        for match in (table.ada, table.bob):
            verdict = await match.verdict()
            assert verdict.sound, verdict
