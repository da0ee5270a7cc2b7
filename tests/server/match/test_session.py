"""Sessions on a real journal: several nodes at one match, answers that were lost, and time."""

import asyncio
import os
import random
import signal
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tavla_engine import actions as a
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.match.session import Session
from tavla_server.record.decider import engine_decide
from tavla_server.record.events import encode_entry
from tavla_server.timings import DEFAULTS

from tests.support.games.chance import choose_action
from tests.support.patience import PATIENCE_S, wait_until
from tests.support.players.lobby import until_listed
from tests.support.players.matches import at_match, new_match
from tests.support.players.plain import Player, guests, refused
from tests.support.players.seeds import SEALER
from tests.support.servers.handclock import HandClock
from tests.support.servers.nodes import node_on, proxied
from tests.support.servers.processes import inside
from tests.support.servers.sessions import ask, ids, opened, toggle
from tests.support.servers.valkey import Valkey
from tests.support.stores.journals import check_journal, entries_of, patch_reading_on
from tests.support.tries import tries

NEXT_GAME_MS = round(1000 * DEFAULTS.next_game_s)
NEXT_MONEY_MS = round(1000 * DEFAULTS.next_money_s)
MONEY: dict[str, bool | int | str] = {"preset": "money"}
MATCH: dict[str, bool | int | str] = {"length": 7, "forfeit_multiplier": 3}


async def test_a_player_who_is_here_is_not_away(valkey: Valkey, rng: random.Random) -> None:
    connection: Any = object()
    async with node_on(valkey.url) as here:
        session = await opened(here, rng)
        white_ms, black_ms = session.seats.away
        assert session.away == (white_ms, black_ms)
        session.seats.hold(0, connection)
        assert session.away == (0, black_ms)
        session.seats.hold(1, connection)
        assert session.away == (0, 0)


async def test_of_two_nodes_at_one_turn_one_wins_and_the_other_is_stale(valkey: Valkey, rng: random.Random) -> None:
    won: Counter[str] = Counter()
    async with node_on(valkey.url) as here, node_on(valkey.tcp_url) as there:
        while sum(won.values()) < tries(2000):
            first = await opened(here, rng)
            second = await there.get(first.record.id)
            while not first.record.over:
                if first.seq != second.seq:
                    behind = min(first, second, key=lambda session: session.seq)
                    await ask(behind, toggle, seq=behind.seq)
                    continue
                assert SEALER.unseal(first.record) == SEALER.unseal(second.record)
                seq, match = first.seq, first.record.match
                asked = [(first, choose_action(match, rng)), (second, choose_action(match, rng))]
                rng.shuffle(asked)
                answers = await asyncio.gather(*(ask(session, engine_decide(action), seq) for session, action in asked))
                for answer in answers:
                    assert isinstance(answer, m.Ok) or answer.code in (ErrorCode.STALE, "no_double"), answer
                made = [session for (session, _), answer in zip(asked, answers, strict=True) if good(answer, seq)]
                assert len(made) <= 1, "both thought that they made the same version"
                won.update("first" if session is first else "second" for session in made)
            check_journal(valkey.url, first.record.id)
    print(f"won by each node: {won}")


def good(answer: m.Ok | m.Error, seq: int) -> bool:
    """True if an action made the version after `seq`."""
    return isinstance(answer, m.Ok) and answer.seq == seq + 1


async def test_what_is_not_bound_to_a_turn_succeeds_on_both_nodes(valkey: Valkey, rng: random.Random) -> None:
    count = tries(500)
    async with node_on(valkey.url) as here, node_on(valkey.tcp_url) as there:
        first = await opened(here, rng)
        second = await there.get(first.record.id)
        start = first.seq

        async def run(session: Session) -> list[int | None]:
            answers = [await ask(session, toggle) for _ in range(count)]
            return [answer.seq for answer in answers if isinstance(answer, m.Ok)]

        made = await asyncio.gather(run(first), run(second))
        assert sorted(made[0] + made[1], key=lambda seq: seq or 0) == list(range(start + 1, start + 2 * count + 1))
    assert len(entries_of(valkey.url, first.record.id)) == start + 2 * count
    check_journal(valkey.url, first.record.id)


async def test_an_action_sent_to_both_nodes_acts_once(valkey: Valkey, rng: random.Random) -> None:
    async with node_on(valkey.url) as here, node_on(valkey.tcp_url) as there:
        first = await opened(here, rng)
        second = await there.get(first.record.id)
        for _ in range(tries(200)):
            id_ = next(ids)
            both = await asyncio.gather(*(ask(session, toggle, id_=id_) for session in (first, second)))
            assert both[0] == both[1]
            assert isinstance(both[0], m.Ok)
    check_journal(valkey.url, first.record.id)


