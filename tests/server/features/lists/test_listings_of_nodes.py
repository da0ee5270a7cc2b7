"""Lists of which many nodes are the source: whose rows change, come late, or go with a node."""

import asyncio

import msgspec
import pytest
from tavla_protocol import messages as m
from tavla_protocol.codec import pack
from tavla_server.cluster.feed import PEOPLE, Feed, RowUpdate
from tavla_server.features.lists import listings
from tavla_server.player import Player as Who
from tavla_server.store.client import Client, connection_to
from tavla_server.store.topology import find_topology
from tavla_server.timings import DEFAULTS, Timings

from tests.support.patience import PATIENCE_S, ask_until
from tests.support.players.lobby import Watch, opened
from tests.support.players.plain import Player, within
from tests.support.servers.cores import core_of
from tests.support.servers.handclock import HandClock
from tests.support.servers.processes import ServerProcess, inside
from tests.support.servers.rooms import Person
from tests.support.servers.valkey import Valkey

# --- makers who go ---


async def test_an_open_table_outlives_a_short_absence_of_its_maker_and_no_long_one(
    own_valkey: Valkey, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    swept, sweep, almost_ms = asyncio.Event(), Feed.trim, round(1000 * DEFAULTS.maker_gone_s) - 1

    async def observed(self: Feed) -> None:  # the last step of all
        await sweep(self)
        swept.set()

    async def see(who: Player, here: bool) -> None:
        """The lobby shows whether a player is there, and the sweeper has seen it."""
        while here != (who.name in (await eve.ask(m.List, what="people")).rows):  # type: ignore[union-attr]
            clock.move(DEFAULTS.listing_ms)
        for _ in range(2):
            swept.clear()
            await within(swept.wait())

    monkeypatch.setattr(Feed, "trim", observed)
    async with inside(own_valkey.url, Timings(sweep_s=0.01)) as node, Player(node) as eve:
        async with Player(node) as ada:
            matches = [await opened(ada), await opened(ada, private=True)]
            for match in matches:
                await eve.ask(m.Attach, table=match, code=ada.matches[match].view.code)
            ada.socket.transport.abort()
        await see(ada, here=False)
        clock.move(almost_ms)
        await see(ada, here=False)
        async with Player(node, token=ada.token) as again:
            assert sorted(again.playing) == sorted(matches)
            await see(ada, here=True)
            clock.move(10 * almost_ms)
            await see(ada, here=True)
            assert {eve.matches[match].view.phase for match in matches} == {"open"}
            again.socket.transport.abort()
        await see(ada, here=False)
        clock.move(round(1000 * (DEFAULTS.maker_gone_s + DEFAULTS.sweep_spread_s)) + 1)
        for match in matches:
            assert (await eve.until(match, lambda view: view.phase == "over")).outcome is None


# --- many nodes ---


async def nodes_of(redis: Client, player: Player) -> int:
    """The number of nodes to which a player is connected, as the store has it."""
    return len([key for key in await redis.hkeys("{lobby}:people") if player.id.encode() in key])


async def test_every_node_shows_the_same(valkey: Valkey) -> None:
    async with inside(valkey.url) as here, inside(valkey.url) as there, Player(here) as ada, Player(there) as eve:
        watch = Watch(eve)
        for what in ("tables", "matches", "people"):
            await watch.follow(what)
        await watch.until("people", lambda rows: {ada.name, eve.name} <= rows.keys())
        match = await opened(ada)
        await watch.until("tables", lambda rows: match in rows)
        async with Player(there, token=ada.token) as twice:
            async with asyncio.timeout(PATIENCE_S), connection_to(valkey.url) as redis:
                await ask_until(lambda: nodes_of(redis, ada), lambda found: found >= 2)
                await ada.close()
                await ask_until(lambda: nodes_of(redis, ada), lambda found: found <= 1)
            later = await opened(twice)
            await watch.until("tables", lambda rows: later in rows)
            listing = await eve.get(m.Listing, m.List, what="people")
            assert ada.name in listing.rows, "still on the other node"
        await watch.until("people", lambda rows: ada.name not in rows)


async def test_a_node_that_comes_later_shows_what_was_there(valkey: Valkey) -> None:
    async with inside(valkey.url) as here, Player(here) as ada:
        match = await opened(ada)
        async with inside(valkey.url) as there, Player(there) as eve:
            watch = Watch(eve)
            await watch.follow("people")
            await watch.follow("tables")
            await watch.until("tables", lambda rows: match in rows)
            await watch.until("people", lambda rows: {ada.name, eve.name} <= rows.keys())


COMES_AND_GOES = [  # whose row at a node changes, since when they are there (0 = gone), and who is shown after it
    ("here:ada", 5, {"ada": 5}, "comes"),
    ("here:bob", 6, {"ada": 5, "bob": 6}, "another one comes"),
    ("there:ada", 7, {"ada": 7, "bob": 6}, "comes to another node, too"),
    ("here:ada", 8, {"ada": 8, "bob": 6}, "has changed at the first one"),
    ("here:ada", 0, {"ada": 7, "bob": 6}, "leaves one of them"),
    ("there:ada", 0, {"bob": 6}, "leaves the other"),
]


async def test_a_player_at_two_nodes_is_shown_and_counted_once(own_valkey: Valkey) -> None:
    watch = Person(Who("eve", "eve"))
    async with connection_to(own_valkey.url) as redis:
        feed = Feed(redis, await find_topology(own_valkey.url))
        lists = listings.Listings(core_of(feed=feed, clock=HandClock(), timings=Timings(listing_ms=0)))
        following = asyncio.create_task(feed.follow())
        for key, since, shown, why in COMES_AND_GOES:
            row = pack((key.partition(":")[2], m.Person(kind="guest", since=since))) if since else None
            await feed.writer.put(RowUpdate(PEOPLE, key, row))
            async with asyncio.timeout(PATIENCE_S):
                while feed.rows(PEOPLE).get(key) != row:  # noqa: ASYNC110 - the feed has no event for a row
                    await asyncio.sleep(0)
            listing = msgspec.msgpack.decode(lists.of("people").listing(watch.outbox, 1), type=dict)
            assert {name: row["since"] for name, row in listing["rows"].items()} == shown, why
            assert listing["total"] == len(shown), why
        following.cancel()


@pytest.mark.long
async def test_the_people_of_a_dead_node_vanish(valkey: Valkey, new_server: "type[ServerProcess]") -> None:
    other = new_server("--redis", valkey.url)  # type: ignore[arg-type]
    other.start()
    async with inside(valkey.url, Timings(sweep_s=0.2)) as node, Player(node) as eve:
        watch = Watch(eve)
        await watch.follow("people")
        ada = Player(other.url)
        await ada.open()
        await watch.until("people", lambda rows: ada.name in rows)
        other.kill()
        await watch.until("people", lambda rows: ada.name not in rows)
        assert eve.name in watch.rows["people"]
