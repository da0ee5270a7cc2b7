"""Players who come back to a match: what they have missed, and who sees them there."""

import asyncio
import random
from typing import Any

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_protocol.view import checksum
from tavla_server.match import history
from tavla_server.match.history import MILESTONE
from tavla_server.match.registry import Registry
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S
from tests.support.players.matches import a_turn, at_match, by_turn, new_match
from tests.support.players.plain import Player, guests, refused, within
from tests.support.players.returning import come_back
from tests.support.servers.processes import ServerProcess, inside
from tests.support.servers.valkey import Valkey

# --- coming back ---


async def test_who_comes_back_gets_exactly_what_was_missed(server: ServerProcess, rng: random.Random) -> None:
    async with at_match(server.url) as (white, black, match), Player(server.url) as watcher:
        await watcher.ask(m.Attach, table=match)
        have = watcher.matches[match]
        await watcher.close()
        for _ in range(3):
            player, other = by_turn(white, black, match)
            done = await a_turn(player, match, rng)
            await other.reach(match, done.seq or 0)
        seq = have.seq
        ok, *updates = await come_back(watcher, match, epoch=have.epoch, seq=have.seq)
        assert isinstance(ok, m.Ok)
        assert [update.seq for update in updates if isinstance(update, m.Update)] == [seq + 1, seq + 2, seq + 3]
        assert ok.seq == seq + 3
        assert watcher.matches[match].view == white.matches[match].view
        (ok,) = await come_back(watcher, match, epoch=have.epoch, seq=have.seq)
        assert isinstance(ok, m.Ok), "nothing was missed"


async def test_whoever_has_the_same_version_gets_what_follows_it(server: ServerProcess) -> None:
    async with at_match(server.url) as (white, black, match), Player(server.url) as watcher:
        await watcher.ask(m.Attach, table=match)
        have = watcher.matches[match]
        first, last = have.seq, 2 * MILESTONE
        for seq in range(first, last):
            await white.act(m.Auto, match, what="play", on=(seq - first) % 2 == 0)
            await white.reach(match, seq + 1)
        await asyncio.gather(black.reach(match, last), watcher.reach(match, last))
        await watcher.close()
        for seq in range(first, last + 1):
            have.seq, have.view = seq, have.views[seq]
            ok, *updates = await come_back(watcher, match, **have.have())
            assert isinstance(ok, m.Ok)
            assert [update.seq for update in updates if isinstance(update, m.Update)] == [*range(seq + 1, last + 1)]
            (other,) = await come_back(watcher, match, epoch=1, seq=seq, checksum=checksum(have.views[seq]) ^ 1)
            assert isinstance(other, m.Snapshot)


@pytest.mark.parametrize(("epoch", "ahead"), [(0, 0), (99, 0), (1, 1), (99, -1)])
async def test_who_has_something_else_gets_a_snapshot(server: ServerProcess, epoch: int, ahead: int) -> None:
    async with at_match(server.url) as (white, _, match):
        seq = max(white.matches[match].seq + ahead, 0)
        (snapshot,) = await come_back(white, match, epoch=epoch, seq=seq)
        assert isinstance(snapshot, m.Snapshot)


async def test_who_was_away_for_long_gets_a_snapshot(
    node: str, monkeypatch: pytest.MonkeyPatch, rng: random.Random
) -> None:
    monkeypatch.setattr(history, "RECENT", 4)
    monkeypatch.setattr(history, "MILESTONE", 1)
    async with at_match(node) as (white, black, match), Player(node) as watcher:
        await watcher.ask(m.Attach, table=match)
        have = watcher.matches[match]
        await watcher.close()
        seq = have.seq
        for count in range(1, 7):
            player, other = by_turn(white, black, match)
            done = await a_turn(player, match, rng)
            await other.reach(match, done.seq or 0)
            if done.seq and other.matches[match].view.phase == "over":
                return
            missed = await come_back(watcher, match, epoch=1, seq=seq)
            assert len(missed) == (1 if count > 4 else count + 1), "all of it, or a snapshot; never a part"
            assert isinstance(missed[0], m.Snapshot if count > 4 else m.Ok)
            have.seq, have.view = seq, have.views[seq]


# --- presence ---


