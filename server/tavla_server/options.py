"""Options of a server, and the errors that keep it from starting."""

import contextlib
import os
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import structlog

from tavla_server.cluster.liveness import evict_all_nodes
from tavla_server.errors import StartError, StoreUnavailable
from tavla_server.match.seed_keys import is_lost, renew
from tavla_server.moderation.penalties import NO_CONTACT
from tavla_server.store import keys
from tavla_server.store.client import Client, connected

if TYPE_CHECKING:
    from tavla_server.store.embedded import EmbeddedStore


log = structlog.get_logger()

ARCHIVE = "archive.sqlite3"
PLAN_END = ";"  # between plans of tournaments, which have blanks, in an environment variable
SEED_KEY_FILE = "seed.key"  # in the data folder, unless --seed-key names another one
CONNECTIONS_LIMIT = 25_000  # of each process; each takes some 15 KB, and the system as much
ADDRESS_CONNECTIONS_LIMIT = 500  # a school behind one router


class Options(NamedTuple):
    """The command line; each is described there.

    require_durable: do not start on a Redis that may lose what it has stored.
    contact: whom those may ask whom a moderator keeps out, or has taken the word from.
    archive_grace: days that a match stays in the store after it was archived.
    analysis: matches in the archive are judged.
    tournament: plans, see tournaments/schedule.
    metrics_host, metrics_port: where metrics are to be had; port None = nowhere, 0 = any.
    worker: this process is one of several that share the port, and belongs to the one that has started it.
    """

    host: str = "0.0.0.0"
    port: int = 8765
    data: Path = Path("data")
    redis: str | None = None
    require_durable: bool = False
    archive: str | None = None
    archive_grace: float = 7.0
    analysis: bool = False
    seed_key: Path | None = None
    workers: int = 1
    worker: bool = False
    behind_proxy: bool = False
    max_connections: int = CONNECTIONS_LIMIT
    max_per_address: int = ADDRESS_CONNECTIONS_LIMIT
    tls_cert: Path | None = None
    tls_key: Path | None = None
    web: str = "on"
    allow_origin: tuple[str, ...] = ()
    host_name: tuple[str, ...] = ()
    contact: str = NO_CONTACT
    tournament: tuple[str, ...] = ()
    drain: float = 0.0
    log_format: str = "auto"
    log_level: str = "info"
    probe: bool = False
    metrics_port: int | None = None
    metrics_host: str = "127.0.0.1"

    @classmethod
    def of_command(cls, context: click.Context, **given: Any) -> "Options":
        """The options of the group to which a command belongs, and in their place its own, where they are given."""
        assert context.parent is not None, "a command of the group, whose options and variables hold here, too"
        own = {name: value for name, value in given.items() if value is not None}
        return cls(**{**context.parent.params, **own})

    @property
    def scheme(self) -> str:
        """Of our URL."""
        return "ws" if self.tls_cert is None else "wss"

    @property
    def known_names(self) -> tuple[str, ...]:
        """Names that the server is asked by. With TLS it may be any: browsers compare it with the certificate."""
        return (*self.host_name, self.host, socket.gethostname()) if self.tls_cert is None else ("*",)

    @property
    def seed_key_file(self) -> Path:
        """The file of the keys that seal the seeds of dice."""
        return self.seed_key or self.data / SEED_KEY_FILE

    @property
    def store_folder(self) -> Path | None:
        """The folder of the embedded store, if there is one: workers are given its socket."""
        is_embedded = not self.redis or (self.worker and self.redis.startswith("unix:"))
        return self.data if is_embedded else None

    @property
    def archive_url(self) -> str | None:
        """The archive of finished matches: by default beside the embedded store. None: they stay on Redis."""
        if self.archive or self.redis:
            return self.archive
        return f"sqlite:///{self.data.absolute() / ARCHIVE}"


async def open_store(
    stack: contextlib.AsyncExitStack, options: Options, meanwhile: Callable[[], object] | None = None
) -> str:
    """Start the embedded store until the stack is closed; its URL. meanwhile: called while it starts.

    Raises: StartError.
    """
    store = embedded_store(options.data)
    stack.push_async_callback(store.stop)
    await store.start(meanwhile)
    try:
        async with connected(store.url) as redis:
            await evict_all_nodes(redis)
            if options.seed_key is None:
                await _renew_lost_key(redis, options)
    except StoreUnavailable as error:
        raise StartError(f"the store cannot be used, {error}: {store.why_it_ended()}") from None
    return store.url


async def _renew_lost_key(redis: Client, options: Options) -> None:
    """Make the seed key anew if a power cut has emptied its file, and no match needs the one that is lost.

    Raises: StartError, when one does.
    """
    if not is_lost(options.seed_key_file):
        return
    if live := await redis.hlen(keys.LOBBY_ROWS("tables")):
        raise StartError(
            f"{options.seed_key_file} is empty, and the dice of {live} tables need the key that was in it: put the "
            f"file back from a backup, or run tavla-server repair --data {options.data}, and these tables cannot go on"
        )
    await renew(redis, options.seed_key_file)
    log.warning("seed_key_renewed", file=str(options.seed_key_file), why="it was empty, and no match needs the old one")


def embedded_store(data: Path) -> "EmbeddedStore":
    """The store of a data folder, not started. Raises: StartError when this installation has none."""
    try:
        from tavla_server.store.embedded import EmbeddedStore
    except ImportError as error:
        raise StartError(f"{error}: install tavla[embedded], or give --redis URL") from None
    return EmbeddedStore(data)


@contextlib.asynccontextmanager
async def running_store(redis: str | None, data: Path) -> AsyncIterator[str]:
    """The URL of the store, for a command; the embedded one of the folder `data` is started unless it runs.

    Raises: StartError.
    """
    if redis is not None:
        yield redis
        return
    store = embedded_store(data)
    if await _answers(store.url):
        yield store.url
        return
    if not (data / "appendonlydir").is_dir():
        raise StartError(f"there is no store in {data}: give --data or --redis")
    try:
        await store.start()
        yield store.url
    finally:
        await store.stop()


async def _answers(url: str) -> bool:
    with contextlib.suppress(StoreUnavailable):
        async with connected(url) as client:
            return bool(await client.ping())
    return False


def cannot_listen(host: str, port: int, error: OSError) -> StartError:
    """The error for a port that cannot be had."""
    if error.errno is None or isinstance(error, socket.gaierror):  # whose numbers are others
        return StartError(f"cannot listen on {host}:{port}: {error.strerror or error}")
    return StartError(f"cannot listen on {host}:{port}: {os.strerror(error.errno)}")
