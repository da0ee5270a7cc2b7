"""The database behind the archive: SQLite or PostgreSQL, opened, brought up to date, and its errors made ours.

SQLite is used through aiosqlite, whose threads keep it off the event loop; PostgreSQL through psycopg, whose URLs are
libpq's, as every PostgreSQL tool reads them (sslmode, several hosts), and which works behind PgBouncer.
"""

import asyncio
import contextlib
import os
import sqlite3
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
import structlog
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import ArgumentError, DatabaseError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from tavla_server import files
from tavla_server.deadline import time_limit
from tavla_server.errors import ArchiveDamaged, ArchiveUnavailable, StartError
from tavla_server.features.archive import copying
from tavla_server.features.archive.schema import FIRST_TABLES, REVISION, metadata
from tavla_server.features.archive.transaction import Transaction

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

CONNECTIONS = 4
ANSWER_S = 15.0  # for one transaction; past that it is unknown whether it was made
CLOSE_S = 5.0  # for what is under way when a server stops
CONNECT_S = 5
SILENT = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}  # PostgreSQL: a machine that is gone
BUSY_MS = 10_000  # SQLite: for another process to have written
SWITCH_S = 0.005  # SQLite: before another try to switch a file that another process switches now
CACHE_KIB = 256  # SQLite: of pages, for each connection; with its own 2,000 no query is faster, for the system has them
LOCK = 0x7461766C61  # "tavla": PostgreSQL's advisory lock, for one migration at a time
MIGRATIONS = Path(__file__).parent / "migrations"
NOW_MS: dict[str, sa.ColumnElement[int]] = {
    "sqlite": sa.cast((sa.func.julianday("now") - 2440587.5) * 86_400_000, sa.BigInteger),  # 1970 is that Julian day
    "postgresql": sa.cast(sa.extract("epoch", sa.func.clock_timestamp()) * 1000, sa.BigInteger),
}
REPAIR = "play goes on, and what ends waits in the store: stop the server, and run tavla-server repair"
AWAY = (OperationalError, InterfaceError, PoolTimeout, OSError)  # TimeoutError is an OSError

Opened = contextlib.AbstractAsyncContextManager[Transaction]

log = structlog.get_logger()


