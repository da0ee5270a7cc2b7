"""Files of tournaments: made once, by a process, for as long as somebody waits for them."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tavla_engine.mat import import_mat
from tavla_server.features.tournaments import files
from tavla_server.features.tournaments.files import FileKey, KeptFiles
from tavla_server.features.tournaments.mat_file import PlayedMatch

from tests.support.patience import wait_until
from tests.support.servers.processes import inside, page
from tests.support.servers.valkey import Valkey
from tests.support.stores.archiving import archive_at
from tests.support.stores.past_tournament import add_tournament

MATCHES = 20


class WatchedMaking(files._Making):
    """A file on its way that is known here, too."""

    last: ClassVar["WatchedMaking"]

    def __init__(self, task: "asyncio.Task[bytes]") -> None:
        super().__init__(task)
        WatchedMaking.last = self


class Held:
    """The making of files, counted, and held until it is let go on: then it is made as ever."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.ended, self.go = 0, 0, asyncio.Event()
        self._make = files.mat_file
        monkeypatch.setattr(files, "mat_file", self)
        monkeypatch.setattr(files, "_Making", WatchedMaking)

    async def __call__(self, name: str, matches: AsyncIterator[PlayedMatch]) -> bytes:
        """Make a file when it is time."""
        self.begun += 1
        try:
            await self.go.wait()
            return await self._make(name, matches)
        finally:
            self.ended += 1

    async def until(self, count: int) -> None:
        """Wait until so many are on their way: no longer than a file may take, when its making ends in any case."""
        async with asyncio.timeout(files.FILE_S / 2):
            while self.begun - self.ended != count:  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0.01)


@pytest.fixture
async def place(tmp_path: Path, rng: Any) -> tuple[str, str]:
    """The URL of an archive, and a tournament in it."""
    url = f"sqlite:///{tmp_path}/archive.db"
    async with archive_at(url) as archive:
        tournament = await add_tournament(archive, rng, MATCHES)
    return url, tournament


async def asks(url: str, path: str) -> asyncio.StreamWriter:
    """A client that asks, and does not read."""
    _, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    await writer.drain()
    return writer


async def test_a_file_is_made_once_for_all_who_ask(
    valkey: Valkey, place: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, tournament = place
    held = Held(monkeypatch)
    async with inside(valkey.url, archive=archive) as url:
        asked = [asyncio.create_task(asyncio.to_thread(page, url, f"/t/{tournament}.mat")) for _ in range(5)]
        await held.until(1)
        held.go.set()
        answers = await asyncio.gather(*asked)
        packed = await asyncio.to_thread(page, url, f"/t/{tournament}.mat", {"Accept-Encoding": "gzip"})
    assert held.begun == 1
    assert len({packed, *answers}) == 1, "gzipped or not"
    status, text = packed
    assert status == 200
    matches = [one for one in re.split(r"(?=; \[.*\n(?!;))", text) if "point match" in one]
    assert len(matches) == MATCHES
    assert all(name.startswith("p") for name in import_mat(matches[-1]).names)


async def test_who_hangs_up_ends_the_making_unless_another_one_waits(
    valkey: Valkey, place: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, tournament = place
    held = Held(monkeypatch)
    async with inside(valkey.url, archive=archive) as url:
        (await asks(url, f"/t/{tournament}.mat")).close()  # before anybody knows that the answer takes long
        for _ in range(2):
            gone = await asks(url, f"/t/{tournament}.mat")
            await held.until(1)
            gone.close()
            await held.until(0)
        before = held.begun
        first = await asks(url, f"/t/{tournament}.mat")
        await held.until(1)
        second = asyncio.create_task(asyncio.to_thread(page, url, f"/t/{tournament}.mat"))
        await wait_until(lambda: WatchedMaking.last.waiting >= 2)
        other = asyncio.create_task(asyncio.to_thread(page, url, f"/t/{tournament}.json"))
        first.close()
        held.go.set()
        assert (await second)[0] == (await other)[0] == 200
    assert (held.begun, held.ended) == (before + 1, before + 1)


def test_no_more_is_kept_than_there_is_room_for_and_one_version_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "KEPT_BYTES", 30)
    kept, keys = KeptFiles(), [FileKey(f"t{number}", "mat", "1") for number in range(4)]
    for key in keys[:3]:
        kept.add(key, bytes(10))
    assert kept.get(keys[0]) is not None
    kept.add(keys[3], bytes(10))
    assert [kept.get(key) is not None for key in keys] == [True, False, True, True], "the one longest not asked for"
    kept.add(keys[0]._replace(version="2"), bytes(10))
    assert kept.get(keys[0]) is None
    assert kept.get(keys[3]) is not None
