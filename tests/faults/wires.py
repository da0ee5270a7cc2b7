"""Nodes whose every connection goes over a wire that can fail: those of their clients, and those to their store."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import NamedTuple

from tests.support.servers.processes import ServerProcess
from tests.support.servers.valkey import Valkey, short_folder
from tests.support.wire.proxy import Proxy


class Wired(NamedTuple):
    """A node. url: for clients, over `front`. back: the wire to its store."""

    node: ServerProcess
    front: Proxy
    back: Proxy

    @property
    def url(self) -> str:
        """Address for clients."""
        return f"ws://127.0.0.1:{self.front.port}"


@contextlib.asynccontextmanager
async def wired_nodes(valkey: Valkey, count: int) -> AsyncIterator[list[Wired]]:
    """So many server processes on one store."""
    async with contextlib.AsyncExitStack() as stack:
        folder = stack.enter_context(short_folder())
        wired = []
        for number in range(count):
            path = folder / f"{number}.sock"
            back = await stack.enter_async_context(Proxy.to_unix(str(valkey.path), path))
            node = ServerProcess(folder / str(number), "--redis", f"unix://{path}")
            stack.push_async_callback(asyncio.to_thread, node.clean_up)
            await asyncio.to_thread(node.start)
            wired.append(Wired(node, await stack.enter_async_context(Proxy.to_port(node.port)), back))
        yield wired
