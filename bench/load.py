"""Scripted clients: pairs that play random legal turns, people who watch them, and frames for the bare yardstick.

Run as a process of its own, `python -m bench.load URL KIND MATCHES RATE SECONDS WATCHERS`, so that the server's CPU is
its own. Prints one JSON object. Plays are found in C where a compiler is at hand, and frames are read and written past
any library: else the clients would be what is measured. How busy this process was is among the figures.
"""

import asyncio
import base64
import ctypes
import hashlib
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import msgspec
import uvloop
from tavla_engine.plays import legal_plays
from tavla_engine.position import Position
from tavla_protocol.view import FIELDS

WARM_UP_S = 2.0  # before it counts; and beside that
SETTLED_PER_S = 1000  # a second for so many connections: 10,000 of them are pinged once by then
CONNECTING_AT_ONCE = 50
MATCHES_A_PAIR = 2  # of one pair of connections, where there are more matches than this machine has descriptors
MANY_MATCHES = 9_000
RULES: dict[str, bool | int | str] = {"preset": "club", "cube": False}  # no cube: every action is a whole turn
PHASE, TURN, DICE, POINTS = map(FIELDS.index, ("phase", "turn", "dice", "points"))
READY = FIELDS.index("ready")
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
BARE_UPDATE = bytes(48)

encode = msgspec.msgpack.encode
decode = msgspec.msgpack.decode
FindPlay = Callable[[bytes, int, int, int], list[tuple[int, int]]]


def compiled_plays() -> FindPlay | None:
    """Plays found by `plays.c`; None without a C compiler."""
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/plays.so"
        command = ["cc", "-O2", "-shared", "-fPIC", "-o", library, str(Path(__file__).with_name("plays.c"))]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        find = ctypes.CDLL(library).random_play
    way = ctypes.create_string_buffer(8)

    def play(points: bytes, seat: int, one: int, two: int) -> list[tuple[int, int]]:
        count = find(points, seat, one, two, random.getrandbits(31), way)
        raw = way.raw
        return [(raw[2 * step], raw[2 * step + 1]) for step in range(count)]

    return play


def plain_plays(points: bytes, seat: int, one: int, two: int) -> list[tuple[int, int]]:
    """Plays found by the engine."""
    position = Position(points[26 * seat : 26 * seat + 26], points[26 - 26 * seat : 52 - 26 * seat])
    return list(random.choice(list(legal_plays(position, (one, two)).values())))


class Tally:
    """Counts of actions and latencies, while it is counting."""

    def __init__(self) -> None:
        self.counting = False
        self.actions = 0
        self.received = 0  # updates, by players and spectators
        self.latencies: list[float] = []
        self.sizes: list[int] = []


