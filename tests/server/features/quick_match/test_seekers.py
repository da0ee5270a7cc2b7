"""Quick match and open tables meet: who seeks sits down where it fits, once; and is seen in the lobby meanwhile."""

import asyncio
import contextlib
from typing import Any

import msgspec
import pytest
from tavla_engine.rules import preset
from tavla_protocol import messages as m
from tavla_server.features.quick_match.match_queue import Ticket
from tavla_server.features.quick_match.open_tables import fits
from tavla_server.features.tables.tables import Note
from tavla_server.match.registry import Registry
from tavla_server.match.session import Session
from tavla_server.player import Player as Somebody
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S
from tests.support.players.lobby import Rows, Watch, until_listed
from tests.support.players.plain import Player, begun, unique
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey

pytestmark = pytest.mark.slow  # most of them wait by the clock

FIVE: dict[str, bool | int | str] = {"length": 5, "clock": "normal"}
NO_POLL = Timings(queue_poll_s=10 * PATIENCE_S, queue_dead_s=11 * PATIENCE_S)
OTHERS: list[dict[str, bool | int | str]] = [{"length": 3, "clock": "normal"}, {"length": 5}, {**FIVE, "cube": False}]


async def opened(player: Player, **fields: Any) -> m.Snapshot:
    """A table."""
    return await player.get(m.Snapshot, m.Create, **{"name": unique("t"), "rules": FIVE, **fields})


async def seeks(player: Player, **fields: Any) -> None:
    """A player waits for a quick match."""
    assert isinstance(await player.ask(m.Seek, **{"rules": FIVE, **fields}), m.Ok)


async def matched(player: Player) -> str:
    """The match that was found for a player, and is shown."""
    match = (await player.next(m.Matched)).match
    await player.find(lambda message: isinstance(message, m.Snapshot) and message.match == match)
    return match


async def test_a_seeker_sits_down_at_an_open_table_that_fits(valkey: Valkey) -> None:
    async with inside(valkey.url) as one, inside(valkey.url, NO_POLL) as two, Player(one) as ada, Player(two) as bob:
        table = await opened(ada)
        await until_listed(bob, table.match, "tables")
        await seeks(bob)
        assert (await bob.next(m.Matched)).match == table.match
        await bob.next(m.Snapshot)
        assert (await ada.next(m.Seated)).name == bob.name
        for player in (ada, bob):
            view = await player.until(table.match, lambda view: view.game == 1)
            assert set(view.players) == {ada.name, bob.name}


async def test_a_new_table_takes_a_seeker_that_fits(valkey: Valkey) -> None:
    async with inside(valkey.url) as one, inside(valkey.url) as two, Player(one) as ada, Player(two) as bob:
        await seeks(bob, rules={**FIVE, "preset": "tournament"})
        table = await opened(ada, rules={**FIVE, "hints": True})
        assert (await bob.next(m.Matched)).match == table.match
        await begun(table.match, ada, bob)


