"""The journal on a real store: appends by compare-and-set, in groups, and what becomes of them when it goes away."""

import asyncio
import contextlib
import os
import random
import signal
from collections import Counter

import pytest
import uvloop
from tavla_protocol import messages as m
from tavla_server.errors import JournalUnreadable, StoreRefused
from tavla_server.match.append import AppendOutcome
from tavla_server.match.journal import LAST, OVERLAP, Journal
from tavla_server.player import Player as Person
from tavla_server.record.events import Cancelled, Entry, Seated, encode_entry
from tavla_server.record.state import Record
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.store.connection import Reply, pack_command
from tavla_server.store.pipeline import Command, Pipeline
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S
from tests.support.players.matches import at_match
from tests.support.players.plain import Player, unique, within
from tests.support.servers.nodes import journal_on, proxied
from tests.support.servers.processes import inside, redis_at
from tests.support.servers.valkey import Valkey
from tests.support.stores.journals import entries_of


def append(journal: Journal, match: str, seq: int, action: int = 0) -> asyncio.Future[AppendOutcome]:
    """Append an entry; its outcome. To be told twice is an error."""
    return journal.append(match, seq, encode_entry(Entry("p", action, 0, 0, (Cancelled(),))))


async def test_an_entry_is_added_only_if_it_is_the_next_one(valkey: Valkey) -> None:
    match = unique("m")
    async with journal_on(valkey.url) as journal, journal_on(valkey.tcp_url) as other:
        assert await append(journal, match, 2) is AppendOutcome.CONFLICT, "a gap at the start"
        assert await append(journal, match, 1, 11) is AppendOutcome.DONE
        assert await append(journal, match, 1, 12) is AppendOutcome.CONFLICT, "taken"
        assert await append(other, match, 1, 13) is AppendOutcome.CONFLICT, "taken by another node"
        assert await append(other, match, 2, 14) is AppendOutcome.DONE
        assert await append(journal, match, 4) is AppendOutcome.CONFLICT, "a gap"
        assert await append(journal, match, 3, 15) is AppendOutcome.DONE
        assert [(seq, entry.action) for seq, entry in await journal.read(match, 1)] == [(2, 14), (3, 15)]
    assert [entry.action for entry in entries_of(valkey.url, match)] == [11, 14, 15]


async def test_a_match_is_loaded_from_its_snapshot_and_what_came_after(valkey: Valkey) -> None:
    match = unique("m")
    async with journal_on(valkey.url) as journal:
        assert await journal.load(match) == (0, Record(match), [], [])
        for seq in range(1, 6):
            await append(journal, match, seq, seq)
        await journal.save_snapshot(3, Record(match, name="at three"))
        seq, record, known, entries = await journal.load(match)
        assert (seq, record.name) == (3, "at three")
        assert [entry.action for entry in known] == [1, 2, 3], "for those who ask again"
        assert [entry.action for entry in entries] == [4, 5]


@pytest.mark.parametrize(
    ("length", "kept"),
    [(LAST - 1, 0), (LAST, 0), (LAST + 1, 0), (LAST + 20, 3), (LAST + 20, OVERLAP + 19), (LAST + 20, OVERLAP + 20)],
)
async def test_a_match_of_any_length_is_loaded_whole(valkey: Valkey, length: int, kept: int) -> None:
    match = unique("m")
    async with journal_on(valkey.url) as journal:
        await asyncio.gather(*(append(journal, match, seq, seq) for seq in range(1, length + 1)))
        if kept:
            await journal.save_snapshot(kept, Record(match))
        seq, _, known, entries = await journal.load(match)
    assert seq == kept
    assert [entry.action for entry in known] == [*range(max(kept - OVERLAP, 0) + 1, kept + 1)]
    assert [entry.action for entry in entries] == [*range(kept + 1, length + 1)]


async def test_what_makes_no_sense_is_told_by_its_match(valkey: Valkey, redis: Client) -> None:
    match, other = unique("m"), unique("m")
    async with journal_on(valkey.url) as journal:
        await redis.set(keys.MATCH_SNAPSHOT(match), b"nonsense")
        with pytest.raises(JournalUnreadable, match=match):
            await journal.load(match)
        data = encode_entry(Entry("p", 1, 0, 0, (Seated(7, Person("p", "ada")),)))
        assert await journal.append(other, 1, data) is AppendOutcome.DONE
        with pytest.raises(JournalUnreadable, match=other):
            await journal.replay(other)


