"""Databases for the archive: SQLite in a file, and a PostgreSQL of the tests' own, from Debian's package."""

import contextlib
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.support.patience import PATIENCE_S
from tests.support.servers.processes import free_port

NOBODY = "nobody"  # PostgreSQL does not run as root


def postgresql_bin() -> Path | None:
    """The folder of PostgreSQL's programs; Debian keeps them off the path."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    return max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)


class Postgresql:
    """A server with databases that are not worth keeping. url: of its first database."""

    def __init__(self, folder: Path, bin_: Path) -> None:
        self.port = free_port()
        self.url = f"postgresql://tavla@127.0.0.1:{self.port}/postgres"
        self._data, self._bin = folder / "postgresql", bin_
        self._process: subprocess.Popen[bytes] | None = None
        self._empty: list[str] = []  # URLs of databases that were used, and emptied
        self._user = pwd.getpwnam(NOBODY).pw_uid if os.geteuid() == 0 else None
        if self._user is not None:
            os.chown(folder, self._user, -1)
        initdb = [
            str(bin_ / "initdb"),
            "-D",
            str(self._data),
            *["-U", "tavla", "--auth=trust", "--no-sync", "-E", "UTF8"],
        ]
        subprocess.run(initdb, check=True, capture_output=True, user=self._user, cwd=folder)

    def start(self) -> None:
        """Start, and wait until it answers."""
        settings = f"-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -p {self.port}"
        self._process = subprocess.Popen(
            [self._bin / "postgres", "-D", self._data, *settings.split()],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=self._user,
            cwd=self._data,
            start_new_session=True,
        )
        deadline = time.monotonic() + PATIENCE_S
        while not self._answers():
            assert self._process.poll() is None, "PostgreSQL ended at once"
            assert time.monotonic() < deadline, "PostgreSQL does not answer"
            time.sleep(0.05)

    def stop(self) -> None:
        """Stop at once; what was committed is there again after a start."""
        assert self._process is not None, "started"
        self._process.send_signal(signal.SIGQUIT)  # PostgreSQL's word for at once
        self._process.wait(PATIENCE_S)

    def new_database(self) -> str:
        """The URL of an empty database."""
        name = f"t{secrets.token_hex(6)}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"create database {name}")
        return self.url.replace("/postgres", f"/{name}")

    @contextlib.contextmanager
    def database(self) -> Iterator[str]:
        """The URL of an empty database. One made anew takes a second, and 8 MB."""
        url = self._empty.pop() if self._empty else self.new_database()
        yield url
        with psycopg.connect(url, autocommit=True) as connection:
            others = "datname = current_database() and pid <> pg_backend_pid()"
            connection.execute(f"select pg_terminate_backend(pid) from pg_stat_activity where {others}")
            connection.execute("drop schema public cascade")
            connection.execute("create schema public")
        self._empty.append(url)

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


def new_postgresql() -> Iterator[Postgresql]:
    """A started server; skips, or fails in CI, where there is none."""
    bin_ = postgresql_bin()
    if bin_ is None:
        assert not os.environ.get("CI"), "CI needs PostgreSQL"
        pytest.skip("needs PostgreSQL (apt install postgresql)")
    with tempfile.TemporaryDirectory(prefix="tavla-") as folder:
        server = Postgresql(Path(folder), bin_)
        server.start()
        try:
            yield server
        finally:
            server.stop()