async def test_the_opponent_sees_a_lost_connection_and_its_return(server: ServerProcess) -> None:
    async with at_match(server.url) as (white, black, match):
        await white.sync()
        await black.close()
        gone = await white.next(m.Presence)
        assert (gone.match, gone.seat, gone.online, gone.since > 0) == (match, 1, False, True)
        async with Player(server.url, token=black.token) as again:
            snapshot = await again.get(m.Snapshot, m.Attach, table=match)
            assert (snapshot.seat, snapshot.online) == (1, (True, True))
            assert await white.next(m.Presence) == m.Presence(match=match, seat=1, online=True)
            assert await white.sync() == [], "nothing else happened"


async def test_watchers_come_and_go_unseen(server: ServerProcess) -> None:
    async with at_match(server.url) as (white, black, match):
        async with Player(server.url) as watcher:
            await watcher.ask(m.Attach, table=match)
        async with Player(server.url) as watcher:
            await watcher.ask(m.Attach, table=match)
            await watcher.ask(m.Detach, match=match)
        assert await white.sync() == await black.sync() == []


async def test_who_comes_back_with_what_they_have_is_told_who_is_there(server: ServerProcess) -> None:
    async with at_match(server.url) as (white, black, match):
        await black.close()
        await white.next(m.Presence)
        async with Player(server.url, token=white.token) as again:
            again.matches[match] = white.matches[match]
            again.matches[match].online = (False, True)
            await again.ask(m.Attach, table=match, epoch=1, seq=again.matches[match].seq)
            await again.sync()
            assert again.matches[match].online == (True, False)


async def test_the_newest_connection_holds_the_seat(server: ServerProcess, rng: random.Random) -> None:
    async with at_match(server.url) as (white, black, match):
        player, other = by_turn(white, black, match)
        await other.sync()
        async with Player(server.url, token=player.token) as newer:
            await newer.ask(m.Attach, table=match)
            assert await player.next(m.Replaced) == m.Replaced(match=match, seat=player.matches[match].seat)
            assert refused(await player.act(m.Forfeit, match)) == ErrorCode.NOT_SEATED
            done = await a_turn(newer, match, rng)
            assert await player.reach(match, done.seq or 0) == newer.matches[match].view, "the older one watches"
            await player.close()
            assert not [message for message in await other.sync() if isinstance(message, m.Presence)]
        offline = await other.next(m.Presence)
        assert not offline.online


async def test_the_older_connection_can_take_the_seat_back(server: ServerProcess) -> None:
    async with at_match(server.url) as (white, _, match), Player(server.url, token=white.token) as newer:
        await newer.ask(m.Attach, table=match)
        await white.next(m.Replaced)
        snapshot = await white.get(m.Snapshot, m.Attach, table=match)
        assert snapshot.seat == 0
        assert await newer.next(m.Replaced) == m.Replaced(match=match, seat=0)


async def test_a_lost_connection_takes_no_seat_from_a_newer_one(
    valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store is slow: what a connection asked for comes when the player has come back by another one."""
    prepare, held, go_on, prepared = Registry.prepare, asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def slow(registry: Registry, *args: Any, **options: Any) -> None:
        await prepare(registry, *args, **options)
        if not held.is_set():
            held.set()
            await go_on.wait()
            prepared.set()

    async with (
        inside(valkey.url) as url,
        at_match(url) as (white, _, match),
        Player(url, token=white.token) as lost,
        Player(url, token=white.token) as newer,
    ):
        await white.close()
        monkeypatch.setattr(Registry, "prepare", slow)
        await lost.send(m.Attach, table=match)
        await within(held.wait())
        lost.socket.transport.abort()
        snapshot = await newer.get(m.Snapshot, m.Attach, table=match)
        assert snapshot.seat == 0
        go_on.set()
        await within(prepared.wait())
        assert isinstance(await newer.act(m.Forfeit, match), m.Ok), "the seat is still the newer one's"


# --- heartbeat ---


async def test_a_heartbeat_tells_version_and_checksum(valkey: Valkey) -> None:
    async with inside(valkey.url, Timings(ping_s=1.0)) as url, guests(url, 3) as (white, black, idle):
        match = await new_match(white, black)
        seen = white.matches[match]
        async with asyncio.timeout(PATIENCE_S):
            while (match, seen.epoch, seen.seq, checksum(seen.view)) not in (await white.next(m.Heartbeat)).matches:
                pass
        await idle.sync()
        assert not [message for message in idle.log if isinstance(message, m.Heartbeat)]
