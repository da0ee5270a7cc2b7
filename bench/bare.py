"""The yardstick: a server on the same libraries that unpacks, acknowledges and broadcasts, and decides nothing.

Its rooms have two seats. A frame `{"type": "sit", "room": n}` takes a place; every other one is answered with an `ok`
to its sender and sent on, as 48 bytes, to both. What it costs is what websockets, msgpack and the event loop cost.
"""

import asyncio
import sys
from collections import defaultdict

import msgpack
import uvloop
from websockets.asyncio.server import ServerConnection, broadcast, serve

UPDATE = bytes(48)  # as long as a usual update

rooms: dict[int, list[ServerConnection]] = defaultdict(list)


async def handle(socket: ServerConnection) -> None:
    room: list[ServerConnection] = []
    async for frame in socket:
        request = msgpack.unpackb(frame)
        if request["type"] == "sit":
            room = rooms[request["room"]]
            room.append(socket)
        broadcast((socket,), msgpack.packb({"type": "ok", "id": request["id"], "seq": 1}))
        if request["type"] != "sit":
            broadcast(room, UPDATE)


async def main(port: int) -> None:
    async with serve(handle, "127.0.0.1", port, compression=None, max_size=4096, backlog=4096) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(int(sys.argv[1])))