class Database:
    """A database, which may be away when the server starts, and at any time after.

    away: why it did not answer last; "" = it did. damage: why its file cannot be used, since when nothing is written
    to it; "" = no damage was found.
    """

    def __init__(self, url: str, answer_s: float = ANSWER_S) -> None:
        """url: sqlite:///PATH or postgresql://USER:PASSWORD@HOST/NAME. answer_s: for one transaction.

        Raises: StartError.
        """
        self._engine, self._answer_s = _engine(url), answer_s
        self.away = self.damage = ""
        self._made: asyncio.Task[None] | None = None
        self._running = set[asyncio.Task[None]]()
        # Transactions wait here in order, and open no connection before it is their turn. SQLite has one writer.
        self._connections = asyncio.Semaphore(CONNECTIONS)
        self._writers = asyncio.Semaphore(1 if self.dialect == "sqlite" else CONNECTIONS)

    @property
    def dialect(self) -> str:
        """sqlite or postgresql."""
        return self._engine.dialect.name

    @property
    def now_ms(self) -> sa.ColumnElement[int]:
        """The database's own clock, in ms since 1970: all servers have the same."""
        return NOW_MS[self.dialect]

    def insert(self, table: sa.Table) -> "sqlite.Insert | postgresql.Insert":
        """An INSERT that may say what happens when the row is there."""
        if self.dialect == "sqlite":
            return sqlite.insert(table)
        from sqlalchemy.dialects import postgresql  # takes 0.03 s, and few servers need it

        return postgresql.insert(table)

    async def close(self) -> None:
        """Disconnect, when what is under way has ended."""
        if self._running:
            _, late = await asyncio.wait(self._running, timeout=CLOSE_S)
            for task in late:
                task.cancel()
        await self._engine.dispose()

    def reading(self) -> Opened:
        """A transaction to read with. Raises: ArchiveUnavailable."""
        return self._transaction(False, self._connections)

    async def read(self, statement: sa.Executable) -> sa.CursorResult[*tuple[Any, ...]]:
        """The rows of one statement, all read. Raises: ArchiveUnavailable, as the next does."""
        async with self.reading() as transaction:
            return await transaction.execute(statement)

    async def read_scalar(self, statement: sa.Executable) -> Any:
        """The first column of the first row of one statement; None without one."""
        async with self.reading() as transaction:
            return await transaction.scalar(statement)

    def writing(self) -> Opened:
        """A transaction, which is made when this ends. Raises: ArchiveUnavailable: it may have been made."""
        self.demand_whole()
        return self._transaction(True, self._writers, self._connections)

    def demand_whole(self) -> None:
        """Raises: ArchiveDamaged if damage was found before."""
        if self.damage:
            raise ArchiveDamaged(self.damage)

    @contextlib.asynccontextmanager
    async def _transaction(self, writes: bool, *turns: asyncio.Semaphore) -> AsyncIterator[Transaction]:
        """A transaction in a task that nothing cancels, and that ends by itself when its caller leaves."""
        async with self._translated():
            await self._make_once()
            transaction = Transaction(turns, self._connection(writes))
            self._running.add(transaction.task)
            transaction.task.add_done_callback(self._running.discard)
            try:
                await transaction.call(_nothing)
                yield transaction
            except BaseException:
                transaction.leave()
                raise
            await transaction.commit()

    @contextlib.asynccontextmanager
    async def _connection(self, writes: bool) -> AsyncIterator[AsyncConnection]:
        async with self._engine.connect() as connection:
            await connection.execution_options(tavla_writes=writes)
            async with connection.begin():
                if self.dialect == "postgresql":
                    await connection.execute(sa.text(f"SET LOCAL statement_timeout = {round(1000 * self._answer_s)}"))
                yield connection

    @contextlib.asynccontextmanager
    async def _translated(self) -> AsyncIterator[None]:
        try:
            async with time_limit(self._answer_s):
                yield
            self.away = ""
        except AWAY as error:
            is_made = self._made is not None and self._made.done()
            self.away = _why(error) if is_made else "its tables are being made"
            raise ArchiveUnavailable(self.away) from None
        except (DatabaseError, sqlite3.DatabaseError) as error:
            if not _is_damage(error):
                raise
            if not self.damage:
                self.damage = _why(error)
                log.error("archive_damaged", error=self.damage, what=REPAIR)
            raise ArchiveDamaged(_why(error)) from None

    async def _make_once(self) -> None:
        """Wait until the tables are up to date. That takes as long as it takes: who waits no longer ends nothing.

        Raises: StartError when they are of a later version.
        """
        if self._made is None or (self._made.done() and (self._made.cancelled() or self._made.exception())):
            self._made = asyncio.create_task(self._make())
            self._running.add(self._made)
            self._made.add_done_callback(self._running.discard)
            self._made.add_done_callback(lambda made: made.cancelled() or made.exception())  # if nobody waits for it
        if not self._made.done():
            await asyncio.wait([self._made])
        self._made.result()

    async def _make(self) -> None:
        """Bring the tables up to date; of several servers that start at once, one does it."""
        async with self._engine.connect() as connection:
            known = await connection.run_sync(_revision)
        if known == REVISION:
            return
        async with self._engine.connect() as connection:
            await connection.execution_options(tavla_writes=True)
            async with connection.begin():
                if self.dialect == "postgresql":
                    await connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))
                if await connection.run_sync(_revision) is None:  # of several that start at once, one is here first
                    log.info("archive_created", what="an empty archive is made: there was none at this place")
                    await connection.run_sync(_create)
                else:
                    await connection.run_sync(upgrade)


async def _nothing(_: AsyncConnection) -> None:
    """Nothing is asked of a connection but that it is open."""


