"""The lobby's lists: what they show, to whom, on which node, and how often."""

import asyncio
import random
import time
from collections import defaultdict
from types import SimpleNamespace
from typing import Any

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codec import pack
from tavla_protocol.codes import ErrorCode
from tavla_server.cluster.feed import PEOPLE, Listener, RowUpdate
from tavla_server.cluster.packed_rows import PackedRows
from tavla_server.delivery.fanout import SLICE
from tavla_server.features.lists import listings
from tavla_server.features.lists.leaders import Leading
from tavla_server.features.lists.live_list import FOLLOWER_MS
from tavla_server.features.tables import requests as tables
from tavla_server.limits import DEFAULT_LIMITS, Limits
from tavla_server.player import Player as Who
from tavla_server.timings import DEFAULTS
from tavla_server.token_bucket import Rate

from tests.support.patience import NEVER_AGAIN, PATIENCE_S, wait_until
from tests.support.players.lobby import Watch, opened
from tests.support.players.matches import at_match, new_match
from tests.support.players.plain import Player, guests, refused, unique
from tests.support.servers.cores import core_of
from tests.support.servers.handclock import HandClock
from tests.support.servers.processes import ServerProcess, inside
from tests.support.servers.rooms import Person, node_on
from tests.support.servers.valkey import Valkey

# --- what they show ---


async def test_a_table_goes_from_open_to_live_to_nowhere(server: ServerProcess) -> None:
    async with Player(server.url) as ada, Player(server.url) as bob, Player(server.url) as eve:
        watch = Watch(eve)
        await watch.follow("tables")
        await watch.follow("matches")
        match = await opened(ada, rules={"preset": "tournament", "length": 3}, side="white")
        row = (await watch.until("tables", lambda rows: match in rows))[match]
        assert (row["players"], row["rules"], row["kinds"]) == ([ada.name, None], {"length": 3}, ["guest", None])
        assert abs(row["since"] - time.time()) < 60
        await bob.ask(m.Join, table=match)
        await watch.until("tables", lambda rows: match not in rows)
        row = (await watch.until("matches", lambda rows: match in rows))[match]
        assert (row["players"], "score" in row) == ([ada.name, bob.name], False)
        await bob.act(m.Forfeit, match)
        await watch.until("matches", lambda rows: match not in rows)


async def test_people_come_and_go(server: ServerProcess) -> None:
    async with Player(server.url) as eve:
        watch = Watch(eve)
        await watch.follow("people")
        await watch.until("people", lambda rows: eve.name in rows)
        async with Player(server.url) as ada:
            await watch.until("people", lambda rows: ada.name in rows)
            async with Player(server.url, token=ada.token):
                pass
            async with Player(server.url) as other:
                rows = await watch.until("people", lambda rows: other.name in rows)
            assert ada.name in rows, "one of two connections has gone"
        await watch.until("people", lambda rows: ada.name not in rows and other.name not in rows)


async def test_what_is_asked_for_once_is_what_is_followed(server: ServerProcess) -> None:
    async with Player(server.url) as ada, Player(server.url) as eve:
        watch = Watch(eve)
        await watch.follow("tables")
        match = await opened(ada)
        await watch.until("tables", lambda rows: match in rows)
        listing = await ada.get(m.Listing, m.List, what="tables")
        assert listing.rows[match] == watch.rows["tables"][match]


async def test_who_unsubscribes_hears_no_more(node: str) -> None:
    async with Player(node) as ada, Player(node) as eve, Player(node) as other:
        watch, others = Watch(eve), Watch(other)
        await watch.follow("tables")
        await others.follow("tables")
        assert isinstance(await eve.ask(m.Unsubscribe, what="tables"), m.Ok)
        match = await opened(ada)
        await others.until("tables", lambda rows: match in rows)
        assert await eve.sync() == []


async def test_my_matches_are_listed_with_whom_they_wait_for(server: ServerProcess) -> None:
    async with at_match(server.url) as (ada, _, live):
        waiting = await opened(ada, private=True)
        mine = await ada.get(m.Listing, m.List, what="mine")
        assert mine.rows.keys() == {live, waiting}
        assert mine.rows[live]["to_act"] == [ada.matches[live].view.turn]
        assert mine.rows[waiting]["private"] is True
        assert mine.rows[waiting]["code"] == ada.matches[waiting].view.code
        assert "code" not in mine.rows[live]
        async with asyncio.timeout(PATIENCE_S):
            while not all("since" in row for row in mine.rows.values()):  # known here as soon as the feed has told it
                mine = await ada.get(m.Listing, m.List, what="mine")