async def test_a_seeker_waits_on_when_somebody_takes_the_seat_meanwhile(
    valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn = Registry.prepare

    async def learn_late(registry: Registry, session: Session, seq: int) -> None:
        monkeypatch.setattr(Registry, "prepare", learn)
        await learn(registry, session, seq)
        assert isinstance(await eve.ask(m.Join, table=table.match), m.Snapshot)

    async with inside(valkey.url) as url, Player(url) as ada, Player(url) as bob, Player(url) as eve:
        table = await opened(ada)
        await until_listed(bob, table.match, "tables")
        monkeypatch.setattr(Registry, "prepare", learn_late)
        await seeks(bob)
        view = await ada.until(table.match, lambda view: None not in view.players)
        assert set(view.players) == {ada.name, eve.name}
        other = await opened(ada)
        assert (await bob.next(m.Matched)).match == other.match, "it was not forgotten that bob waits"


@pytest.mark.parametrize("rules", OTHERS)
async def test_who_wants_something_else_is_not_seated(valkey: Valkey, rules: dict[str, bool | int | str]) -> None:
    async with inside(valkey.url) as url, Player(url) as ada, Player(url) as bob, Player(url) as eve:
        other, private, computer = (
            await opened(ada, rules=rules),
            await opened(ada, private=True),
            await opened(ada, opponent="computer"),
        )
        await seeks(bob)
        fitting = await opened(eve)
        assert (await bob.next(m.Matched)).match == fitting.match
        for table in (other, private, computer):
            assert ada.matches[table.match].view.phase == "open"


def note(ratings: tuple[int | None, int | None] = (1500, None), kind: str = "account", **fields: Any) -> Note:
    """A rated table whose maker is white."""
    rules: dict[str, bool | int | str] = {"length": 5, "delay_s": 12, "reserve_s": 120, "rated": True}
    table = m.Table(name="t", players=("ada", None), rules=rules, ratings=ratings, kinds=(kind, None))
    return Note(0, ("ada",), listed=True, table=msgspec.structs.replace(table, **fields))


def ticket(rating: float = 1500.0, kind: Any = "account") -> Ticket:
    """Bob has waited since 0."""
    rules = preset("tournament", {**FIVE, "rated": True}, quick=True)
    return Ticket("t1", "p", "n", Somebody("bob", "bob", kind, rating), rating, 0, "m", rules)


NEAR = [  # rating, seconds waited, whether the table of one with 1500 fits
    (1500.0, 0, True),
    (1599.0, 0, True),
    (1601.0, 0, False),
    (1601.0, 1, True),
    (2100.0, 29, False),
    (2100.0, 30, True),
]


@pytest.mark.parametrize(("rating", "waited_s", "near"), NEAR)
def test_a_rated_table_fits_those_who_are_near_enough_in_time(rating: float, waited_s: int, near: bool) -> None:
    assert fits(ticket(rating), note(), 1000 * waited_s) == near


def test_for_their_ratings_people_and_programs_do_not_meet_by_chance() -> None:
    assert fits(ticket(kind="bot"), note(kind="bot"), 0)
    assert not fits(ticket(kind="bot"), note(), 0)
    assert not fits(ticket(), note(kind="bot"), 0)


def test_a_table_whose_maker_is_away_and_ones_own_do_not_fit() -> None:
    assert not fits(ticket(), msgspec.structs.replace(note(), away=(7, 0)), 0)
    assert not fits(ticket(), msgspec.structs.replace(note(), players=("bob",)), 0)
    assert not fits(ticket(), msgspec.structs.replace(note(), listed=False), 0)


async def reads_on(player: Player) -> None:
    while True:
        await player.receive()


async def test_of_all_who_come_at_once_nobody_is_seated_twice_and_no_seeker_is_left(valkey: Valkey) -> None:
    """Makers of tables and seekers on three nodes, at the same moment; some come later, when the rest is settled."""
    async with inside(valkey.url) as one, inside(valkey.url) as two, inside(valkey.url) as three:
        makers = [Player((one, two, three)[number % 3]) for number in range(10)]
        seekers = [Player((one, two, three)[number % 3]) for number in range(16)]
        async with contextlib.AsyncExitStack() as stack:
            for player in makers + seekers:
                await stack.enter_async_context(player)
            await asyncio.gather(*map(opened, makers), *map(seeks, seekers[:13]))
            await asyncio.gather(*map(seeks, seekers[13:]))
            found = [await matched(player) for player in seekers]
            async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as group:
                makers_reveal = [group.create_task(reads_on(player)) for player in makers]
                await asyncio.gather(*map(begun, found, seekers))
                for task in makers_reveal:
                    task.cancel()
            await asyncio.gather(*(player.sync() for player in makers + seekers))
            seated: dict[str, list[str | None]] = {}
            for player in makers + seekers:
                playing = [id_ for id_, seen in player.matches.items() if seen.view.game]
                assert len(playing) <= 1, "nobody is seated twice"
                for match in playing:
                    seated.setdefault(match, []).append(player.name)
            assert {len(names) for names in seated.values()} == {2}, "every match has its two players, and no third"
            assert sum(map(len, seated.values())) >= len(seekers)


async def test_seekers_are_seen_in_the_lobby_and_can_be_chosen(valkey: Valkey) -> None:
    async with inside(valkey.url) as one, inside(valkey.url) as two, Player(one) as ada, Player(two) as eve:
        watch = Watch(eve)
        await watch.follow("seekers")
        await seeks(ada)
        rows = await watch.until("seekers", lambda rows: of(rows, ada))
        ((key, row),) = of(rows, ada).items()
        assert row["rules"] == {"length": 5, "delay_s": 12, "reserve_s": 120}
        assert row["since"] > 0
        await seeks(eve, seeker=key)
        matched = await eve.next(m.Matched)
        assert (await ada.next(m.Matched)).match == matched.match
        await watch.until("seekers", lambda rows: not of(rows, ada))


def of(rows: Rows, *players: Player) -> Rows:
    """The rows of these seekers; there may be others on the same store."""
    return {key: row for key, row in rows.items() if row["name"] in {player.name for player in players}}


async def test_who_seeks_no_longer_is_seen_no_longer(valkey: Valkey) -> None:
    async with inside(valkey.url) as url, Player(url) as eve:
        watch = Watch(eve)
        await watch.follow("seekers")
        async with Player(url) as ada, Player(url) as bob:
            await seeks(ada)
            await seeks(bob, rules={"length": 9})
            await watch.until("seekers", lambda rows: len(of(rows, ada, bob)) == 2)
            await ada.ask(m.Unseek)
            rows = await watch.until("seekers", lambda rows: not of(rows, ada))
            assert of(rows, bob)
            bob.socket.transport.abort()
            await watch.until("seekers", lambda rows: not of(rows, bob))