async def test_appends_of_many_matches_share_a_round_trip(own_valkey: Valkey) -> None:
    async with journal_on(own_valkey.url) as journal:
        matches = [unique("m") for _ in range(300)]
        with contextlib.closing(redis_at(own_valkey.url)) as redis:
            before = redis.info("stats")["total_reads_processed"]
            outcomes = await asyncio.gather(*(append(journal, match, 1) for match in matches))
            reads = redis.info("stats")["total_reads_processed"] - before
    assert set(outcomes) == {AppendOutcome.DONE}
    print(f"300 appends were read by the store in {reads} pieces")
    assert reads < 20


async def test_appends_wait_for_the_group_before_them(own_valkey: Valkey) -> None:
    match = unique("m")
    async with journal_on(own_valkey.url) as journal:
        os.kill(own_valkey.pid, signal.SIGSTOP)
        first = append(journal, match, 1)
        await asyncio.sleep(0)
        later = [append(journal, match, seq) for seq in range(2, 50)]
        os.kill(own_valkey.pid, signal.SIGCONT)
        assert {await within(outcome) for outcome in (first, *later)} == {AppendOutcome.DONE}
    assert len(entries_of(own_valkey.url, match)) == 49, "in order"


@pytest.mark.parametrize("direction", ["up", "down"])
async def test_appends_are_sent_again_after_a_lost_connection_and_act_once(
    valkey: Valkey, rng: random.Random, direction: str
) -> None:
    async with proxied(valkey) as (proxy, url), journal_on(url) as journal:
        for _ in range(15):
            matches = [unique("m") for _ in range(20)]
            size = 20 * 5 * (4 if direction == "down" else 150)
            setattr(proxy, f"{direction}_left", rng.randrange(size))
            outcomes = []
            for seq in range(1, 6):
                outcomes += await within(asyncio.gather(*(append(journal, match, seq, seq) for match in matches)))
            assert set(outcomes) <= {AppendOutcome.DONE, AppendOutcome.CONFLICT}, (
                "conflict: it was there already, it is ours"
            )
            for match in matches:
                assert [entry.action for entry in entries_of(valkey.url, match)] == [1, 2, 3, 4, 5]
        assert proxy.connections > 5


async def test_an_append_whose_answer_was_lost_is_found_in_place(valkey: Valkey) -> None:
    match = unique("m")
    async with proxied(valkey) as (proxy, url), journal_on(url) as journal:
        proxy.down_left = 0
        assert await within(append(journal, match, 1, 77)) is AppendOutcome.CONFLICT
        assert [entry.action for _, entry in await journal.read(match, 0)] == [77]


async def test_a_connection_without_answers_is_given_up(valkey: Valkey) -> None:
    match = unique("m")
    async with proxied(valkey) as (proxy, url), journal_on(url, Timings(reply_s=0.2)) as journal:
        before = proxy.connections
        proxy.stall()
        assert await within(append(journal, match, 1)) is AppendOutcome.DONE
        assert proxy.connections > before
    assert len(entries_of(valkey.url, match)) == 1


async def test_a_store_that_is_killed_loses_nothing_that_was_answered(own_valkey: Valkey, rng: random.Random) -> None:
    match, answered = unique("m"), 0
    async with journal_on(own_valkey.url) as journal:
        for _ in range(4):
            pending = []
            for _ in range(rng.randrange(1, 50)):
                answered += 1
                pending.append(append(journal, match, answered, answered))
            outcomes = asyncio.gather(*pending)
            await asyncio.sleep(rng.random() / 200)  # a random moment
            own_valkey.kill()
            await asyncio.to_thread(own_valkey.start)
            assert set(await within(outcomes)) <= {AppendOutcome.DONE, AppendOutcome.CONFLICT}
            assert [entry.action for entry in entries_of(own_valkey.url, match)] == list(range(1, answered + 1))


