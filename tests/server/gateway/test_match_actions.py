"""Conversations at the board: what is answered, who sees what, and how one comes back."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from structlog.testing import capture_logs
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_protocol.view import checksum
from tavla_server.gateway.connection import Connection
from tavla_server.match import command_queue, history
from tavla_server.match.history import MILESTONE
from tavla_server.match.registry import Registry
from tavla_server.record.events import Entry, Revealed, encode_entry
from tavla_server.store import keys
from tavla_server.store.client import connection_to
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import (
    Player,
    Received,
    choose,
    guests,
    new_match,
    plays_of,
    refused,
    waits_for,
    within,
)
from tests.support.servers.processes import ServerProcess, Valkey, inside
from tests.support.stores.journals import check_journal, patch_reading_on

HINTS: dict[str, bool | int | str] = {"preset": "tournament", "length": 3, "hints": True}


def by_turn(white: Player, black: Player, match: str) -> tuple[Player, Player]:
    """The player that the match waits for, and the other."""
    return (white, black) if waits_for(white.matches[match].view, 0) else (black, white)


async def a_turn(player: Player, match: str, rng: random.Random) -> m.Ok:
    """Some action of the player on turn."""
    request, fields = choose(player.matches[match].view, player.matches[match].seat, rng)
    answer = await player.act(request, match, **fields)
    assert isinstance(answer, m.Ok), answer
    await player.reach(match, answer.seq or 0)
    return answer


async def versions(match: str, *players: Player) -> list[int]:
    """The version of the match that each player has seen, when everything sent has arrived."""
    for player in players:
        await player.sync()
    return [player.matches[match].seq for player in players]


# --- one clear answer each, and nothing changes ---


async def test_an_illegal_play_is_refused_with_a_sentence(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black:
        match = await new_match(white, black)
        player, other = by_turn(white, black, match)
        before = player.matches[match].view
        answer = await player.act(m.Move, match, moves=((24, 1),))
        assert isinstance(answer, m.Error)
        assert (answer.code, answer.seq) == ("illegal_play", player.matches[match].seq)
        assert "24/1" in answer.text
        assert await player.sync() == await other.sync() == []
        assert player.matches[match].view == other.matches[match].view == before


async def test_a_play_out_of_turn_is_refused(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black:
        match = await new_match(white, black)
        _, other = by_turn(white, black, match)
        before = await versions(match, white, black)
        for request, fields in ((m.Move, {"moves": ((24, 23),)}), (m.Roll, {}), (m.Double, {}), (m.Take, {})):
            answer = await other.act(request, match, **fields)
            assert refused(answer) == "not_your_turn"
        assert await versions(match, white, black) == before


async def test_a_stale_action_is_refused_with_the_current_version(server: ServerProcess, rng: random.Random) -> None:
    async with Player(server.url) as white, Player(server.url) as black:
        match = await new_match(white, black)
        player, _ = by_turn(white, black, match)
        seq = player.matches[match].seq
        moves = plays_of(player.matches[match].view)[0]
        await a_turn(player, match, rng)
        for stale in (seq, seq - 1, 0, seq + 99):
            answer = await player.act(m.Move, match, seq=stale, moves=moves)
            assert isinstance(answer, m.Error)
            assert (answer.code, answer.seq) == (ErrorCode.STALE, seq + 1)
        assert await versions(match, white, black) == [seq + 1] * 2


async def test_an_action_goes_past_the_queue_of_requests(valkey: Valkey, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also after requests that went through it."""
    at_once, taken = Connection._act_at_once, list[bool]()

    def noted(connection: Connection, frame: bytes) -> bool:
        taken.append(at_once(connection, frame))
        return taken[-1]

    monkeypatch.setattr(Connection, "_act_at_once", noted)
    async with inside(valkey.url) as url, Player(url) as white, Player(url) as black:
        match = await new_match(white, black)
        taken.clear()
        assert isinstance(await white.act(m.Auto, match, what="roll", on=True), m.Ok)
        assert taken == [True]


