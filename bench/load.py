"""Scripted pairs of clients: they play random legal plays against a server, or as many frames against the yardstick.

Run as a process of its own, `python -m bench.load URL PAIRS RATE SECONDS KIND`, so that the server's CPU is its own.
Prints one JSON object.
"""

import asyncio
import json
import random
import sys
import time
from dataclasses import dataclass, field

import msgpack
import uvloop
from tavla_engine.plays import legal_plays
from tavla_engine.position import Position
from tavla_protocol import SUBPROTOCOL, messages
from tavla_protocol.codec import decode_reply, encode
from tavla_protocol.view import View, from_fields, patch
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

WARM_UP_S = 2.0
CONNECTING_AT_ONCE = 50
RULES: dict[str, bool | int | str] = {"preset": "club", "cube": False}  # no cube: every action is a whole turn


@dataclass
class Tally:
    """What was seen while it counted."""

    counting: bool = False
    actions: int = 0
    latencies: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    def saw_update(self, sent_at: float, size: int) -> None:
        """The opponent's update of an action has come."""
        if self.counting:
            self.actions += 1
            self.latencies.append(time.perf_counter() - sent_at)
            self.sizes.append(size)


class Pair:
    """Two clients at one table. pause_s: between an update and the next action; the pair's rate follows from it."""

    def __init__(self, number: int, interval_s: float, tally: Tally) -> None:
        self.number, self.interval_s, self.tally = number, interval_s, tally
        self.sent_at = 0.0
        self.next_at = 0.0
        self.sockets: list[ClientConnection] = []

    async def pace(self) -> None:
        """Wait for the pair's next turn on the clock; late ones are not made up for."""
        now = time.perf_counter()
        if now < self.next_at:
            await asyncio.sleep(self.next_at - now)
        self.next_at = max(self.next_at, now - self.interval_s) + self.interval_s

    async def open(self, url: str, subprotocols: list[Subprotocol] | None) -> None:
        """Connect both."""
        for _ in range(2):
            self.sockets.append(await open_socket(url, self.number, subprotocols))


async def open_socket(url: str, number: int, subprotocols: list[Subprotocol] | None) -> ClientConnection:
    """A connection. Its address is one of many of this machine's: a server lets so many new guests in from each."""
    address = f"127.0.{number // 12500 % 250}.{1 + number // 50 % 250}"
    return await connect(
        url,
        subprotocols=subprotocols,
        compression=None,
        open_timeout=60,
        ping_interval=None,
        local_addr=(address, 0),
    )


class MatchPair(Pair):
    """Plays money games on a Tavla server."""

    opened = View()  # the table before the second one sits down
    match = ""

    async def start(self, url: str) -> None:
        """Say hello, open a table, sit down."""
        await self.open(url, [Subprotocol(SUBPROTOCOL)])
        unique = f"{self.number}-{random.getrandbits(30):x}"
        for name, socket in zip("ab", self.sockets, strict=True):
            await socket.send(encode(messages.Hello(id=1, name=f"{name}{unique}")))
            await socket.recv()
        first, second = self.sockets
        await first.send(encode(messages.Create(id=2, name=f"t{unique}", rules=RULES, side="white")))
        snapshot = decode_reply(_binary(await first.recv()))
        assert isinstance(snapshot, messages.Snapshot), snapshot
        self.opened, self.match = from_fields(snapshot.view), snapshot.match
        await second.send(encode(messages.Join(id=2, table=f"t{unique}")))

    async def play(self) -> None:
        """Both sides, until cancelled."""
        await asyncio.gather(self._seat(0), self._seat(1))

    async def _seat(self, seat: int) -> None:
        socket, view, match, seq, request = self.sockets[seat], self.opened, "", 0, 100
        asked = False
        async for frame in socket:
            reply = decode_reply(_binary(frame))
            if isinstance(reply, messages.Snapshot):
                view, match, seq = from_fields(reply.view), reply.match, reply.seq
            elif isinstance(reply, messages.Update):
                view, match, seq = patch(view, reply.diff), reply.match, reply.seq
                if view.last and view.last[0][0] != seat:
                    self.tally.saw_update(self.sent_at, len(frame))
            else:
                assert not isinstance(reply, messages.Error), reply
                continue
            asked = view.phase == "ready" and asked  # our ready is under way while the opponent's comes in
            if seat in view.to_act and not asked:
                asked = view.phase == "ready"
                request += 1
                await self.pace()
                action = _action(view, seat, request, match, seq)
                self.sent_at = time.perf_counter()
                await socket.send(encode(action))


