"""Repairs by a node itself, when the store has forgotten it or another process has died."""

import asyncio

import msgpack
import msgspec
import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs
from tavla_protocol import messages as m
from tavla_protocol.codec import pack as packed
from tavla_protocol.messages import Seeker, Table
from tavla_server import sweeps
from tavla_server.cluster import feed as feed_module
from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import NODES, SEEKERS, TABLES, Feed, RowUpdate
from tavla_server.cluster.membership import RECONCILE_S
from tavla_server.features.tables.tables import Note, Tables, unpack
from tavla_server.store import keys
from tavla_server.store.client import Client, connection_to, text
from tavla_server.store.topology import find_topology
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S, PAUSE_S, ask_until, wait_until
from tests.support.players.matches import at_match
from tests.support.players.plain import Player
from tests.support.servers.cores import core_of
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.journals import entries_of

BRISK = Timings(sweep_s=0.05)


async def rows(redis: Client, name: str) -> list[str]:
    return [text(key) for key in await redis.hkeys(keys.LOBBY_ROWS(name))]


async def test_a_node_that_was_taken_for_dead_makes_itself_known_again(own_valkey: Valkey) -> None:
    async with connection_to(own_valkey.url) as redis, inside(own_valkey.url, BRISK):
        (node,) = await rows(redis, NODES)
        feed = Feed(redis, await find_topology(own_valkey.url))
        await feed.writer.put(RowUpdate(NODES, node, None))
        await ask_until(lambda: redis.hexists(keys.LOBBY_ROWS(NODES), node))


async def test_what_nodes_leave_that_die_one_after_the_other_does_not_wait_for_a_minute(own_valkey: Valkey) -> None:
    async with connection_to(own_valkey.url) as redis, inside(own_valkey.url, BRISK):
        feed = Feed(redis, await find_topology(own_valkey.url))
        for node in ("dead1", "dead2"):
            seeker = packed((node, Seeker(name="ada", kind="guest", rating=None, rules={}, since=1), ()))
            await feed.writer.put(RowUpdate(NODES, node, b""), RowUpdate(SEEKERS, "ticket", seeker))
            async with asyncio.timeout(RECONCILE_S / 2):
                while node in await rows(redis, NODES):  # noqa: ASYNC110
                    await asyncio.sleep(PAUSE_S)
            assert await rows(redis, SEEKERS) == [], "who waited there waits no more"


async def test_a_node_that_stops_leaves_nothing_to_be_set_right(own_valkey: Valkey) -> None:
    async with connection_to(own_valkey.url) as redis:
        async with inside(own_valkey.url):
            assert len(await rows(redis, NODES)) == 1
        assert await rows(redis, NODES) == []


async def test_what_all_nodes_have_read_leaves_the_stream_of_changes(
    own_valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_module, "KEPT_S", 0.0)
    async with connection_to(own_valkey.url) as redis, inside(own_valkey.url, BRISK):
        feed = Feed(redis, await find_topology(own_valkey.url))
        await feed.writer.put(*(RowUpdate("of-a-newer-server", str(number), b"1") for number in range(1000)))

        async def short() -> bool:
            return bool(await redis.xlen(keys.LOBBY_STREAM()) <= 100)

        await ask_until(short)


async def test_a_damaged_journal_is_named_and_keeps_no_sweep_from_the_rest(own_valkey: Valkey) -> None:
    async with connection_to(own_valkey.url) as redis, inside(own_valkey.url, BRISK):
        feed = Feed(redis, await find_topology(own_valkey.url))
        note = pack(Note(since=0, players=("ada",)))
        with capture_logs() as lines:
            await redis.xadd(keys.MATCH_LOG("broken22"), {"e": b"no entry"}, id="1-0")
            await feed.writer.put(
                *(RowUpdate(TABLES, match, note) for match in ("broken22", "stillborn")), RowUpdate(NODES, "dead", b"")
            )
            while await rows(redis, TABLES) != ["broken22"] or "dead" in await rows(redis, NODES):  # noqa: ASYNC110
                await asyncio.sleep(PAUSE_S)
    assert {line["match"] for line in lines if line["event"] == "journal_unreadable"} == {"broken22"}


async def test_after_a_node_has_died_no_journal_is_read_of_a_match_that_is_followed_and_shown_as_it_is(
    own_valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeps, "RETURN_S", PATIENCE_S)  # a start looks through all journals, but later
    async with connection_to(own_valkey.url) as redis, inside(own_valkey.url, BRISK) as url:
        feed = Feed(redis, await find_topology(own_valkey.url))

        async def shown(match: str) -> Note:
            row = await feed.fetch(TABLES, match)
            assert row is not None
            return unpack(row)

        async def journals_read(node: str) -> int:
            await redis.config_resetstat()
            await feed.writer.put(RowUpdate(NODES, node, b""))
            await ask_until(lambda: rows(redis, NODES), lambda found: node not in found)
            return int((await redis.info("commandstats")).get("cmdstat_xrevrange", {"calls": 0})["calls"])

        async with at_match(url) as (_, _, match):

            async def begun() -> bool:
                return not (await shown(match)).awaited

            await ask_until(begun)
            assert await journals_read("dead1") == 0
            wrong = replace(await shown(match), awaited=True)
            await feed.writer.put(RowUpdate(TABLES, match, pack(wrong)))
            assert await journals_read("dead2") == 1
            assert await begun()


