"""The options of the command line, as one value."""

import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import click

ARCHIVE = "archive.sqlite3"
SEED_KEY_FILE = "seed.key"  # in the data folder, unless --seed-key names another one
CONNECTIONS_LIMIT = 25_000  # of each process; each takes some 15 KB, and the system as much
ADDRESS_CONNECTIONS_LIMIT = 500  # a school behind one router
NO_CONTACT = "ask whoever runs this server"  # unless the operator says whom


class Options(NamedTuple):
    """The options of the command line; each is described there.

    require_durable: do not start on a Redis that may lose what it has stored.
    contact: whom those may ask whom a moderator keeps out, or has taken the word from.
    archive_grace: days that a match stays in the store after it was archived.
    analysis: matches in the archive are judged. judge: by whom, see features/analysis/judge.
    tournament: a file of plans, see features/tournaments/schedule.
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
    judge: str = "sage"
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
    tournament: Path | None = None
    drain: float = 0.0
    log_format: str = "auto"
    log_level: str = "info"
    probe: bool = False
    metrics_port: int | None = None
    metrics_host: str = "127.0.0.1"

    @classmethod
    def of_command(cls, context: "click.Context", **given: Any) -> "Options":
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
