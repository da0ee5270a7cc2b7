"""Scripted clients: connections, and matches of two of them that play random legal turns.

Plays are found in C where a compiler is at hand, and frames are read and written past any library: else the clients
would be what is measured.
"""

import asyncio
import math
import os
import random
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urlsplit

import msgspec
from tavla_engine.dice import Dice
from tavla_engine.plays import legal_plays
from tavla_engine.position import Play, Position
from tavla_protocol.claims import binding_of
from tavla_protocol.view import FIELDS, from_fields

from tests.support.players.seeds import COMMITMENTS, SEEDS
from tests.support.wire.raw import BINARY, PONG, frame, handshake
from training import native

CONNECTING_AT_ONCE = 50
RULES: dict[str, bool | int | str] = {"preset": "club", "cube": False}  # no cube: every action is a whole turn
PHASE, TURN, DICE, POINTS = map(FIELDS.index, ("phase", "turn", "dice", "points"))

encode = msgspec.msgpack.encode
decode = msgspec.msgpack.decode
HAS_COMPILER = shutil.which("cc") is not None
CHANCE = random.Random()


def random_play(board: bytes, dice: Dice) -> Play:
    """One of the legal plays, found in C where there is a compiler. board: the row of the player on roll, the other."""
    if HAS_COMPILER:
        return native.random_play(board, dice, CHANCE)
    return CHANCE.choice(list(legal_plays(Position(board[:26], board[26:]), dice).values()))


def reveal_of(seat: int, snapshot: dict[str, Any]) -> dict[str, Any]:
    """Fields of the request that reveals a seat's seed. snapshot: of the match, with both players at it."""
    match = snapshot["match"]
    bound = binding_of(match, from_fields(snapshot["view"]))
    return {"match": match, "seq": snapshot["seq"], "seed": SEEDS[seat], "binding": bound}


@dataclass
class Tally:
    """Counts of clients since they were told to count; of those who are away, now.

    received: updates that anybody got. latencies: from sending an action to the opponent's update, in seconds. sizes:
    of updates to players, in bytes. away: clients that have lost their connection. backs: how long each return took, in
    seconds. lost: matches that were older then. errors: that answered actions. failures: tries to come in that failed,
    by why.
    """

    actions: int = 0
    received: int = 0
    latencies: list[float] = field(default_factory=list)
    sizes: list[float] = field(default_factory=list)
    away: int = 0
    backs: list[float] = field(default_factory=list)
    lost: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)

    def clear(self) -> None:
        """Forget what was counted so far."""
        vars(self).update(vars(Tally(away=self.away)))


class Socket(asyncio.Protocol):
    """A client's connection. received: called with each message. Frames go out with a mask of zeros: a server unmasks
    them as it does any other.

    on_lost: called when it has ended, once it was open. on_error: called with an error that no task waits for.
    lost: it has ended.
    """

    def __init__(self, received: Callable[[bytes], None]) -> None:
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.received = received
        self.on_lost: Callable[[], object] = lambda: None
        self.on_error: Callable[[dict[str, Any]], None] = _give_up
        self._buffer = b""
        self._open = self.lost = False
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.transport.write(handshake())

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
            if not data.startswith(b"HTTP/1.1 101 "):
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
                self.send(data[at + head : stop], PONG)
            at = stop
        self._buffer = data[at:]

    def send(self, message: bytes, kind: int = BINARY) -> None:
        """Send one message, or the answer to a ping."""
        if not self.transport.is_closing():
            self.transport.write(frame(kind, message))

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


def _give_up(reply: dict[str, Any]) -> None:
    print(f"the server answers {reply}", file=sys.stderr, flush=True)
    os._exit(1)  # an exception would end this callback alone


async def open_socket(url: str, number: int, received: Callable[[bytes], None]) -> Socket:
    """A connection that the server has let in. Its address is one of many of this machine's, by the client's number: a
    server lets so many new guests in from each.
    """
    parts = urlsplit(url)
    assert parts.hostname is not None, url
    assert parts.port is not None, url
    loop, address = asyncio.get_running_loop(), f"127.0.{number // 12500 % 250}.{1 + number // 50 % 250}"
    _, socket = await loop.create_connection(
        lambda: Socket(received), parts.hostname, parts.port, local_addr=(address, 0)
    )
    try:
        await socket.opened
    except BaseException:
        socket.transport.abort()
        raise
    return socket