def _why(error: BaseException) -> str:
    """A database's own words, in a line."""
    why = getattr(error, "orig", None) or error
    return (str(why).strip() or type(error).__name__).splitlines()[0]


def _is_damage(error: BaseException) -> bool:
    """True if SQLite says that its file is damaged, or none: it has no class of errors for that."""
    return type(getattr(error, "orig", None) or error) is sqlite3.DatabaseError


def is_there(url: str) -> bool:
    """True if there is a database that one could ask: a file of SQLite would be made, if it were opened."""
    path = url.removeprefix("sqlite:///")
    return path == url or Path(path).is_file()


def _create(connection: sa.Connection) -> None:
    """Make the tables as they are now, without Alembic: to import it takes a third of a second.

    In the order in which migrations have made them: a repair needs the same places in the file (mending.py).
    """
    for table in FIRST_TABLES:
        table.create(connection)
    versions = "version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)"
    connection.execute(sa.text(f"CREATE TABLE alembic_version ({versions})"))
    connection.execute(sa.text("INSERT INTO alembic_version VALUES (:revision)"), {"revision": REVISION})
    metadata.create_all(connection)


def _revision(connection: sa.Connection) -> str | None:
    """Revision of the tables; None where there are none."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.scalar(sa.text("select version_num from alembic_version"))
    return revision


def upgrade(connection: sa.Connection) -> None:
    """Bring the tables up to date by migrations. Raises: StartError when they are of a later version."""
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:  # it does not know the revision
        raise StartError(
            f"the archive is newer than this server ({error}): start a server that is as new as the one that wrote it, "
            "or restore a backup from before"
        ) from None


def _engine(url: str) -> AsyncEngine:
    try:
        parsed = sa.make_url(url)
    except ArgumentError:
        raise StartError("--archive is no URL of a database: sqlite:///PATH or postgresql://...") from None
    if parsed.drivername == "sqlite" and parsed.database:
        return _sqlite(Path(parsed.database))
    if parsed.drivername in ("postgresql", "postgres"):
        return _postgresql(parsed)
    raise StartError(f"--archive cannot be {parsed.drivername}: give sqlite:///PATH or postgresql://...")


def _postgresql(url: sa.URL) -> AsyncEngine:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise StartError("PostgreSQL needs one more package: install tavla[postgresql]") from None
    connect = {name: s for name, s in {"connect_timeout": CONNECT_S, **SILENT}.items() if name not in url.query}
    return create_async_engine(
        url.set(drivername="postgresql+psycopg"),
        pool_size=CONNECTIONS,
        max_overflow=0,
        pool_pre_ping=True,
        connect_args=connect,
    )


def _sqlite(path: Path) -> AsyncEngine:
    try:
        copying.demand_in_place(path)
        files.make_folder(path.parent)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # its journal gets the same mode
    except OSError as error:
        raise StartError(f"cannot write to the archive {path}: {error.strerror}") from None
    engine = create_async_engine(
        sa.URL.create("sqlite+aiosqlite", database=str(path)), pool_size=CONNECTIONS, max_overflow=0
    )
    sa.event.listen(engine.sync_engine, "connect", _prepare)
    sa.event.listen(engine.sync_engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _: object) -> None:
    """A new connection to SQLite. Every commit is on disk; readers and a writer do not wait for each other."""
    connection.isolation_level = None  # transactions begin where we say so, DDL included
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    _write_ahead(cursor)
    for pragma in ("synchronous = FULL", "foreign_keys = ON", f"cache_size = -{CACHE_KIB}"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _write_ahead(cursor: DBAPICursor) -> None:
    """Keep a write-ahead log. Of several that switch a new file at once, SQLite refuses one without waiting."""
    until_s = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until_s:
                raise
            time.sleep(SWITCH_S)


def _begin(connection: sa.Connection) -> None:
    """BEGIN IMMEDIATE: SQLite may refuse to upgrade a read."""
    writes = connection.get_execution_options().get("tavla_writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
