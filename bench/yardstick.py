"""The yardstick: the same game over the same wire as fast as plain Python does it, without a journal.

Frames are taken in `data_received`, requests decoded straight into structs, plays checked by the engine, and one frame
is built for all receivers. It speaks as much of the protocol as `bench.clients` needs: money games without a cube
between guests. There is no lobby, no resume, no clock, no limit, no fairness: nothing that is thrown at it is survived.
"""

import asyncio
import random
import sys
from typing import Any, cast

import msgspec
import uvloop
from tavla_engine.errors import IllegalAction, Reason
from tavla_engine.plays import has_play, resolve_play
from tavla_engine.position import OFF
from tavla_engine.rules import STARTS, Variant
from tavla_protocol.view import sparse
from tavla_server.delivery.frames import frame_of

START = STARTS[Variant.STANDARD]
PHASE, TURN, DICE, POINTS, LAST, ROLLS, GAME, READY = 3, 4, 5, 6, 7, 8, 14, 16  # codes in a diff
encode = msgspec.msgpack.encode


class Request(msgspec.Struct, gc=False):
    """Every request that is understood here; `type` says which fields count."""

    type: str
    id: int = 0
    name: str = ""
    table: str = ""
    match: str = ""
    seq: int = 0
    moves: list[tuple[int, int]] = []


decode = msgspec.msgpack.Decoder(Request).decode


class Room:
    """A table: two seats, their connections, and the game."""

    def __init__(self, name: str) -> None:
        self.name, self.seq, self.phase, self.turn = name, 1, "open", 0
        self.board, self.dice, self.rolls, self.game = (START, START), (0, 0), 0, 0
        self.ready = [False, False]
        self.players: list[Client] = []
        self.followers: list[Client] = []

    def snapshot(self, request: int, seat: int | None) -> bytes:
        """The answer to a new connection."""
        view = {"phase": self.phase, "turn": self.turn, "dice": self.dice, "points": b"".join(self.board)}
        told = {"type": "snapshot", "id": request, "match": self.name, "epoch": 1, "seq": self.seq, "seat": seat}
        return frame_of(encode({**told, "view": view}))

    def show(self, changes: list[Any], actor: "Client | None" = None, request: int = 0) -> None:
        """Send one frame to all receivers; the actor's answer goes before it in the same write."""
        self.seq += 1
        frame = frame_of(encode((self.name, self.seq, changes)))
        for follower in self.followers:
            if follower is actor:
                answer = frame_of(encode({"type": "ok", "id": request, "seq": self.seq}))
                follower.write(answer + frame)
            else:
                follower.write(frame)

    def begin(self) -> list[Any]:
        """Set up the checkers and roll for who begins."""
        self.board, self.phase, self.game, self.ready = (START, START), "move", self.game + 1, [False, False]
        one, two = random.sample(range(1, 7), 2)
        self.turn, self.dice, self.rolls = int(two > one), (max(one, two), min(one, two)), self.rolls + 1
        points = sparse(b"\xff" * 2 * len(START), START + START)
        return [
            *(PHASE, "move", TURN, self.turn, DICE, self.dice, POINTS, points),
            *(LAST, (), ROLLS, self.rolls, GAME, self.game, READY, self.ready),
        ]

    def roll_on(self, last: list[Any]) -> None:
        """Roll for the next seat that can play."""
        while True:
            self.turn = 1 - self.turn
            bits = random.getrandbits(30) % 36
            self.dice, self.rolls = (1 + bits // 6, 1 + bits % 6), self.rolls + 1
            if has_play((self.board[self.turn], self.board[1 - self.turn]), self.dice):
                return
            last.append((self.turn, *self.dice))

    def play(self, client: "Client", request: Request) -> None:
        """A turn of the seat on roll."""
        seat, before = self.players.index(client), self.board
        try:
            if self.phase != "move" or seat != self.turn or request.seq != self.seq:
                raise IllegalAction(Reason.WRONG_PHASE, "not now")
            _, (mine, theirs) = resolve_play((before[seat], before[1 - seat]), self.dice, request.moves)
        except IllegalAction:
            client.write(frame_of(encode({"type": "error", "id": request.id, "code": "refused", "text": "refused"})))
            return
        self.board = (theirs, mine) if seat else (mine, theirs)
        points = sparse(b"".join(before), b"".join(self.board))
        last = [(seat, *self.dice, *(point for move in request.moves for point in move))]
        changes: list[Any] = [POINTS, points]
        if mine[OFF] == 15:
            self.phase = "ready"
            changes += (PHASE, "ready", DICE, (), LAST, last)
        else:
            self.roll_on(last)
            changes += (TURN, self.turn, DICE, self.dice, LAST, last, ROLLS, self.rolls)
        self.show(changes, client, request.id)

    def make_ready(self, client: "Client", request: Request) -> None:
        """A player wants the next game."""
        self.ready[self.players.index(client)] = True
        self.show(self.begin() if all(self.ready) else [READY, self.ready], client, request.id)


rooms: dict[str, Room] = {}


class Client(asyncio.Protocol):
    """A connection."""

    def __init__(self) -> None:
        self.buffer = b""
        self.open = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.write = self.transport.write

    def data_received(self, data: bytes) -> None:
        if self.buffer:
            data, self.buffer = self.buffer + data, b""
        if not self.open:
            self.shake_hands(data)
            return
        at, end = 0, len(data)
        while end - at >= 6:
            size = data[at + 1] & 127
            head = 6
            if size == 126:
                size, head = int.from_bytes(data[at + 2 : at + 4], "big"), 8
            stop = at + head + size
            if stop > end:
                break
            if data[at] & 15 != 2:
                self.transport.close()
                return
            mask, body = data[at + head - 4 : at + head], data[at + head : stop]
            key = int.from_bytes((mask * (size // 4 + 1))[:size], "little")
            self.received(decode((int.from_bytes(body, "little") ^ key).to_bytes(size, "little")))
            at = stop
        self.buffer = data[at:]

    def shake_hands(self, data: bytes) -> None:
        """Answer the HTTP request when it is whole."""
        if b"\r\n\r\n" not in data:
            self.buffer = data
            return
        self.write(b"HTTP/1.1 101 Switching Protocols\r\n\r\n")  # `bench.clients` asks for no more
        self.open = True

    def received(self, request: Request) -> None:
        """Carry out a request."""
        match request.type:
            case "move":
                rooms[request.match].play(self, request)
            case "ready":
                rooms[request.match].make_ready(self, request)
            case "hello":
                self.write(frame_of(encode({"type": "welcome", "id": request.id, "name": request.name})))
            case "create":
                room = rooms[request.name] = Room(request.name)
                self.sit(room)
                self.write(room.snapshot(request.id, 0))
            case "join":
                room = rooms[request.table]
                self.sit(room)
                room.show(room.begin())
                self.write(room.snapshot(request.id, 1))
            case "attach":
                room = rooms[request.table]
                room.followers.append(self)
                self.write(room.snapshot(request.id, None))

    def sit(self, room: Room) -> None:
        """Take the next seat."""
        room.players.append(self)
        room.followers.append(self)


async def main(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Client, "127.0.0.1", port, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(int(sys.argv[1])))