async def test_my_matches_are_listed_as_they_are_now_where_i_was_before(valkey: Valkey, rng: random.Random) -> None:
    async with inside(valkey.url) as first, inside(valkey.url) as second:
        players = Player(first), Player(second)
        async with players[0], players[1]:
            match = await new_match(*players)
            mover, waiter = sorted(
                players, key=lambda player: player.matches[match].seat != player.matches[match].view.turn
            )
            node = waiter.url
            await waiter.close()
            await mover.find(lambda message: isinstance(message, m.Presence) and not message.online)
            before = mover.matches[match].view.turn
            while mover.matches[match].view.turn == before:
                await mover.take_turn(match, rng)
            async with Player(node, token=waiter.token) as back:
                mine = await back.ask(m.List, what="mine")
            assert isinstance(mine, m.Listing)
            assert mine.rows[match]["to_act"] == list(mover.matches[match].view.to_act)


# --- how often, how much ---


async def test_a_list_changes_at_most_four_times_a_second(valkey: Valkey, clock: HandClock) -> None:
    async with inside(valkey.url) as node, Player(node) as ada, Player(node) as eve:
        watch = Watch(eve)
        await watch.follow("tables")
        began_ms, last = clock.now_ms(), await opened(ada)
        while last not in watch.rows["tables"]:
            for changes in await eve.sync():
                assert isinstance(changes, m.Changes)
                watch.take(changes)
            if clock.now_ms() - began_ms < 1000:
                before, last = last, await opened(ada)
                await ada.ask(m.Cancel, match=before)
            clock.move(50)
        assert 1 < len(watch.changes) <= 4 * (clock.now_ms() - began_ms) / 1000 + 1


async def test_changes_that_a_listing_is_too_early_for_follow_it(valkey: Valkey, clock: HandClock) -> None:
    async with inside(valkey.url) as node, Player(node) as ada, Player(node) as eve:
        watch = Watch(eve)
        match, listed = await opened(ada), False
        while not listed:
            clock.move(DEFAULTS.listing_ms)
            listing = await ada.get(m.Listing, m.List, what="tables")
            listed = match in listing.rows
        await ada.ask(m.Cancel, match=match)
        await ada.ask(m.Cancel, match=await opened(ada))  # by then the node has heard of the first
        assert match in await watch.follow("tables")
        clock.move(DEFAULTS.listing_ms)
        await watch.until("tables", lambda rows: match not in rows)


def follow(lists: listings.Listings, person: Person) -> None:
    """Show the list of people, and from now on its changes."""
    person.outbox.send(lists.of("people").listing(person.outbox, 1))
    lists.of("people").add(person.outbox)


async def test_a_change_is_shown_to_a_crowd_in_turns(valkey: Valkey) -> None:
    async with node_on(valkey.url) as node:
        crowd = [Person(Who(f"{number}", f"p{number}")) for number in range(10 * SLICE)]
        for person in crowd:
            follow(node.listings, person)
        row = pack(("ada", m.Person(kind="guest", rating=None, since=1)))
        await node.feed.writer.put(RowUpdate(PEOPLE, "other:ada", row))
        shown = most = 0
        asked: Person | None = None
        async with asyncio.timeout(PATIENCE_S):
            while shown < len(crowd):
                await asyncio.sleep(0)
                now = sum(person.sink.writes - 1 for person in crowd)
                most, shown = max(most, now - shown), now
                if shown and asked is None:
                    asked = next(person for person in crowd if person.sink.writes == 1)
                    node.listings.of("people").listing(asked.outbox, 2)
                    assert asked.sink.writes == 2, "the change comes before the list that has it"
                    shown += 1
        assert most <= SLICE
        assert all(person.sink.writes == 2 for person in crowd), "each once"


async def test_a_crowd_is_shown_changes_less_often() -> None:
    told: dict[str, Listener] = {}
    feed: Any = SimpleNamespace(rows=defaultdict(PackedRows).__getitem__, listen=told.__setitem__)
    clock, twice_ms = HandClock(), 2 * DEFAULTS.listing_ms
    lists = listings.Listings(core_of(feed=feed, clock=clock))
    crowd = [Person(Who(f"{number}", f"p{number}")) for number in range(round(twice_ms / FOLLOWER_MS))]
    for person in crowd:
        follow(lists, person)

    def change(name: str) -> None:
        told[PEOPLE](f"other:{name}", None, pack((name, m.Person(kind="guest", rating=None, since=1))))

    def shown(times: int) -> bool:
        return all(person.sink.writes == 1 + times for person in crowd)

    change("ada")
    clock.move(0)
    await wait_until(lambda: shown(1))
    change("bob")
    clock.move(twice_ms - 1)
    await asyncio.sleep(0)
    assert shown(1), "not yet"
    clock.move(1)
    await wait_until(lambda: shown(2))


@pytest.mark.parametrize("limits", [Limits(listed=2)])
async def test_of_a_long_list_the_newest_are_shown(node: str) -> None:
    async with Player(node) as eve:
        names = set()
        guests = [Player(node) for _ in range(3)]
        for guest in guests:
            await guest.open()
            names.add(guest.name)
        async with asyncio.timeout(PATIENCE_S):
            while True:
                listing = await eve.get(m.Listing, m.List, what="people")
                assert len(listing.rows) <= 2 * 2, "of each order"
                if listing.total >= 4:
                    break
        for guest in guests:
            await guest.close()


