"""Admission when there is hardly room: players in a match come before all others."""

import asyncio
import re
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from urllib.parse import urlsplit

import pytest
from structlog.testing import capture_logs
from tavla_protocol import messages as m
from tavla_protocol.codes import CloseCode
from tavla_server.gateway.admission import CROWDED_TEXT, FULL_TEXT, HASTY_TEXT, KEPT_S, LOGGED_S, LOOK_S, Admission
from tavla_server.limits import DEFAULT_LIMITS, Limits
from tavla_server.token_bucket import Rate
from websockets.exceptions import InvalidStatus

from tests.support.patience import PATIENCE_S
from tests.support.players.matches import new_match
from tests.support.players.plain import Player, close_code, within
from tests.support.servers.handloop import HandLoop
from tests.support.servers.processes import inside, ready_in_time
from tests.support.servers.valkey import Valkey

MOST = 20
FOR_ALL = 18
HERE, THERE = "192.0.2.1", "198.51.100.1"


class Clock:
    """Moved by hand."""

    now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def admission(clock: Clock) -> Admission:
    return Admission(MOST, 15, 3, clock)


def comes(admission: Admission, address: str) -> str:
    """The fate of a new connection: in, on trial, or the reason for its refusal."""
    turned = admission.check(address)
    if turned is not None:
        return turned.text
    return "trial" if admission.enter(address) else "in"


def crowd(admission: Admission, count: int = FOR_ALL) -> None:
    """So many come, each from elsewhere."""
    assert {comes(admission, f"203.0.113.{number}") for number in range(count)} == {"in"}


def test_the_last_places_are_given_on_trial(admission: Admission) -> None:
    crowd(admission)
    assert [comes(admission, HERE) for _ in range(MOST - FOR_ALL + 1)] == ["trial"] * (MOST - FOR_ALL) + [FULL_TEXT]
    assert comes(admission, THERE) == FULL_TEXT, "no place is left at all"
    admission.leave("203.0.113.0", plays=False)
    assert comes(admission, THERE) == "trial"
    for address in (*[HERE] * (MOST - FOR_ALL), "203.0.113.1"):
        admission.leave(address, plays=False)
    assert comes(admission, "203.0.113.2") == "in"


def test_the_place_of_one_who_was_cut_off_is_kept_for_a_minute(admission: Admission, clock: Clock) -> None:
    crowd(admission, FOR_ALL - 2)
    assert [comes(admission, HERE) for _ in range(2)] == ["in", "in"]
    for _ in range(2):
        admission.leave(HERE, plays=True)
    clock.now_s += KEPT_S / 2
    assert [comes(admission, THERE) for _ in range(2)] == ["trial", "trial"], "others get it on trial alone"
    assert [comes(admission, HERE) for _ in range(2)] == ["in", "in"], "though there are as many as there may be"
    assert comes(admission, HERE) == FULL_TEXT
    admission.leave(HERE, plays=True)
    clock.now_s += KEPT_S
    for _ in range(2):
        admission.leave(THERE, plays=False)
    assert comes(admission, THERE) == "in", "the minute is over"


def test_a_place_that_was_taken_again_is_kept_anew(admission: Admission, clock: Clock) -> None:
    crowd(admission, FOR_ALL - 1)
    comes(admission, HERE)
    for _ in range(5):
        admission.leave(HERE, plays=True)
        clock.now_s += KEPT_S - 1
        assert comes(admission, HERE) == "in"
        assert comes(admission, HERE) == "trial", "only one was kept"
        admission.leave(HERE, plays=False)


def test_an_address_has_so_many_connections(clock: Clock) -> None:
    admission = Admission(100, 3, 3, clock)
    assert [comes(admission, HERE) for _ in range(4)] == ["in", "in", "in", CROWDED_TEXT]
    assert [comes(admission, "") for _ in range(4)] == ["in"] * 4, "this machine has no limit of its own"
    admission.leave(HERE, plays=False)
    assert comes(admission, HERE) == "in"