class Socket(asyncio.Protocol):
    """A client's connection. received: called with each message. Frames go out with a mask of zeros: a server unmasks
    them as it does any other.

    on_lost: called when it has ended, once it was open. on_error: called with an error that no task waits for.
    lost: it has ended.
    """

    def __init__(self, path: str, subprotocol: str, received: Callable[[bytes], None]) -> None:
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._path, self._subprotocol, self.received = path, subprotocol, received
        self.on_lost: Callable[[], None] = _ignore
        self.on_error: Callable[[dict[str, Any]], None] = _give_up
        self._buffer = b""
        self._open = self.lost = False
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self._key = base64.b64encode(random.randbytes(16))
        offered = f"Sec-WebSocket-Protocol: {self._subprotocol}\r\n" if self._subprotocol else ""
        self.transport.write(
            f"GET {self._path} HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{offered}"
            f"Sec-WebSocket-Key: {self._key.decode()}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost = True
        if not self.opened.done():
            self.opened.set_exception(ConnectionError(f"refused: {self._buffer[:100]!r}"))
            return
        for answer in self._answers.values():
            if not answer.done():  # its asker has given up
                answer.set_exception(ConnectionError("lost before the answer"))
        self._answers = {}
        self.on_lost()

    def data_received(self, data: bytes) -> None:
        if self._buffer:
            data = self._buffer + data
        at, end = 0, len(data)
        if not self._open:
            if (at := data.find(b"\r\n\r\n") + 4) < 4:
                self._buffer = data
                return
            if base64.b64encode(hashlib.sha1(self._key + GUID, usedforsecurity=False).digest()) not in data:
                self._buffer = data
                self.transport.abort()
                return
            self._open = True
            self.opened.set_result(None)
        while end - at >= 2:
            size, head = data[at + 1], 2
            if size > 125:
                head = 4 if size == 126 else 10
                if end - at < head:
                    break
                size = int.from_bytes(data[at + 2 : at + head], "big")
            stop = at + head + size
            if stop > end:
                break
            if data[at] == 0x82:
                self.received(data[at + head : stop])
            elif data[at] == 0x89:
                self._frame(0x8A, data[at + head : stop])
            at = stop
        self._buffer = data[at:]

    def send(self, message: bytes) -> None:
        """Send one message."""
        self._frame(0x82, message)

    def _frame(self, opcode: int, message: bytes) -> None:
        if self.transport.is_closing():
            return
        size = len(message)
        length = bytes((0x80 | size,)) if size < 126 else b"\xfe%b" % size.to_bytes(2, "big")
        self.transport.write(b"%c%b\0\0\0\0%b" % (opcode, length, message))

    async def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """A request and its answer, which is no error."""
        reply = await self.reply_to(request)
        assert reply["type"] != "error", (request, reply)
        return reply

    async def reply_to(self, request: dict[str, Any]) -> dict[str, Any]:
        """A request and its answer. Raises: ConnectionError without a connection."""
        if self.lost:
            raise ConnectionError("lost before the request")
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[request["id"]] = answer
        self.send(encode(request))
        return await answer

    def answered(self, reply: dict[str, Any]) -> None:
        """A message that is no update."""
        if (waiting := self._answers.pop(reply.get("id") or 0, None)) is not None:
            waiting.set_result(reply)
        elif reply["type"] in ("error", "closing"):
            self.on_error(reply)


def _ignore() -> None:
    """Do nothing after a lost connection: for clients that do not come back."""


def _give_up(reply: dict[str, Any]) -> None:
    print(f"the server answers {reply}", file=sys.stderr, flush=True)
    os._exit(1)  # an exception would end this callback alone


async def open_socket(url: str, number: int, subprotocol: str, received: Callable[[bytes], None]) -> Socket:
    """A connection that the server has let in; see `connect`."""
    socket = await connect(url, number, subprotocol, received)
    try:
        await socket.opened
    except BaseException:
        socket.transport.abort()
        raise
    return socket


async def connect(url: str, number: int, subprotocol: str, received: Callable[[bytes], None]) -> Socket:
    """A connection that has asked to come in. Its address is one of many of this machine's: a server lets so many new
    guests in from each.
    """
    parts = urlsplit(url)
    path = url.partition(parts.netloc)[2] or "/"
    address = f"127.0.{number // 12500 % 250}.{1 + number // 50 % 250}"
    loop = asyncio.get_running_loop()
    _, socket = await loop.create_connection(
        lambda: Socket(path, subprotocol, received),
        parts.hostname or "",
        parts.port or 80,
        local_addr=(address, 0),
    )
    return socket


class Match:
    """A table and both its players; the later of the two to get an update acts next."""

    def __init__(self, number: int, interval_s: float, tally: Tally, find_play: FindPlay) -> None:
        self.number, self.interval_s, self.tally, self._find_play = number, interval_s, tally, find_play
        self.sockets: list[Socket] = []
        self.id = ""
        self.epoch = self.seq = 0
        self.phase, self.turn, self.dice, self.points = "", 0, (0, 0), bytearray(52)
        self.next_at = 0.0
        self.actor, self.sent_at = -1, 0.0
        self.playing = False
        self._request = 100
        self._loop = asyncio.get_running_loop()

    def take_snapshot(self, reply: dict[str, Any]) -> None:
        """The table when a player comes."""
        view = reply["view"]
        self.id, self.epoch, self.seq = reply["match"], reply["epoch"], reply["seq"]
        self.phase = view.get("phase", "open")
        self.turn, self.dice, self.points = view.get("turn", 0), view.get("dice", ()), bytearray(view["points"])

    def take_update(self, seat: int, seq: int, changes: list[Any], size: int) -> None:
        """Note that one of the two has got an update."""
        tally = self.tally
        if seat == 1 - self.actor and tally.counting:
            tally.actions += 1
            tally.latencies.append(time.perf_counter() - self.sent_at)
            tally.sizes.append(size)
        if seq == self.seq:
            self.act()  # both have it now
        if seq <= self.seq:
            return
        self.seq = seq
        for code, value in zip(changes[::2], changes[1::2], strict=True):
            if code == PHASE:
                self.phase = value
            elif code == TURN:
                self.turn = value
            elif code == DICE:
                self.dice = value
            elif code == POINTS:
                for index, number in zip(value[::2], value[1::2], strict=True):
                    self.points[index] = number

    def act(self) -> None:
        """Do what is next: a turn at its time, or be ready at once."""
        if not self.playing:
            return
        self.actor = -1
        if self.phase == "ready":
            self.phase = ""  # until the update
            for socket in self.sockets:
                self._send(socket, {"type": "ready"})
        elif self.phase == "move" and self.next_at < math.inf:
            now = time.perf_counter()
            if now < self.next_at:
                self._loop.call_later(self.next_at - now, self._play)
            else:
                self._play()
            self.next_at = max(self.next_at, now - self.interval_s) + self.interval_s

    def stop(self) -> None:
        """Do nothing more; updates are still taken in."""
        self.next_at = math.inf

    def _play(self) -> None:
        if self.next_at == math.inf:
            return
        moves = self._find_play(bytes(self.points), self.turn, *self.dice)
        self.actor, self.sent_at = self.turn, time.perf_counter()
        self._send(self.sockets[self.turn], {"type": "move", "moves": moves})

    def _send(self, socket: Socket, action: dict[str, Any]) -> None:
        self._request += 1
        request = self._request + 1_000_000 * self.number
        socket.send(encode({**action, "id": request, "match": self.id, "seq": self.seq}))


class Pair:
    """Two connections that play one match against each other, or several."""

    def __init__(self, matches: list[Match], tally: Tally) -> None:
        self.matches, self.tally = matches, tally
        self.by_id: dict[str, Match] = {}
        self.tokens: list[str] = []  # by seat

    async def start(self, url: str) -> None:
        """Connect and sit down. url: of one server, or of several with commas, one for each seat."""
        await self.connect(url)
        await self.sit_down()

    async def connect(self, url: str) -> None:
        """Say hello, and do no more."""
        first, urls = self.matches[0].number, url.split(",")
        unique = f"{first}-{random.getrandbits(30):x}"
        self.sockets: list[Socket] = []
        for seat in (0, 1):
            received = self.received(seat)
            socket = await open_socket(urls[(first + seat) % len(urls)], 2 * first + seat, "tavla.v1", received)
            self.sockets.append(socket)
            welcome = await socket.ask({"type": "hello", "id": 1, "name": f"{'ab'[seat]}{unique}"})
            self.tokens.append(welcome.get("token", ""))

    async def sit_down(self) -> None:
        """Open the tables, both at each."""
        sockets = self.sockets
        for match in self.matches:
            match.sockets = sockets
            name = f"t{match.number}-{random.getrandbits(30):x}"
            create = {"type": "create", "id": 2 + match.number, "name": name, "rules": RULES, "side": "white"}
            snapshot = await sockets[0].ask(create)
            match.take_snapshot(snapshot)
            self.by_id[match.id] = match
            match.take_snapshot(await sockets[1].ask({"type": "join", "id": 2 + match.number, "table": name}))

    def received(self, seat: int) -> Callable[[bytes], None]:
        """Takes the messages for one of the two."""
        by_id, tally = self.by_id, self.tally

        def received(frame: bytes) -> None:
            message = decode(frame)
            if isinstance(message, list):
                if (match := by_id.get(message[0])) is not None and match.playing:
                    tally.received += tally.counting
                    match.take_update(seat, message[1], message[2], len(frame))
            else:
                self.sockets[seat].answered(message)

        return received

    def play(self) -> None:
        """From now on."""
        for match in self.matches:
            match.playing = True
            match.act()


async def watch(url: str, number: int, match: str, tally: Tally) -> Socket:
    """Connect a spectator of a match, "" = none yet, who does nothing."""

    def received(frame: bytes) -> None:
        if frame[0] >> 4 == 9:  # an array of three
            tally.received += tally.counting
        else:
            socket.answered(decode(frame))

    socket = await open_socket(url, number, "tavla.v1", received)
    await socket.ask({"type": "hello", "id": 1, "name": f"w{number}-{random.getrandbits(30):x}"})
    if match:
        await socket.ask({"type": "attach", "id": 2, "table": match})
    return socket


def _answered(socket: Socket, frame: bytes) -> None:
    socket.answered(decode(frame))


class BarePair:
    """Sends frames as long as a usual action through the bare yardstick, in turns."""

    def __init__(self, matches: list[Match], tally: Tally) -> None:
        self.matches, self.tally, self._match = matches, tally, matches[0]
        self._turn, self._request = 0, 100

    async def start(self, url: str) -> None:
        """Sit down in a room of the pair's own."""
        number = self._match.number
        for seat in (0, 1):
            socket = await open_socket(url, 2 * number + seat, "", lambda frame: None)
            self._match.sockets.append(socket)
            socket.received = partial(_answered, socket)
            await socket.ask({"type": "sit", "id": 1, "room": number})
            socket.received = self._received(seat)

    def _received(self, seat: int) -> Callable[[bytes], None]:
        def received(frame: bytes) -> None:
            if frame == BARE_UPDATE:
                self.tally.received += self.tally.counting
                if seat != self._turn:
                    self._seen(len(frame))

        return received

    def _seen(self, size: int) -> None:
        match, tally = self._match, self.tally
        if tally.counting:
            tally.actions += 1
            tally.latencies.append(time.perf_counter() - match.sent_at)
            tally.sizes.append(size)
        self._turn = 1 - self._turn
        self.play()

    def play(self) -> None:
        """Send the next frame, at its time."""
        match, now = self._match, time.perf_counter()
        if now < match.next_at:
            asyncio.get_running_loop().call_later(match.next_at - now, self._send)
        else:
            self._send()
        match.next_at = max(match.next_at, now - match.interval_s) + match.interval_s

    def _send(self) -> None:
        self._request += 1
        move = {"type": "move", "id": self._request, "match": "abcdefgh", "seq": 100, "moves": ((8, 5), (6, 5))}
        self._match.sent_at = time.perf_counter()
        self._match.sockets[self._turn].send(encode(move))


def parts_of(kind: str) -> tuple[Any, Any, Any]:
    """The classes of matches and pairs, and the function that watches, for a kind of server."""
    if kind == "colyseus":
        from bench.colyseus import load as colyseus  # made of parts of this file

        return colyseus.ColyseusMatch, colyseus.ColyseusPair, colyseus.watch
    return Match, BarePair if kind == "bare" else Pair, watch


async def run(url: str, kind: str, matches: int, rate: float, seconds: float, watchers: int) -> dict[str, Any]:
    """Play, at `rate` actions a second in all (0 = as fast as it goes), for some seconds after a warm-up.

    What thousands who have come leave to do is over by then: the warm-up is longer the more there are, for any server.
    """
    tally, find_play = Tally(), compiled_plays() or plain_plays
    interval_s = matches / rate if rate else 0.0
    match_type, pair_type, watch_as = parts_of(kind)
    tables = [match_type(number, interval_s, tally, find_play) for number in range(matches)]
    each = MATCHES_A_PAIR if matches > MANY_MATCHES else 1
    pairs = [pair_type(tables[first : first + each], tally) for first in range(0, matches, each)]
    connections = 2 * len(pairs) + matches * watchers
    gate = asyncio.Semaphore(CONNECTING_AT_ONCE)

    async def start(number: int) -> None:
        async with gate:
            await pairs[number].start(url)
            first = 2 * matches + number * watchers
            await asyncio.gather(*(watch_as(url, first + n, tables[number].id, tally) for n in range(watchers)))

    await asyncio.gather(*map(start, range(len(pairs))))
    print("ready", flush=True)
    begin = time.perf_counter()
    for match in tables:
        match.next_at = begin + match.interval_s * match.number / matches
    for pair in pairs:
        pair.play()
    await asyncio.sleep(WARM_UP_S + connections / SETTLED_PER_S)
    print("counting", flush=True)
    tally.counting, cpu = True, time.process_time()
    await asyncio.sleep(seconds)
    tally.counting, cpu = False, time.process_time() - cpu
    print("done", flush=True)
    latencies, sizes = sorted(tally.latencies), sorted(tally.sizes)
    return {
        "connections": connections,
        "actions": tally.actions,
        "received": tally.received,
        "busy": cpu / seconds,
        "p50_ms": 1000 * latencies[len(latencies) // 2],
        "p99_ms": 1000 * latencies[len(latencies) * 99 // 100],
        "max_ms": 1000 * latencies[-1],
        "bytes_p50": sizes[len(sizes) // 2],
        "bytes_p99": sizes[len(sizes) * 99 // 100],
        "bytes_max": sizes[-1],
    }


def main() -> None:
    url, kind, matches, rate, seconds, watchers = sys.argv[1:]
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        figures = runner.run(run(url, kind, int(matches), float(rate), float(seconds), int(watchers)))
    print(json.dumps(figures), flush=True)
    os._exit(0)  # thousands of connections need not be closed one by one


if __name__ == "__main__":
    main()