def _binary(frame: str | bytes) -> bytes:
    assert isinstance(frame, bytes), "frames are binary"
    return frame


def _action(view: View, seat: int, request: int, match: str, seq: int) -> messages.MatchAction:
    if view.phase == "ready":
        return messages.Ready(id=request, match=match, seq=seq)
    position = Position(view.row(seat), view.row(1 - seat))
    plays = list(legal_plays(position, (view.dice[0], view.dice[1])).values())
    return messages.Move(id=request, match=match, seq=seq, moves=random.choice(plays))


class BarePair(Pair):
    """Sends frames as long as a usual action through the yardstick, in turns."""

    async def start(self, url: str) -> None:
        """Sit down in a room of the pair's own."""
        await self.open(url, None)
        for socket in self.sockets:
            await socket.send(msgpack.packb({"type": "sit", "id": 1, "room": self.number}))
            await socket.recv()

    async def play(self) -> None:
        """Both sides, until cancelled."""
        await asyncio.gather(self._seat(0), self._seat(1))

    async def _seat(self, seat: int) -> None:
        socket, request, mine = self.sockets[seat], 100, seat == 0
        while True:
            if mine:
                request += 1
                await self.pace()
                frame = encode(messages.Move(id=request, match="abcdefgh", seq=request, moves=((8, 5), (6, 5))))
                self.sent_at = time.perf_counter()
                await socket.send(frame)
            update = await socket.recv()
            while update[:1] != b"\0":  # the answer to our own
                update = await socket.recv()
            if not mine:
                self.tally.saw_update(self.sent_at, len(update))
            mine = not mine


async def run(url: str, pairs: int, rate: float, seconds: float, kind: type[MatchPair] | type[BarePair]) -> Tally:
    """Play, at `rate` actions a second in all (0 = as fast as it goes), for some seconds after a warm-up."""
    tally = Tally()
    players = [kind(number, pairs / rate if rate else 0.0, tally) for number in range(pairs)]
    gate = asyncio.Semaphore(CONNECTING_AT_ONCE)

    async def start(pair: MatchPair | BarePair) -> None:
        async with gate:
            await pair.start(url)

    await asyncio.gather(*(start(pair) for pair in players))
    print("ready", flush=True)
    tasks = [asyncio.create_task(pair.play()) for pair in players]
    for number, pair in enumerate(players):
        pair.next_at = time.perf_counter() + pair.interval_s * number / pairs
    await asyncio.sleep(WARM_UP_S)
    print("counting", flush=True)
    tally.counting = True
    await asyncio.sleep(seconds)
    tally.counting = False
    print("done", flush=True)
    for task in tasks:
        if task.done():
            task.result()
        task.cancel()
    return tally


def main() -> None:
    url, pairs, rate, seconds, kind = sys.argv[1:]
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        cls = MatchPair if kind == "tavla" else BarePair
        tally = runner.run(run(url, int(pairs), float(rate), float(seconds), cls))
    latencies, sizes = sorted(tally.latencies), sorted(tally.sizes)
    print(
        json.dumps(
            {
                "actions": tally.actions,
                "p50_ms": 1000 * latencies[len(latencies) // 2],
                "p99_ms": 1000 * latencies[len(latencies) * 99 // 100],
                "bytes_p50": sizes[len(sizes) // 2],
                "bytes_p99": sizes[len(sizes) * 99 // 100],
                "bytes_max": sizes[-1],
            }
        ),
        flush=True,
    )


if __name__ == "__main__":
    main()