def test_who_connects_again_and_again_has_to_wait(admission: Admission, clock: Clock) -> None:
    for _ in range(int(DEFAULT_LIMITS.address_handshakes.burst)):
        assert comes(admission, HERE) == "in"
        admission.leave(HERE, plays=False)
    turned = admission.check(HERE)
    assert turned is not None
    assert turned.text == HASTY_TEXT
    assert turned.retry_s == pytest.approx(1 / DEFAULT_LIMITS.address_handshakes.per_s)
    assert comes(admission, THERE) == "in", "others do not"
    clock.now_s += turned.retry_s
    assert comes(admission, HERE) == "in"


def test_all_together_have_to_wait_but_not_who_is_awaited(admission: Admission) -> None:
    admission.enter(HERE)
    admission.leave(HERE, plays=True)
    for number in range(int(DEFAULT_LIMITS.handshakes.burst)):
        assert admission.check(f"10.0.{number // 250}.{number % 250}") is None
    assert comes(admission, THERE) == HASTY_TEXT
    assert comes(admission, HERE) == "in"


class Silent:
    """A connection that has said nothing yet. cut: the numbers of those that were cut."""

    def __init__(self, number: int, cut: list[int]) -> None:
        self._number, self._cut = number, cut

    def cut(self) -> None:
        self._cut.append(self._number)


@pytest.mark.parametrize("stood_s", [0.0, 10 * LOOK_S])
def test_who_has_said_nothing_for_longest_makes_room(admission: Admission, stood_s: float) -> None:
    """Also where the machine has stood still: what had come by then is read first."""

    async def cut() -> list[int]:
        loop, cut = asyncio.get_running_loop(), list[int]()
        assert isinstance(loop, HandLoop)
        silent = [Silent(number, cut) for number in range(6)]
        for one in silent:
            admission.wait_for(one)
        loop.stand_still(stood_s)
        await asyncio.sleep(0)
        assert not cut, "nobody has looked yet at what they have sent"
        admission.count_out(silent[1])
        await asyncio.sleep(LOOK_S)
        return cut

    with asyncio.Runner(loop_factory=HandLoop) as runner:
        assert runner.run(cut()) == [0, 2]


def test_of_many_that_are_refused_the_log_tells_once_a_minute(admission: Admission, clock: Clock) -> None:
    crowd(admission)
    with capture_logs() as lines:
        for _ in range(5):
            comes(admission, HERE)
        assert [line["event"] for line in lines] == ["turned_away"]
        clock.now_s += LOGGED_S + 1
        comes(admission, HERE)
    assert [line["limit"] for line in lines] == ["connections", "connections"]


# --- with real sockets ---


def at(number: int) -> dict[str, str]:
    """The headers of a client behind a proxy."""
    return {"X-Forwarded-For": f"203.0.113.{number}"}


@asynccontextmanager
async def full(valkey: Valkey) -> AsyncIterator[tuple[str, Player, Player, str]]:
    """A server whose places for all are taken: two play, the others look on. Its URL, the two, and their match."""
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(inside(valkey.url, behind_proxy=True, max_connections=MOST))
        white, black, *_ = [
            await stack.enter_async_context(Player(url, headers=at(number)))
            for number in (1, 2, *range(100, 100 + FOR_ALL - 2))
        ]
        yield url, white, black, await new_match(white, black)


async def knocks(url: str, number: int) -> str:
    """The fate of a stranger: the answer of HTTP, or "" for one that was let in, and sent away after hello."""
    stranger = Player(url, headers=at(number))
    try:
        await stranger.connect()
    except InvalidStatus as refused:
        answer = refused.response
        return f"{answer.status_code} {answer.headers['Retry-After']} {(answer.body or b'').decode()}"
    await stranger.send(m.Hello, name=stranger.name)
    assert await close_code(stranger) == CloseCode.FULL
    told = next(message for message in stranger.log if isinstance(message, m.Closing))
    assert (told.text, told.retry_after) == (FULL_TEXT, 10)
    return ""