async def test_what_a_node_hears_while_it_reads_is_read_next(
    valkey: Valkey, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with node_on(valkey.url) as here, node_on(valkey.tcp_url) as there:
        first = await opened(here, rng)
        second = await there.get(first.record.id)
        before, heard = first.seq, asyncio.Event()

        async def late(read: Callable[[], Awaitable[Any]]) -> Any:
            found = await read()
            if not heard.is_set():
                heard.set()
                await ask(first, toggle)
                second.heard_entry(first.seq, encode_entry(entries_of(valkey.url, first.record.id)[-1]))
            return found

        patch_reading_on(monkeypatch, late)
        second.read_on()
        await wait_until(lambda: second.seq == before + 1)  # nothing else tells it: no node follows this match


async def test_answers_that_are_lost_change_nothing(valkey: Valkey, rng: random.Random) -> None:
    async with proxied(valkey) as (proxy, url), node_on(url) as sessions:
        session = await opened(sessions, rng)
        for _ in range(30):
            seq = session.seq
            proxy.down_left = rng.randrange(4)
            while isinstance(answer := await ask(session, toggle), m.Error):
                assert answer.code == ErrorCode.UNAVAILABLE
                await asyncio.sleep(0.005)
            assert (answer.seq, session.seq) == (seq + 1, seq + 1)
        assert proxy.connections > 10
    check_journal(valkey.url, session.record.id)


async def test_a_session_built_anew_is_the_same(valkey: Valkey, rng: random.Random) -> None:
    async with node_on(valkey.url) as here:
        session = await opened(here, rng)
        while session.record.match.game < 3:
            await ask(session, engine_decide(choose_action(session.record.match, rng)), session.seq)
            await here.settle()
            if rng.random() < 0.1:
                async with node_on(valkey.url) as anew:
                    again = await anew.get(session.record.id)
                    assert (again.seq, again.view) == (session.seq, session.view)
                    assert SEALER.unseal(again.record) == SEALER.unseal(session.record)


async def test_an_action_before_the_snapshot_is_known_when_it_is_sent_again(valkey: Valkey, rng: random.Random) -> None:
    async with node_on(valkey.url) as here:
        session = await opened(here, rng)
        await ask(session, engine_decide(a.Forfeit(0)))
        ready = engine_decide(a.Ready(0))
        id_ = next(ids)
        first = await ask(session, ready, id_=id_)
        assert isinstance(await ask(session, engine_decide(a.Ready(1))), m.Ok)
        assert session.record.match.game == 2
        await here.settle()
        async with node_on(valkey.url) as there:
            again = await there.get(session.record.id)
            assert again.seq == session.seq
            assert await ask(again, ready, id_=id_) == first


async def test_who_asks_for_the_same_match_at_once_gets_the_same_session(valkey: Valkey, rng: random.Random) -> None:
    async with node_on(valkey.url) as here, node_on(valkey.url) as there:
        match = (await opened(here, rng)).record.id
        found = await asyncio.gather(*(there.get(match) for _ in range(20)))
        assert len({id(session) for session in found}) == 1


# --- two servers, one match ---


async def test_what_another_node_did_is_shown_before_our_own(valkey: Valkey) -> None:
    async with (
        inside(valkey.url) as here,
        inside(valkey.tcp_url) as there,
        guests(here, 2) as (white, joining),
        Player(there) as watcher,
    ):
        match = await new_match(white, joining, MONEY)
        async with Player(there, token=joining.token) as black:
            await black.ask(m.Attach, table=match)
            await watcher.ask(m.Attach, table=match)
            for number in range(6):
                on = number % 2 == 0
                for player in (white, black):
                    answer = await player.act(m.Auto, match, what="play", on=on)
                    assert isinstance(answer, m.Ok), answer
                    view = await player.reach(match, answer.seq or 0)
                    assert view.auto_play[player.matches[match].seat or 0] is on
            await watcher.reach(match, black.matches[match].seq)
            check_journal(valkey.url, match, *(player.matches[match].views for player in (white, black, watcher)))


async def test_who_leaves_while_an_action_is_appended_is_answered_all_the_same(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url) as url, at_match(url, MONEY) as (white, black, match):
        os.kill(own_valkey.pid, signal.SIGSTOP)
        action = await white.send(m.Auto, match=match, seq=0, what="play", on=True)
        assert isinstance(await white.ask(m.Detach, match=match), m.Ok)
        os.kill(own_valkey.pid, signal.SIGCONT)
        seq = black.matches[match].seq + 1
        answer = await white.find(lambda message: getattr(message, "id", None) == action)
        assert answer == m.Ok(id=action, seq=seq)
        assert (await black.reach(match, seq)).auto_play == (True, False)


# --- effects ---


async def test_a_last_action_whose_answer_was_lost_still_closes_the_table(valkey: Valkey) -> None:
    async with proxied(valkey) as (proxy, store), inside(store) as url, guests(url, 2) as (white, black):
        match = await new_match(white, black)
        await until_listed(white, match, "matches")
        async with asyncio.timeout(PATIENCE_S):
            proxy.down_left = 0
            while isinstance(answer := await white.act(m.Forfeit, match), m.Error):
                assert answer.code == "unavailable", "the cut met the answer of another command"
                proxy.down_left = 0
        await until_listed(black, match, None)


# --- time ---


async def between_games(white: Player, black: Player, rules: dict[str, bool | int | str] = MATCH) -> str:
    """A match whose first game is over."""
    match = await new_match(white, black, rules)
    await white.act(m.Forfeit, match)
    for player in (white, black):
        await player.until(match, lambda view: view.phase == "ready")
    return match


async def test_the_next_game_starts_by_itself(clock: HandClock, valkey: Valkey) -> None:
    async with inside(valkey.url) as url, Player(url) as white, Player(url) as black:
        match = await between_games(white, black)
        clock.move(NEXT_GAME_MS - 1000)
        assert isinstance(await white.act(m.Ready, match), m.Ok)
        assert (await black.until(match, lambda view: view.ready[0])).game == 1
        clock.move(1000)
        for player in (white, black):
            assert (await player.until(match, lambda view: view.game == 2)).phase == "move"


async def test_the_next_game_waits_for_both_players(clock: HandClock, valkey: Valkey) -> None:
    async with inside(valkey.url) as url, Player(url) as white, Player(url) as black:
        match = await between_games(white, black)
        clock.move(NEXT_GAME_MS - 1000)
        await black.ask(m.Detach, match=match)
        clock.move(10 * NEXT_GAME_MS)
        await white.sync()
        assert white.matches[match].view.game == 1
        await black.ask(m.Attach, table=match)
        clock.move(NEXT_GAME_MS - 1000)
        await white.sync()
        assert white.matches[match].view.game == 1, "the wait begins anew"
        clock.move(1000)
        assert (await white.until(match, lambda view: view.game == 2)).phase == "move"


@pytest.mark.parametrize("ready", [False, True], ids=["nobody", "one"])
async def test_the_next_money_game_never_starts_unasked(clock: HandClock, valkey: Valkey, ready: bool) -> None:
    async with inside(valkey.url) as url, Player(url) as white, Player(url) as black:
        match = await between_games(white, black, MONEY)
        if ready:
            assert isinstance(await white.act(m.Ready, match), m.Ok)
        clock.move(NEXT_MONEY_MS - 1000)
        await white.sync()
        view = white.matches[match].view
        assert (view.game, view.phase) == (1, "ready")
        clock.move(1000)
        over = await black.until(match, lambda view: view.phase == "over")
        assert (over.outcome, over.score) == ((1, 0, 0, "left"), (0, 3))


async def test_both_want_the_next_money_game_and_it_starts(clock: HandClock, valkey: Valkey) -> None:
    async with inside(valkey.url) as url, Player(url) as white, Player(url) as black:
        match = await between_games(white, black, MONEY)
        for player in (white, black):
            await player.act(m.Ready, match)
        assert (await white.until(match, lambda view: view.game == 2)).phase == "move"
        clock.move(10 * NEXT_MONEY_MS)
        await white.sync()
        assert white.matches[match].view.game == 2


async def test_a_money_session_from_which_one_is_away_waits(clock: HandClock, valkey: Valkey) -> None:
    async with inside(valkey.url) as url, Player(url) as white, Player(url) as black:
        match = await between_games(white, black, MONEY)
        await black.ask(m.Detach, match=match)
        clock.move(10 * NEXT_MONEY_MS)
        await white.sync()
        assert white.matches[match].view.phase == "ready"
        assert isinstance(await white.act(m.Leave, match), m.Ok)


async def test_a_game_that_was_started_by_hand_is_not_started_again(clock: HandClock, valkey: Valkey) -> None:
    async with inside(valkey.url) as url, Player(url) as white, Player(url) as black:
        match = await between_games(white, black)
        for player in (white, black):
            await player.act(m.Ready, match)
        seq = (await white.act(m.Auto, match, what="play", on=True)).seq or 0
        clock.move(10 * NEXT_GAME_MS)
        await white.sync()
        assert white.matches[match].seq == seq


async def test_a_match_that_everyone_left_for_long_is_there_again(clock: HandClock, valkey: Valkey) -> None:
    async with inside(valkey.url) as url, at_match(url, MONEY) as (white, black, match):
        seen = white.matches[match]
        for player in (white, black):
            await player.ask(m.Detach, match=match)
        clock.move(24 * 3600 * 1000)
        answer = await white.ask(m.Attach, table=match, epoch=seen.epoch, seq=seen.seq)
        assert isinstance(answer, m.Ok | m.Snapshot)
        assert answer.seq == seen.seq
        assert refused(await white.act(m.Take, match)) in ("wrong_phase", "not_your_turn")


async def test_who_asks_for_a_match_that_is_being_opened_takes_it_from_nobody(valkey: Valkey) -> None:
    """Ids follow from players and requests: a stranger can ask for one just before it is there."""
    async with node_on(valkey.url) as sessions:
        opening = await sessions.get("aaaaaaaa")
        assert await sessions.find("aaaaaaaa") is None
        assert await sessions.get("aaaaaaaa") is opening
        asked, opening, asked_again = await asyncio.gather(
            sessions.find("bbbbbbbb"), sessions.get("bbbbbbbb"), sessions.find("bbbbbbbb")
        )
        assert asked is asked_again is None
        assert await sessions.get("bbbbbbbb") is opening
        assert await sessions.find("cccccccc") is None
        assert len(sessions.live) == 2, "nothing is kept of what nobody opens"