async def test_an_action_sent_twice_acts_once_and_is_answered_twice(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black:
        match = await new_match(white, black)
        player, other = by_turn(white, black, match)
        seq, id_ = player.matches[match].seq, player.new_id()
        moves = plays_of(player.matches[match].view)[0]
        for _ in range(3):
            await player.send(m.Move, id=id_, match=match, seq=seq, moves=moves)
        answers = [await player.next(m.Ok) for _ in range(3)]
        assert answers == [m.Ok(id=id_, seq=seq + 1)] * 3
        async with Player(server.url, token=player.token) as again:
            await again.ask(m.Attach, table=match)
            answer = await again.act(m.Move, match, id=id_, seq=seq, moves=moves)
            assert answer == answers[0], "on another connection, too"
            assert await versions(match, other, again) == [seq + 1] * 2


async def test_whoever_attaches_again_is_told_the_seat(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black, Player(server.url) as eve:
        match = await new_match(white, black)
        assert isinstance(await eve.ask(m.Attach, table=match), m.Snapshot)
        for player, seat in ((white, 0), (black, 1), (eve, None)):
            answer = await player.get(m.Ok, m.Attach, table=match, **player.matches[match].have())
            assert answer.seat == seat


async def test_an_action_in_a_match_that_is_not_followed_is_refused(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black:
        match = await new_match(white, black)
        await white.ask(m.Detach, match=match)
        assert refused(await white.act(m.Forfeit, match)) == ErrorCode.NOT_ATTACHED
        assert refused(await white.act(m.Roll, match)) == ErrorCode.NOT_ATTACHED


async def test_actions_that_pile_up_are_refused(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black:
        match = await new_match(white, black)
        count = command_queue.QUEUE_LIMIT + 20
        for number in range(count):
            await white.send(m.Auto, match=match, seq=1, what="play", on=number % 2 == 0)
        answers = [await white.find(lambda message: isinstance(message, m.Ok | m.Error)) for _ in range(count)]
        codes = {answer.code for answer in answers if isinstance(answer, m.Error)}
        assert codes <= {ErrorCode.TOO_MANY}
        done = [answer.seq for answer in answers if isinstance(answer, m.Ok)]
        assert done, "what was accepted was done"
        assert (await versions(match, white, black)) == [max(seq or 0 for seq in done)] * 2


# --- whole matches ---


@pytest.mark.slow
async def test_a_match_with_cube_is_played_to_its_end_and_its_dice_can_be_checked(
    server: ServerProcess, rng: random.Random
) -> None:
    async with Player(server.url) as white, Player(server.url) as black, Player(server.url) as watcher:
        match = await new_match(white, black, {"preset": "tournament", "length": 5})
        await watcher.ask(m.Attach, table=match)
        first, second = random.Random(rng.random()), random.Random(rng.random())
        await asyncio.gather(white.play(match, first), black.play(match, second))
        over = await watcher.until(match, lambda view: view.phase == "over")
        assert white.matches[match].view == black.matches[match].view == over
        assert max(over.score) >= 5
        assert over.outcome is not None
        assert over.score[over.outcome[0] or 0] == max(over.score)
        assert over.seed
        check_journal(server.store_url, match, *(player.matches[match].views for player in (white, black, watcher)))


async def test_both_may_be_ready_at_the_same_moment(server: ServerProcess, rng: random.Random) -> None:
    async with Player(server.url) as white, Player(server.url) as black:
        match = await new_match(white, black, {"preset": "club", "length": 3})
        await white.act(m.Forfeit, match)
        for player in (white, black):
            await player.until(match, lambda view: view.phase == "ready" or view.phase == "over")
        if white.matches[match].view.phase == "ready":
            answers = await asyncio.gather(white.act(m.Ready, match), black.act(m.Ready, match))
            assert all(isinstance(answer, m.Ok) for answer in answers)
            assert (await white.until(match, lambda view: view.game == 2)).phase == "move"


async def test_who_is_ready_twice_is_told_what_it_is(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black:
        match = await new_match(white, black, {"preset": "club", "length": 5})
        await white.act(m.Forfeit, match)
        await white.until(match, lambda view: view.phase == "ready")
        seq = white.matches[match].seq
        first, second = await white.act(m.Ready, match), await white.act(m.Ready, match)
        assert isinstance(first, m.Ok)
        assert isinstance(second, m.Ok)
        assert (first.seq, second.seq) == (seq + 1, seq + 1), "it is so already"
        assert isinstance(await black.act(m.Ready, match), m.Ok)
        late = await black.act(m.Ready, match)
        assert isinstance(late, m.Error)
        assert (late.code, late.text.partition(":")[0]) == ("wrong_phase", "the game has begun")


# --- a journal that cannot be read ---


@pytest.mark.parametrize("entry", [b"no entry", encode_entry(Entry("", 0, 1, 0, (Revealed(None, "no seed"),)))])
async def test_a_match_that_cannot_be_read_leaves_the_others_alone(own_valkey: Valkey, entry: bytes) -> None:
    async with inside(own_valkey.url) as url, guests(url, 2) as (white, black), connection_to(own_valkey.url) as redis:
        match = await new_match(white, black)
        await redis.xadd(keys.MATCH_LOG("broken22aaaa"), {"e": entry}, id="1-0")
        await redis.sadd(keys.PLAYER_PLAYED(white.id), "broken22aaaa")
        with capture_logs() as lines:
            answer = await white.ask(m.Attach, table="broken22aaaa")
            mine = await white.ask(m.List, what="mine")
        assert isinstance(answer, m.Error)
        assert (answer.code, answer.text) == ("unavailable", "the server cannot read this match: tell the operator")
        assert isinstance(mine, m.Listing)
        assert mine.rows.keys() == {match}
        assert [line["match"] for line in lines if line["event"] == "journal_unreadable"] == ["broken22aaaa"] * 2
        assert isinstance(await white.act(m.Auto, match, what="play", on=True), m.Ok), "the connection is there"


@pytest.mark.parametrize("entry", [b"no entry", encode_entry(Entry("", 0, 1, 0, (Revealed(None, "no seed"),)))])
async def test_a_journal_that_is_damaged_under_a_running_match_is_named_once(
    own_valkey: Valkey, entry: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = 0

    async def counted(read: Callable[[], Awaitable[Any]]) -> Any:
        nonlocal tries
        tries += 1
        return await read()

    patch_reading_on(monkeypatch, counted)
    async with inside(own_valkey.url) as url, guests(url, 2) as (white, black), connection_to(own_valkey.url) as redis:
        match = await new_match(white, black)
        seq = white.matches[match].seq
        await redis.xadd(keys.MATCH_LOG(match), {"e": entry}, id=f"{seq + 1}-0")
        with capture_logs() as lines:
            await white.send(m.Auto, match=match, seq=seq, what="play", on=True)  # the append finds out
            async with asyncio.timeout(PATIENCE_S):
                while tries < 4:
                    await white.ask(m.List)
            await redis.xdel(keys.MATCH_LOG(match), f"{seq + 1}-0")
        assert [line["match"] for line in lines if line["event"] == "journal_unreadable"] == [match]
        assert not [line for line in lines if line["event"] == "unhandled_exception"]


# --- coming back ---


async def come_back(player: Player, match: str, **have: int) -> list[Received]:
    """Messages that a new connection of the player gets for attaching with what it has."""
    assert player.token is not None
    async with Player(player.url, token=player.token) as again:
        again.matches[match] = player.matches[match]
        seen = len(again.log)
        await again.ask(m.Attach, table=match, **have)
        await again.sync()
    at_any_time = m.Presence | m.Listing | m.Heartbeat | m.Watchers | m.Seated
    return [message for message in again.log[seen:] if not isinstance(message, at_any_time)]


async def test_who_comes_back_gets_exactly_what_was_missed(server: ServerProcess, rng: random.Random) -> None:
    async with Player(server.url) as white, Player(server.url) as black, Player(server.url) as watcher:
        match = await new_match(white, black)
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


@pytest.mark.slow
async def test_whoever_has_the_same_version_gets_what_follows_it(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black, Player(server.url) as watcher:
        match = await new_match(white, black)
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
    async with Player(server.url) as white, Player(server.url) as black:
        match = await new_match(white, black)
        seq = max(white.matches[match].seq + ahead, 0)
        (snapshot,) = await come_back(white, match, epoch=epoch, seq=seq)
        assert isinstance(snapshot, m.Snapshot)


async def test_who_was_away_for_long_gets_a_snapshot(
    node: str, monkeypatch: pytest.MonkeyPatch, rng: random.Random
) -> None:
    monkeypatch.setattr(history, "RECENT", 4)
    monkeypatch.setattr(history, "MILESTONE", 1)
    async with Player(node) as white, Player(node) as black, Player(node) as watcher:
        match = await new_match(white, black)
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
    async with Player(server.url) as white, Player(server.url) as black:
        match = await new_match(white, black)
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
    async with Player(server.url) as white, Player(server.url) as black:
        match = await new_match(white, black)
        async with Player(server.url) as watcher:
            await watcher.ask(m.Attach, table=match)
        async with Player(server.url) as watcher:
            await watcher.ask(m.Attach, table=match)
            await watcher.ask(m.Detach, match=match)
        assert await white.sync() == await black.sync() == []


async def test_who_comes_back_with_what_they_have_is_told_who_is_there(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black:
        match = await new_match(white, black)
        await black.close()
        await white.next(m.Presence)
        async with Player(server.url, token=white.token) as again:
            again.matches[match] = white.matches[match]
            again.matches[match].online = (False, True)
            await again.ask(m.Attach, table=match, epoch=1, seq=again.matches[match].seq)
            await again.sync()
            assert again.matches[match].online == (True, False)


async def test_the_newest_connection_holds_the_seat(server: ServerProcess, rng: random.Random) -> None:
    async with Player(server.url) as white, Player(server.url) as black:
        match = await new_match(white, black)
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
    async with Player(server.url) as white, Player(server.url) as black:
        match = await new_match(white, black)
        async with Player(server.url, token=white.token) as newer:
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

    async with inside(valkey.url) as url, Player(url) as white, Player(url) as black:
        match = await new_match(white, black)
        async with Player(url, token=white.token) as lost, Player(url, token=white.token) as newer:
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


# --- legal plays ---


async def test_legal_plays_go_to_the_player_on_roll_who_asked_and_to_nobody_else(
    server: ServerProcess, rng: random.Random
) -> None:
    async with Player(server.url) as white, Player(server.url) as black, Player(server.url) as watcher:
        match = await new_match(white, black, HINTS)
        await watcher.ask(m.Attach, table=match, plays=True)
        await white.ask(m.Attach, table=match, plays=True)
        for _ in range(40):
            if white.matches[match].view.phase == "over":
                break
            player, other = by_turn(white, black, match)
            done = await a_turn(player, match, rng)
            await other.reach(match, done.seq or 0)
            view, seq = white.matches[match].view, done.seq or 0
            hints = [message for message in await white.sync() if isinstance(message, m.Plays) and message.seq == seq]
            if view.phase == "move" and view.turn == 0:
                assert [set(hint.plays) for hint in hints] == [set(plays_of(view))]
            else:
                assert hints == []
        for player in (black, watcher):
            await player.sync()
            assert not [message for message in player.log if isinstance(message, m.Plays)]


async def test_who_comes_back_to_the_turn_with_all_updates_gets_the_legal_plays(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black:
        match = await new_match(white, black, HINTS)
        player, _ = by_turn(white, black, match)
        seen = player.matches[match]
        ok, plays = await come_back(player, match, epoch=seen.epoch, seq=seen.seq, plays=True)
        assert isinstance(ok, m.Ok), "no snapshot: nothing was missed"
        assert isinstance(plays, m.Plays)
        assert (plays.seq, set(plays.plays)) == (seen.seq, set(plays_of(seen.view)))


async def test_no_legal_plays_when_the_rules_allow_no_hints(server: ServerProcess, rng: random.Random) -> None:
    async with Player(server.url) as white, Player(server.url) as black:
        match = await new_match(white, black)
        for player in (white, black):
            await player.ask(m.Attach, table=match, plays=True)
        player, other = by_turn(white, black, match)
        done = await a_turn(player, match, rng)
        await other.reach(match, done.seq or 0)
        for player in (white, black):
            await player.sync()
            assert not [message for message in player.log if isinstance(message, m.Plays)]


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
