"""What a database leaves open: nothing."""

import asyncio
import gc
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from tavla_server.archive.database import Database

from tests.support.patience import PATIENCE_S


async def test_a_connection_is_closed_whose_opening_was_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening, cancelled, closed = threading.Event(), threading.Event(), threading.Event()
    connect, threads = sqlite3.connect, list[threading.Thread]()

    def slow(
        path: str, *, factory: type[sqlite3.Connection] = sqlite3.Connection, **options: Any
    ) -> sqlite3.Connection:
        class Watched(factory):  # type: ignore[valid-type, misc]
            def close(self) -> None:
                super().close()
                closed.set()

        threads.append(threading.current_thread())
        opening.set()
        cancelled.wait(PATIENCE_S)
        return connect(path, factory=Watched, **options)

    monkeypatch.setattr(sqlite3, "connect", slow)
    database = Database(f"sqlite:///{tmp_path}/archive.db")

    async def read() -> None:
        async with database.reading():
            pass

    reading = asyncio.create_task(read())
    assert await asyncio.to_thread(opening.wait, PATIENCE_S)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    cancelled.set()
    await asyncio.to_thread(threads[0].join, PATIENCE_S)
    gc.collect()
    assert closed.is_set()
    await database.close()