async def test_at_three_times_the_limit_who_plays_is_undisturbed_and_comes_back(
    valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tavla_server.gateway.connection.TRIAL_S", PATIENCE_S)
    async with full(valkey) as (url, white, black, match):
        crowd = asyncio.gather(*(knocks(url, 3 + number % 90) for number in range(3 * MOST)))
        on = False
        while not crowd.done():
            on = not on
            assert isinstance(await white.act(m.Auto, match, what="play", on=on), m.Ok)
            await black.reach(match, white.matches[match].seq)
        results = await crowd
        assert len(results) == 3 * MOST
        assert set(results) - {""} == {f"503 10 {FULL_TEXT}\n"}
        for headers in (at(1), at(99)):  # from where it was cut off; from elsewhere, as a telephone does
            white.socket.transport.abort()
            white.headers = headers
            await white.open()
            assert isinstance(await white.ask(m.Attach, table=match), m.Snapshot)
            assert isinstance(await white.act(m.Auto, match, what="roll", on=True), m.Ok)
        assert await asyncio.to_thread(ready_in_time, url) == (200, "ready\n"), "who plays is still to be sent here"


async def test_a_player_without_a_match_is_no_reason_for_a_kept_place(
    valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tavla_server.gateway.connection.TRIAL_S", PATIENCE_S)
    async with full(valkey) as (url, _, black, match), inside(valkey.url) as elsewhere, Player(elsewhere) as eve:
        again = Player(url, headers=at(50), token=eve.token)
        await again.connect()
        await again.send(m.Hello, token=again.token)
        assert await close_code(again) == CloseCode.FULL
        black.socket.transport.abort()
        await black.open()
        assert isinstance(await black.ask(m.Attach, table=match), m.Snapshot)


async def test_who_is_on_trial_and_says_nothing_is_gone_soon(valkey: Valkey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tavla_server.gateway.connection.TRIAL_S", 0.05)
    async with full(valkey) as (url, white, black, match):
        silent = [Player(url, headers=at(50)) for _ in range(2)]
        for one in silent:
            await one.connect()
        for one in silent:
            assert await close_code(one) == CloseCode.HELLO_TIMEOUT
        monkeypatch.setattr("tavla_server.gateway.connection.TRIAL_S", PATIENCE_S)
        black.socket.transport.abort()
        black.headers = at(51)
        await black.open()
        assert isinstance(await black.ask(m.Attach, table=match), m.Snapshot)
        assert isinstance(await white.act(m.Auto, match, what="play", on=True), m.Ok)


async def test_where_files_run_out_who_was_cut_off_comes_back_all_the_same(
    valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tavla_server.gateway.http.room_for_connections", lambda: 2)
    async with (
        inside(valkey.url, behind_proxy=True) as url,
        Player(url, headers=at(1)) as white,
        Player(url, headers=at(2)) as black,
    ):
        match = await new_match(white, black)
        assert await knocks(url, 3) == f"503 10 {FULL_TEXT}\n"
        white.socket.transport.abort()
        assert not (await black.next(m.Presence)).online
        stranger = Player(url, headers=at(4))
        await stranger.open()  # there is room for one, and it is a stranger's now
        await white.open()
        assert isinstance(await white.ask(m.Attach, table=match), m.Snapshot)
        await stranger.close()


async def test_a_limit_of_one_address_is_told_apart_from_one_of_the_server(valkey: Valkey) -> None:
    limits = Limits(address_handshakes=Rate(0.02, 2.0))
    async with (
        inside(valkey.url, limits=limits, behind_proxy=True, max_per_address=1) as url,
        Player(url, headers=at(1)),
    ):
        assert await knocks(url, 1) == f"429 10 {CROWDED_TEXT}\n"
        assert re.fullmatch(rf"429 \d+ {HASTY_TEXT}\n", await knocks(url, 1))
        async with Player(url, headers=at(2)):
            pass


async def test_of_many_who_come_at_once_none_is_cut_that_has_asked_for_something(valkey: Valkey) -> None:
    async with inside(valkey.url, limits=Limits(pending=4)) as url, AsyncExitStack() as stack:
        here = "127.0.0.1", urlsplit(url).port
        crowd = [stack.enter_context(socket.create_connection(here)) for _ in range(24)]
        for one in crowd:
            one.sendall(b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n")  # before the server does anything
            one.setblocking(False)
        loop = asyncio.get_running_loop()
        answers = await within(asyncio.gather(*(loop.sock_recv(one, 12) for one in crowd)))
        assert set(answers) == {b"HTTP/1.1 200"}
