"""What a server is started with, and what keeps it from starting."""

import contextlib
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tavla_server.cluster.liveness import evict_all_nodes
from tavla_server.errors import StartError
from tavla_server.store.client import connected

if TYPE_CHECKING:
    from tavla_server.store.embedded import EmbeddedStore


class Options(NamedTuple):
    """The command line; each is described there.

    worker: this process is one of several that share the port, and belongs to the one that has started it.
    """

    host: str = "0.0.0.0"
    port: int = 8765
    data: Path = Path("data")
    redis: str | None = None
    workers: int = 1
    worker: bool = False
    behind_proxy: bool = False
    drain: float = 0.0
    log_format: str = "auto"
    log_level: str = "info"
    probe: bool = False


async def open_store(stack: contextlib.AsyncExitStack, data: Path) -> str:
    """Start the embedded store until the stack is closed; its URL.

    Raises: StartError.
    """
    store = embedded_store(data)
    stack.push_async_callback(store.stop)
    await store.start()
    async with connected(store.url) as redis:
        await evict_all_nodes(redis)
    return store.url


def embedded_store(data: Path) -> "EmbeddedStore":
    """The store of a data folder, not started.

    Raises: StartError when this installation has none.
    """
    try:
        from tavla_server.store.embedded import EmbeddedStore
    except ImportError as error:
        raise StartError(f"{error}: install tavla[embedded], or give --redis URL") from None
    return EmbeddedStore(data)


def cannot_listen(host: str, port: int, error: OSError) -> StartError:
    """Why a port cannot be had."""
    if error.errno is None or isinstance(error, socket.gaierror):  # whose numbers are others
        return StartError(f"cannot listen on {host}:{port}: {error.strerror or error}")
    return StartError(f"cannot listen on {host}:{port}: {os.strerror(error.errno)}")