class Match:
    """A match of two connections; the later of the two to get an update acts next.

    sockets, tokens: by seat.
    """

    def __init__(self, number: int, interval_s: float, tally: Tally) -> None:
        self.number, self.interval_s, self.tally = number, interval_s, tally
        self.sockets: list[Socket] = []
        self.tokens: list[str] = []
        self.id = ""
        self.epoch = self.seq = 0
        self.phase, self.turn, self.dice, self.points = "", 0, (0, 0), bytearray(52)
        self.next_at = 0.0
        self.actor, self.sent_at = -1, 0.0
        self.playing = False
        self._request = 100
        self._loop = asyncio.get_running_loop()

    # --- coming ---

    async def connect(self, urls: Sequence[str]) -> None:
        """Say hello, and do no more. urls: of servers, which the seats take in turns."""
        unique = f"{self.number}-{random.getrandbits(30):x}"
        for seat in (0, 1):
            url = urls[(self.number + seat) % len(urls)]
            self.sockets.append(await open_socket(url, 2 * self.number + seat, self.received(seat)))
            welcome = await self.sockets[seat].ask({"type": "hello", "id": 1, "name": f"{'ab'[seat]}{unique}"})
            self.tokens.append(welcome.get("token", ""))

    async def sit_down(self) -> None:
        """Open the table, both at it."""
        white, black = self.sockets
        name = f"t{self.number}-{random.getrandbits(30):x}"
        create = {"type": "create", "name": name, "rules": RULES, "side": "white", "commitment": COMMITMENTS[0]}
        self.take_snapshot(await white.ask({**create, "id": 2}))
        snapshot = await black.ask({"type": "join", "table": name, "commitment": COMMITMENTS[1], "id": 2})
        if snapshot["view"]["phase"] == "reveal":
            for seat, socket in enumerate(self.sockets):
                while (await socket.ask({"type": "attach", "table": self.id, "id": 4}))["seq"] < snapshot["seq"]:
                    pass  # its server has not heard of the opponent at another one
                await socket.ask({"type": "reveal", "id": 3, **reveal_of(seat, snapshot)})
            for socket in self.sockets:  # after the answer no update of the start is on its way
                snapshot = await socket.ask({"type": "attach", "table": self.id, "id": 4})
        self.take_snapshot(snapshot)

    def received(self, seat: int) -> Callable[[bytes], None]:
        """Takes the messages for one of the two."""

        def received(frame: bytes) -> None:
            message = decode(frame)
            if isinstance(message, dict):
                self.sockets[seat].answered(message)
            elif self.playing:
                self.tally.received += 1
                self.take_update(seat, message[1], message[2], len(frame))

        return received

    def take_snapshot(self, reply: dict[str, Any]) -> None:
        """The table when a player comes."""
        view = reply["view"]
        self.id, self.epoch, self.seq = reply["match"], reply["epoch"], reply["seq"]
        self.phase = view.get("phase", "open")
        self.turn, self.dice, self.points = view.get("turn", 0), view.get("dice", ()), bytearray(view["points"])

    # --- playing ---

    def play(self) -> None:
        """From now on."""
        self.playing = True
        self.act()

    def take_update(self, seat: int, seq: int, changes: list[Any], size: int) -> None:
        """Note that one of the two has got an update."""
        tally = self.tally
        if seat == 1 - self.actor:
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
        mine, theirs = 26 * self.turn, 26 - 26 * self.turn
        board = bytes(self.points[mine : mine + 26] + self.points[theirs : theirs + 26])
        moves = random_play(board, self.dice)
        self.actor, self.sent_at = self.turn, time.perf_counter()
        self._send(self.sockets[self.turn], {"type": "move", "moves": moves})

    def _send(self, socket: Socket, action: dict[str, Any]) -> None:
        self._request += 1
        socket.send(encode({**action, "id": self._request, "match": self.id, "seq": self.seq}))