@pytest.mark.slow
def test_the_first_rows_are_found_without_looking_at_all_of_them(rng: random.Random) -> None:
    limits = Limits(listed=5, ordered=20)
    looked, rows = 0, PackedRows()

    def order(place: int) -> int:
        nonlocal looked
        looked += 1
        return place

    leading = Leading(order, int, limits)
    for number in range(1000):
        if rows and rng.random() < 0.3:
            shown = (placed.key for placed in leading.first(len(rows), rows))
            key = rng.choice([*shown, *rng.sample(list(rows), 1)])
            rows.change(key, None)
            leading.drop(key)
        else:
            key = rng.choice(list(rows)) if rows and rng.random() < 0.2 else f"{number}"
            row = b"%d" % rng.randrange(500)
            rows.change(key, row)
            leading.set(key, row, int(row))
        first = sorted(placed.place for placed in leading.first(len(rows), rows))
        assert first == sorted(int(row) for row in rows.values())[-5:]
    assert len(rows) > 150
    assert looked < 20 * 1000, "and not at hundreds of them each time"


async def test_of_many_live_matches_the_best_and_the_newest_are_shown(own_valkey: Valkey, clock: HandClock) -> None:
    async with inside(own_valkey.url, limits=Limits(listed=1)) as node, guests(node, 5) as (ada, bob, cy, dee, eve):
        for player in (ada, bob):
            assert isinstance(await player.ask(m.Register, password="long enough"), m.Ok)
        found = []
        for white, black in ((ada, bob), (cy, dee), (cy, dee)):
            found.append(await new_match(white, black))
            clock.move(5000)
        rows: set[str] = set()
        async with asyncio.timeout(PATIENCE_S):
            while rows != {found[0], found[2]}:
                clock.move(DEFAULTS.listing_ms)
                listing = await eve.get(m.Listing, m.List, what="matches")
                rows = set(listing.rows)


# --- private tables, and matches without spectators ---


async def test_a_private_table_is_not_listed_and_wants_its_code(node: str) -> None:
    async with Player(node) as ada, Player(node) as bob, Player(node) as eve:
        name = unique("t")
        match = await opened(ada, name=name, private=True)
        public = await opened(ada)
        watch = Watch(eve)
        await watch.follow("tables")
        assert match not in await watch.until("tables", lambda rows: public in rows)
        code = ada.matches[match].view.code
        assert len(code) == 8
        for wrong in ("", "aaaaaaaa"):
            assert refused(await bob.ask(m.Join, table=name, code=wrong)) == ErrorCode.PRIVATE
            assert refused(await bob.ask(m.Attach, table=match, code=wrong)) == ErrorCode.PRIVATE
        assert isinstance(await bob.ask(m.Join, table=name, code=code), m.Snapshot)
        assert refused(await eve.ask(m.Attach, table=match)) == ErrorCode.PRIVATE
        assert isinstance(await eve.ask(m.Attach, table=match, code=code), m.Snapshot)
        async with Player(node, token=bob.token) as again:
            assert isinstance(await again.ask(m.Attach, table=match), m.Snapshot), "players need no code"
        async with Player(node) as other:
            everything = Watch(other)
            assert match not in await everything.follow("matches")


async def test_a_match_without_spectators_is_for_its_players_alone(node: str) -> None:
    async with Player(node) as ada, Player(node) as bob, Player(node) as eve:
        match = await opened(ada, spectators=False)
        watch = Watch(eve)
        await watch.follow("tables")
        rows = await watch.until("tables", lambda rows: match in rows)
        assert rows[match]["spectators"] is False
        assert refused(await eve.ask(m.Attach, table=match)) == ErrorCode.NO_SPECTATORS
        assert isinstance(await bob.ask(m.Join, table=match), m.Snapshot)
        await watch.until("tables", lambda rows: match not in rows)
        assert match not in await watch.follow("matches")
        assert refused(await eve.ask(m.Attach, table=match)) == ErrorCode.NO_SPECTATORS


# --- limits ---


async def test_tables_are_opened_at_a_limited_rate(valkey: Valkey) -> None:
    assert tables.TABLES.burst >= DEFAULT_LIMITS.tables
    limits = Limits(rates={"tables": Rate(NEVER_AGAIN, 2.0)})
    async with inside(valkey.url, limits=limits) as node, Player(node) as ada, Player(node) as bob:
        for _ in range(2):
            await ada.ask(m.Cancel, match=await opened(ada))
        answer = await ada.ask(m.Create, name=unique("t"))
        assert refused(answer) == ErrorCode.TOO_MANY
        assert isinstance(await bob.ask(m.Create), m.Snapshot), "a player's own limit"