async def test_a_row_that_was_left_behind_becomes_what_the_journal_says(own_valkey: Valkey) -> None:
    async with connection_to(own_valkey.url) as redis:
        feed = Feed(redis, await find_topology(own_valkey.url))
        async with inside(own_valkey.url) as url, at_match(url) as (white, black, match):
            for on in (True, False):
                assert isinstance(await white.act(m.Auto, match, what="play", on=on), m.Ok)
        last_ms = entries_of(own_valkey.url, match)[-1].time_ms
        await feed.writer.put(RowUpdate(TABLES, match, pack(Note(since=0, players=()))), RowUpdate(NODES, "dead", b""))
        async with inside(own_valkey.url, BRISK):

            async def is_right() -> bool:
                row = await feed.fetch(TABLES, match)
                return row is not None and unpack(row).table is not None

            await ask_until(is_right)
            note = unpack(await feed.fetch(TABLES, match) or b"")
            assert (note.since, note.players) == (last_ms, (white.id, black.id))


async def test_a_match_that_is_over_leaves_the_lists_when_anybody_looks_at_it(own_valkey: Valkey) -> None:
    async with connection_to(own_valkey.url) as redis:
        feed = Feed(redis, await find_topology(own_valkey.url))
        async with inside(own_valkey.url) as url, at_match(url) as (white, _, match):
            row = await feed.fetch(TABLES, match)
            assert row is not None
            assert isinstance(await white.act(m.Forfeit, match), m.Ok)
        assert await rows(redis, TABLES) == []
        await feed.writer.put(RowUpdate(TABLES, match, row))  # as a node that died at that moment leaves it
        async with inside(own_valkey.url) as url, Player(url) as eve:
            assert isinstance(await eve.ask(m.Attach, match=match), m.Snapshot)

            async def gone() -> bool:
                return not await rows(redis, TABLES)

            await ask_until(gone)


async def test_a_match_that_was_entered_long_ago_and_never_opened_is_taken_out(own_valkey: Valkey) -> None:
    match, note = "stillborn", Note(since=0, players=("ada",))
    async with connection_to(own_valkey.url) as redis, inside(own_valkey.url, BRISK):
        await redis.sadd(keys.PLAYER_PLAYED("ada"), match)
        await Feed(redis, await find_topology(own_valkey.url)).writer.put(RowUpdate(TABLES, match, pack(note)))

        async def gone() -> bool:
            return not await redis.exists(keys.PLAYER_PLAYED("ada"))

        await ask_until(gone)
        assert await rows(redis, TABLES) == []


async def test_a_match_whose_journal_is_lost_keeps_no_sweep_from_the_rest(own_valkey: Valkey) -> None:
    """Its row says that a player is awaited: there is nothing that could be ended."""
    note = Note(Clock().now_ms(), ("ada", "bob"), table=Table(name="t", players=("ada", "bob")), awaited=True)
    at_once = Timings(sweep_s=0.05, no_show_s=0.0, no_show_swept_s=0.001, sweep_spread_s=0.0)
    async with connection_to(own_valkey.url) as redis, inside(own_valkey.url, at_once):
        feed = Feed(redis, await find_topology(own_valkey.url))
        with capture_logs() as lines:
            await feed.writer.put(RowUpdate(TABLES, "lost", pack(note)))
            for node in ("dead1", "dead2", "dead3"):  # the row was looked at twice, when the last one goes
                await feed.writer.put(RowUpdate(NODES, node, b""))
                await ask_until(lambda: rows(redis, NODES), lambda found: node not in found)  # noqa: B023
    assert not [line for line in lines if line["log_level"] == "error"]


async def test_a_sweep_looks_at_no_match_that_goes_on(own_valkey: Valkey) -> None:
    played = Table(name="t", players=("ada", "bob"))
    notes = {
        "played": Note(0, ("a", "b"), table=played),
        "open": Note(0, ("a",), table=replace(played, players=("ada", None))),
        "awaited": Note(0, ("a", "b"), table=played, awaited=True),
        "entered": Note(0, ("a", "b")),
    }
    topology = await find_topology(own_valkey.url)
    async with connection_to(own_valkey.url) as redis:
        feed = Feed(redis, topology)
        tables = Tables(core_of(redis=redis, feed=feed))
        following = asyncio.create_task(feed.follow())
        await feed.writer.put(*(RowUpdate(TABLES, match, pack(note)) for match, note in notes.items()))
        await wait_until(lambda: len(tables.rows) == len(notes))
        assert {match for match, _ in tables.rows.to_sweep()} == {"open", "awaited", "entered"}
        await feed.writer.put(RowUpdate(TABLES, "awaited", pack(notes["played"])), RowUpdate(TABLES, "open", None))
        await wait_until(lambda: len(tables.rows.to_sweep()) == 1)
        assert [match for match, _ in tables.rows.to_sweep()] == ["entered"]
        following.cancel()


def pack(note: Note) -> bytes:
    packed: bytes = msgpack.packb(msgspec.to_builtins(note))
    return packed
