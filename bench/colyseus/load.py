"""The load generator's pairs and watchers in Colyseus's words.

A seat is reserved over HTTP, `POST /matchmake/create/backgammon`; the answer says where the WebSocket goes. There a
message begins with a byte that says what it is, then comes its name, then msgpack. Turns are sent as requests
(Colyseus 0.18), so that the server answers each as Tavla does.
"""

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from bench.load import Match, Socket, Tally, decode, encode, open_socket

JOINED, REQUEST, RESPONSE = 10, 21, 22
UPDATE, SNAPSHOT = b"\x0d\xa6update", b"\x0d\xa8snapshot"
OK = 0


class ColyseusMatch(Match):
    """A room and both its players."""

    def _send(self, socket: Socket, action: dict[str, Any]) -> None:
        name = action["type"].encode()
        told = encode({"seq": self.seq, "moves": action["moves"]}) if "moves" in action else b""
        self._request = self._request + 1 & 127  # of those not answered yet there is one a connection
        socket.send(b"%c%c%c%b%b" % (REQUEST, self._request, 0xA0 | len(name), name, told))


async def reserve(url: str, method: str, room: str, options: dict[str, Any]) -> str:
    """Ask the matchmaker for a seat: where its WebSocket goes."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    body = json.dumps(options)
    writer.write(
        f"POST /matchmake/{method}/{room} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
    )
    answer = await reader.read()
    writer.close()
    seat = json.loads(answer.partition(b"\r\n\r\n")[2])
    return f"{url}/{seat['processId']}/{seat['roomId']}?sessionId={seat['sessionId']}"


async def join(
    url: str, number: int, method: str, room: str, options: dict[str, Any], updated: Callable[[bytes], None]
) -> tuple[Socket, dict[str, Any]]:
    """Take a seat in a room: the connection and the snapshot. updated: called with each update's frame."""
    loop = asyncio.get_running_loop()
    joined: asyncio.Future[None] = loop.create_future()
    snapshot: asyncio.Future[dict[str, Any]] = loop.create_future()

    def received(frame: bytes) -> None:
        if frame.startswith(UPDATE):
            updated(frame)
        elif frame[0] == RESPONSE:
            if frame[2] != OK:
                sys.exit(f"the server answers {frame!r}")
        elif frame[0] == JOINED:
            joined.set_result(None)
        elif frame.startswith(SNAPSHOT):
            snapshot.set_result(decode(frame[len(SNAPSHOT) :]))
        else:
            sys.exit(f"the server says {frame!r}")

    path = await reserve(url, method, room, options)
    socket = await open_socket(path, number, "", received)
    await joined
    socket.send(bytes((JOINED,)))  # from now on we hear what is said
    return socket, {"epoch": 1, **await snapshot}  # there are none there


class ColyseusPair:
    """Two connections that play one match against each other."""

    def __init__(self, matches: list[Match], tally: Tally) -> None:
        self.matches, self.tally, self._match = matches, tally, matches[0]
        assert len(matches) == 1, "a connection of Colyseus has one room"

    async def start(self, url: str) -> None:
        """Open a room, sit down."""
        match, number = self._match, 2 * self._match.number
        first, snapshot = await join(url, number, "create", "backgammon", {}, self._updated(0))
        match.take_snapshot(snapshot)
        second, snapshot = await join(url, number + 1, "joinById", match.id, {}, self._updated(1))
        match.take_snapshot(snapshot)
        match.sockets = [first, second]

    def _updated(self, seat: int) -> Callable[[bytes], None]:
        match, tally, begin = self._match, self.tally, len(UPDATE)

        def updated(frame: bytes) -> None:
            if match.playing:
                tally.received += tally.counting
                seq, changes = decode(frame[begin:])
                match.take_update(seat, seq, changes, len(frame))

        return updated

    def play(self) -> None:
        """From now on."""
        self._match.playing = True
        self._match.act()


async def watch(url: str, number: int, match: str, tally: Tally) -> Socket:
    """Connect a spectator of a match, who does nothing."""

    def updated(frame: bytes) -> None:
        tally.received += tally.counting

    socket, _ = await join(url, number, "joinById", match, {"watch": True}, updated)
    return socket
