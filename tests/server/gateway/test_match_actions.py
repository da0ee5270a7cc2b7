"""Conversations at the board: what is answered, who sees what, and how one comes back."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from structlog.testing import capture_logs
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.gateway.connection import Connection
from tavla_server.match.command_queue import QUEUE_LIMIT
from tavla_server.match.session import Session
from tavla_server.record.events import Entry, Revealed, encode_entry
from tavla_server.store import keys
from tavla_server.store.client import connection_to

from tests.support.patience import PATIENCE_S, wait_until
from tests.support.players.matches import a_turn, at_match, by_turn, new_match
from tests.support.players.plain import Player, guests, refused
from tests.support.players.returning import come_back
from tests.support.players.turns import plays_of
from tests.support.servers.processes import ServerProcess, inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.journals import check_journal, patch_reading_on

HINTS: dict[str, bool | int | str] = {"preset": "tournament", "length": 3, "hints": True}


async def versions(match: str, *players: Player) -> list[int]:
    """The version of the match that each player has seen, when everything sent has arrived."""
    for player in players:
        await player.sync()
    return [player.matches[match].seq for player in players]


# --- one clear answer each, and nothing changes ---


async def test_an_illegal_play_is_refused_with_a_sentence(server: ServerProcess) -> None:
    async with at_match(server.url) as (white, black, match):
        player, other = by_turn(white, black, match)
        before = player.matches[match].view
        answer = await player.act(m.Move, match, moves=((24, 1),))
        assert isinstance(answer, m.Error)
        assert (answer.code, answer.seq) == ("illegal_play", player.matches[match].seq)
        assert "24/1" in answer.text
        assert await player.sync() == await other.sync() == []
        assert player.matches[match].view == other.matches[match].view == before


async def test_a_play_out_of_turn_is_refused(server: ServerProcess) -> None:
    async with at_match(server.url) as (white, black, match):
        _, other = by_turn(white, black, match)
        before = await versions(match, white, black)
        for request, fields in ((m.Move, {"moves": ((24, 23),)}), (m.Roll, {}), (m.Double, {}), (m.Take, {})):
            answer = await other.act(request, match, **fields)
            assert refused(answer) == "not_your_turn"
        assert await versions(match, white, black) == before


async def test_a_stale_action_is_refused_with_the_current_version(server: ServerProcess, rng: random.Random) -> None:
    async with at_match(server.url) as (white, black, match):
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
    async with inside(valkey.url) as url, at_match(url) as (white, _, match):
        taken.clear()
        assert isinstance(await white.act(m.Auto, match, what="roll", on=True), m.Ok)
        assert taken == [True]


async def test_an_action_sent_twice_acts_once_and_is_answered_twice(server: ServerProcess) -> None:
    async with at_match(server.url) as (white, black, match):
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
    async with at_match(server.url) as (white, black, match), Player(server.url) as eve:
        assert isinstance(await eve.ask(m.Attach, table=match), m.Snapshot)
        for player, seat in ((white, 0), (black, 1), (eve, None)):
            answer = await player.get(m.Ok, m.Attach, table=match, **player.matches[match].have())
            assert answer.seat == seat


async def test_an_action_in_a_match_that_is_not_followed_is_refused(server: ServerProcess) -> None:
    async with at_match(server.url) as (white, _, match):
        await white.ask(m.Detach, match=match)
        assert refused(await white.act(m.Forfeit, match)) == ErrorCode.NOT_ATTACHED
        assert refused(await white.act(m.Roll, match)) == ErrorCode.NOT_ATTACHED


async def test_actions_that_pile_up_are_refused(node: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One is on its way to the journal, QUEUE_LIMIT wait, and each further one is refused."""
    on_append, held = Session.on_append, list[tuple[Any, ...]]()
    async with at_match(node) as (white, black, match):
        monkeypatch.setattr(Session, "on_append", lambda *outcome: held.append(outcome))
        for number in range(1 + QUEUE_LIMIT + 20):
            await white.send(m.Auto, match=match, seq=1, what="play", on=number % 2 == 0)
        assert {(await white.next(m.Error)).code for _ in range(20)} == {ErrorCode.TOO_MANY}
        await wait_until(lambda: held)
        monkeypatch.setattr(Session, "on_append", on_append)
        on_append(*held.pop())
        done = [(await white.next(m.Ok)).seq or 0 for _ in range(1 + QUEUE_LIMIT)]
        assert (await versions(match, white, black)) == [max(done)] * 2, "what was accepted was done"


# --- whole matches ---


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


async def test_who_is_ready_twice_is_told_what_it_is(server: ServerProcess) -> None:
    async with at_match(server.url, {"preset": "club", "length": 5}) as (white, black, match):
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
                while tries < 8:
                    await white.ask(m.List)
            await redis.xdel(keys.MATCH_LOG(match), f"{seq + 1}-0")
        named = [line["match"] for line in lines if line["event"] == "journal_unreadable"]
        assert set(named) == {match}
        assert len(named) <= 2, "by the session, however often it tries; a sweep that passes may name it, too"
        assert not [line for line in lines if line["event"] == "unhandled_exception"]


# --- legal plays ---


async def test_legal_plays_go_to_the_player_on_roll_who_asked_and_to_nobody_else(
    server: ServerProcess, rng: random.Random
) -> None:
    async with at_match(server.url, HINTS) as (white, black, match), Player(server.url) as watcher:
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
    async with at_match(server.url, HINTS) as (white, black, match):
        player, _ = by_turn(white, black, match)
        seen = player.matches[match]
        ok, plays = await come_back(player, match, epoch=seen.epoch, seq=seen.seq, plays=True)
        assert isinstance(ok, m.Ok), "no snapshot: nothing was missed"
        assert isinstance(plays, m.Plays)
        assert (plays.seq, set(plays.plays)) == (seen.seq, set(plays_of(seen.view)))


async def test_no_legal_plays_when_the_rules_allow_no_hints(server: ServerProcess, rng: random.Random) -> None:
    async with at_match(server.url) as (white, black, match):
        for player in (white, black):
            await player.ask(m.Attach, table=match, plays=True)
        player, other = by_turn(white, black, match)
        done = await a_turn(player, match, rng)
        await other.reach(match, done.seq or 0)
        for player in (white, black):
            await player.sync()
            assert not [message for message in player.log if isinstance(message, m.Plays)]
