"""The attacks. Each gets a port and a number of connections, and says in each turn how often it has acted."""

import base64
import contextlib
import itertools
import secrets
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from tavla_server.delivery.socket import HELD_BYTES
from tavla_server.limits import DEFAULT_LIMITS

from bench.clients import reveal_of
from tests.support.patience import PATIENCE_S
from tests.support.players.seeds import COMMITMENTS
from tests.support.wire.raw import BINARY, Raw, frame, name

TURN_S = 0.01
RATE = 600_000  # bytes/s, of all connections together
ONE_MS, MANY_MS = 20.0, 100.0  # that one connection may cost others, and that 100 may
BACK_S = 0.2  # until a connection that was cut is replaced by another
PLACES = 100
HEADER = b"X: " + b"y" * 8000 + b"\r\n"
NOTHING = frame(BINARY) * (HELD_BYTES // len(frame(BINARY)))

TABLES_EACH = 25  # of a player: a few less than its limit
TOURNAMENTS_EACH = DEFAULT_LIMITS.tournaments  # of a player, until they are over
SOMEBODY = name()
NAMES = [name() for _ in range(20)]
ADDRESSES = itertools.count(1)

Closed = TypeVar("Closed", Raw, socket.socket)
Attack = Callable[[int, int], Iterator[int]]  # port, connections -> how often it has acted, turn by turn
Line = Callable[[int, int], Raw]  # port, number -> a connection
Step = Callable[[Raw], bool]  # what a connection does in one turn; whether it went out


def begun(attack: Attack, port: int, connections: int) -> Callable[[float], int]:
    """An attack that is prepared and has acted once: it goes on until a time, and says how often it has acted."""
    steps = attack(port, connections)
    first = next(steps)

    def until(end: float) -> int:
        done, due = first, time.monotonic()
        while (now := time.monotonic()) < end:
            due = max(due + TURN_S, now)
            time.sleep(max(0.0, due - now))
            done += next(steps)
        return done

    return until


@contextlib.contextmanager
def lines_of(lines: list[Closed]) -> Iterator[list[Closed]]:
    """Connections that are closed at the end."""
    try:
        yield lines
    finally:
        for line in lines:
            line.close()


def on_lines(line: Line, step: Step) -> Attack:
    """Do the same on all connections, turn after turn; those that are cut are replaced, five times a second.

    One that the server refuses, for a limit, is tried again at once.
    """

    def attack(port: int, count: int) -> Iterator[int]:
        back = time.monotonic()
        with lines_of(list[Raw]()) as lines:
            while True:
                done, now = 0, time.monotonic()
                while len(lines) < count and time.monotonic() < now + TURN_S:
                    with contextlib.suppress(ConnectionError):
                        lines.append(line(port, len(lines)))
                for at, one in enumerate(lines):
                    done += step(one)
                    one.drain()
                    if one.closed and now > back:
                        one.close()
                        back = now + BACK_S
                        with contextlib.suppress(ConnectionError):
                            lines[at] = line(port, at)
                yield done

    return attack


def flood(data: bytes, begin: bytes = b"") -> Attack:
    """Send the same again and again, at RATE."""

    def line(port: int, number: int) -> Raw:
        one = Raw(port)
        one.send(begin)
        return one

    def attack(port: int, count: int) -> Iterator[int]:
        each = max(1, int(RATE * TURN_S / count / len(data)))
        return (each * done for done in on_lines(line, lambda one: one.send(data * each))(port, count))

    return attack


def new_guest(port: int, number: int) -> Raw:
    """Connect a client that has said hello, from an address that none has had."""
    return guest(port, next(ADDRESSES))


def address(number: int) -> str:
    """An address out of some hundred."""
    return f"203.0.113.{1 + number % 250}"


def guest(port: int, number: int) -> Raw:
    """Connect a client that has said hello."""
    return Raw(port, name(), address(number))


def some_match() -> str:
    """The id of a match that was never opened."""
    return base64.b32encode(secrets.token_bytes(5)).decode().lower()


def offers(one: Raw) -> bool:
    """Tell all who read the list of people something long and new."""
    values: list[Any] = [secrets.token_hex(10) for _ in range(20)]
    return one.tell(
        "available", places=secrets.randbelow(1000), rules={secrets.token_hex(15): values for _ in range(9)}
    )


def amid(prepare: Callable[[int], list[Raw]], attack: Attack) -> Attack:
    """The same attack where connections have prepared something first; they stay."""

    def begin(port: int, count: int) -> Iterator[int]:
        with lines_of(prepare(port)):
            yield from attack(port, count)

    return begin


def seated(white: Raw, black: Raw, **create: Any) -> str:
    """Begin a match of two; its id."""
    table: str = white.ask("create", side="white", commitment=COMMITMENTS[0], **create)["match"]
    snapshot = black.ask("join", table=table, commitment=COMMITMENTS[1])
    for seat, one in enumerate((white, black)):
        one.ask("reveal", **reveal_of(seat, snapshot))
    return table


def many_matches(port: int) -> list[Raw]:
    """As many live matches as a list shows; they stay, so they are made once."""
    players: list[Raw] = []
    with contextlib.closing(guest(port, 0)) as one:
        if len(one.ask("list", what="matches")["rows"]) >= DEFAULT_LIMITS.listed:
            return players
    for number in range(0, 2 * DEFAULT_LIMITS.listed // TABLES_EACH, 2):
        white, black = guest(port, number), guest(port, number + 1)
        players += [white, black]
        for _ in range(TABLES_EACH):
            seated(white, black)
        for one in players:
            one.drain()
    return players


def past_evenings(port: int) -> list[Raw]:
    """More tournaments that are over than a page shows: they stay, so they are made once."""
    for number in itertools.count():
        with contextlib.closing(guest(port, 249 - number)) as director:  # an address that no other attack has used up
            if director.ask("past_tournaments").get("next") is not None:
                break
            if number * TOURNAMENTS_EACH > DEFAULT_LIMITS.history_page:
                time.sleep(BACK_S)  # until the archive has them all
                continue
            director.ask("register", password=secrets.token_hex(8))
            for _ in range(TOURNAMENTS_EACH):
                made = director.ask("create_tournament", name=name(), rules={"length": 1})["tournament"]
                director.ask("direct_tournament", tournament=made, what="extend", minutes=0, reason="it is late")
    return []


def crowd(act: Callable[[Raw, str, bool], bool], actors: int) -> Attack:
    """A match that many watch; its two players and some of those who watch act in each turn."""

    def attack(port: int, count: int) -> Iterator[int]:
        with lines_of([guest(port, 0), guest(port, 1)]) as lines:
            match = seated(*lines, rules={"preset": "club"})
            for number in range(count):
                lines.append(guest(port, number))
                lines[-1].ask("attach", table=match)
                for one in lines if number % 20 == 0 else ():
                    one.drain()
            for on in itertools.cycle((True, False)):
                yield sum(act(one, match, on) for one in lines[:actors])
                for one in lines:
                    one.drain()

    return attack


def household(port: int, number: int) -> Raw:
    """Connect a guest with an address of its own in one network of 56 bits."""
    return Raw(port, name(), f"2001:db8:0:{number % 250:x}::1")


def downloads(path: Callable[[], str]) -> Attack:
    """Ask for a file and hang up at once, again and again, from one address."""

    def attack(port: int, count: int) -> Iterator[int]:
        while True:
            with lines_of([socket.create_connection(("127.0.0.1", port), PATIENCE_S) for _ in range(count)]) as lines:
                head = f"GET {path()} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {address(0)}\r\n\r\n"
                for line in lines:
                    line.sendall(head.encode())
                yield count

    return attack


def asks_all(one: Raw) -> bool:
    """Ask for all that is asked without a limit of its own."""
    kinds = {"list": {"what": "matches"}, "subscribe": {"what": "matches"}, "top": {}, "profile": {"name": SOMEBODY}}
    return sum(one.tell(kind, **fields) for kind, fields in kinds.items()) == len(kinds)


def seeks(one: Raw) -> bool:
    """Seek a match of some kind, and give it up."""
    wanted = {"length": 1 + secrets.randbelow(20)}
    return one.tell("seek", rules=wanted, commitment=secrets.token_hex(32)) and one.tell("unseek")


def no_handshake(begin: bytes = b"", goes_on: bytes = b"") -> Attack:
    """As many connections as there can be, which say nothing, or go on and on, and never come to an end."""

    def attack(port: int, count: int) -> Iterator[int]:
        with lines_of(list[socket.socket]()) as lines:
            while True:
                done = min(10, count - len(lines))
                for _ in range(done):
                    lines.append(socket.create_connection(("127.0.0.1", port), PATIENCE_S))
                    lines[-1].sendall(begin)
                    lines[-1].setblocking(False)
                for line in [*lines] if goes_on else ():
                    try:
                        done += line.send(goes_on) == len(goes_on)
                    except BlockingIOError:
                        continue
                    except OSError:
                        line.close()
                        lines.remove(line)
                yield done

    return attack


def hang_ups(port: int, count: int) -> Iterator[int]:
    """Connect, send as much as is held in frames that say nothing, and hang up behind it: so many at once, again and
    again."""
    for done in itertools.count(0, count):
        with lines_of([Raw(port, address=address(done + number)) for number in range(count)]) as lines:
            for line in lines:
                line.send(NOTHING)
                with contextlib.suppress(OSError):
                    line.socket.shutdown(socket.SHUT_WR)
        yield count