async def test_a_store_that_forgets_its_scripts_is_told_again(own_valkey: Valkey) -> None:
    match = unique("m")
    async with journal_on(own_valkey.url) as journal:
        assert await append(journal, match, 1) is AppendOutcome.DONE
        with contextlib.closing(redis_at(own_valkey.url)) as redis:
            redis.script_flush()
        outcomes = await within(asyncio.gather(*(append(journal, match, seq) for seq in range(2, 20))))
        assert set(outcomes) <= {AppendOutcome.DONE, AppendOutcome.CONFLICT}
    assert len(entries_of(own_valkey.url, match)) == 19


async def test_a_store_that_is_full_refuses_and_nothing_is_lost(own_valkey: Valkey) -> None:
    match = unique("m")
    async with journal_on(own_valkey.url) as journal:
        assert await append(journal, match, 1) is AppendOutcome.DONE
        own_valkey.configure("maxmemory", "1")
        assert await within(append(journal, match, 2)) is AppendOutcome.REFUSED
        own_valkey.configure("maxmemory", "0")
        assert await within(append(journal, match, 2)) is AppendOutcome.DONE


async def test_a_store_that_is_full_takes_nothing_back_and_says_so(own_valkey: Valkey) -> None:
    match = unique("m")
    known = {seq: encode_entry(Entry("p", seq, 0, 0, (Cancelled(),))) for seq in (1, 2)}
    async with journal_on(own_valkey.url) as journal:
        await append(journal, match, 1, 1)  # and the store has forgotten entry 2
        own_valkey.configure("maxmemory", "1")
        with pytest.raises(StoreRefused):
            await within(journal.restore(match, 2, known))
        own_valkey.configure("maxmemory", "0")
        assert await within(journal.restore(match, 2, known))
        assert [entry.action for _, entry in await journal.read(match, 0)] == [1, 2]


async def test_a_journal_that_lost_its_tail_takes_no_later_entry(own_valkey: Valkey) -> None:
    match = unique("m")
    async with journal_on(own_valkey.url) as journal:
        for seq in (1, 2, 3):
            await append(journal, match, seq)
        with contextlib.closing(redis_at(own_valkey.url)) as redis:
            redis.xdel(keys.MATCH_LOG(match), "3-0")
        assert await append(journal, match, 4) is AppendOutcome.CONFLICT


def test_what_is_sent_at_the_moment_at_which_the_connection_ends_is_answered_once(valkey: Valkey) -> None:
    """On uvloop, as the server runs: there a write to a connection that has just ended raises."""
    answers: list[Reply] = []

    async def send_and_cut() -> None:
        pipe = Pipeline(valkey.url, [])
        await pipe.open()
        assert pipe._connection is not None
        pipe._connection.transport.abort()
        pipe.put(Command(pack_command(b"PING"), answers.append))
        last: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        pipe.put(Command(pack_command(b"ECHO", b"last"), last.set_result))
        await within(last)
        pipe.close()

    uvloop.run(send_and_cut())
    assert answers == [b"PONG"]


async def test_who_comes_back_to_a_match_after_a_restart_has_its_journal_read_once(own_valkey: Valkey) -> None:
    unswept = Timings(sweep_s=600.0)  # a sweeper would load it, too
    async with inside(own_valkey.url, unswept) as url, at_match(url) as (_, _, match):
        pass
    async with inside(own_valkey.url, unswept) as url, Player(url) as watcher:
        with contextlib.closing(redis_at(own_valkey.url)) as redis:
            redis.config_set("slowlog-max-len", 10_000)
            redis.config_set("slowlog-log-slower-than", 0)  # every command is kept

            def asked() -> Counter[bytes]:
                """Commands that concern the journal."""
                kept = [entry["command"] for entry in redis.slowlog_get(10_000)]
                return Counter(command.split()[0] for command in kept if keys.MATCH_LOG(match).encode() in command)

            assert isinstance(await watcher.ask(m.Attach, table=match), m.Snapshot)
            async with asyncio.timeout(PATIENCE_S):
                while b"XLEN" not in asked():  # other nodes are told of us then
                    await watcher.sync()
            await watcher.sync()
            stats = asked()
    assert stats[b"XREVRANGE"] == 1
    assert stats[b"XLEN"] == 1, "they are told once"
    assert not {b"XRANGE", b"EXISTS"} & stats.keys()
