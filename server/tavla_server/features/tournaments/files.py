"""Files of a tournament, for everybody: its record as JSON, and all its matches as one `.mat`.

Each is made once for each version of a tournament and kept, gzipped; whoever asks meanwhile waits for the same one.
"""

import asyncio
import gzip
import http
import re
import sys
from asyncio.subprocess import PIPE
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import NamedTuple

import msgspec
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from websockets.http11 import Response

from tavla_server.delivery.handshake import Handshake
from tavla_server.errors import ArchiveUnavailable, JournalUnreadable, Refused, StoreUnavailable, too_often
from tavla_server.features.archive.archive import Archive
from tavla_server.features.tournaments.mat_file import PlayedMatch
from tavla_server.features.tournaments.record_pages import RecordPages
from tavla_server.features.tournaments.state import Tournament
from tavla_server.features.tournaments.tournaments import Tournaments
from tavla_server.features.tournaments.views import match_of
from tavla_server.features.tournaments.waiting import HEAD_BYTES
from tavla_server.gateway import costs
from tavla_server.gateway.client_address import address_of, network_of
from tavla_server.gateway.core import Core
from tavla_server.gateway.downloads import file, takes
from tavla_server.gateway.http import Path

ADDRESS = re.compile(r"/t/([a-z2-7]{1,16})\.(json|mat)")
KINDS = {"json": "application/json", "mat": "text/plain; charset=utf-8"}
STATUS: dict[str, http.HTTPStatus] = {
    ErrorCode.NO_SUCH_TOURNAMENT: http.HTTPStatus.NOT_FOUND,
    ErrorCode.TOO_MANY: http.HTTPStatus.TOO_MANY_REQUESTS,
    ErrorCode.UNAVAILABLE: http.HTTPStatus.SERVICE_UNAVAILABLE,
}
FORMAT = "tavla-tournament-1"
WAITING_LIMIT = 10  # files on their way, of which one is made at a time
AT_ONCE = 32  # matches that are read together
KEPT_BYTES = 16_000_000  # of files, gzipped: one of 500 matches takes 0.2 MB
FILE_S = 60.0  # for one to be made, and for a client to read it


class FileKey(NamedTuple):
    """The key of a file. version: of the tournament."""

    tournament: str
    kind: str
    version: str


class _Making:
    """A file on its way. waiting: the clients that want it; without any it is given up."""

    def __init__(self, task: "asyncio.Task[bytes]") -> None:
        self.task, self.waiting = task, 0


class KeptFiles:
    """The files that were asked for last, gzipped; no more bytes of them than KEPT_BYTES."""

    def __init__(self) -> None:
        self._files: OrderedDict[FileKey, bytes] = OrderedDict()

    def get(self, key: FileKey) -> bytes | None:
        """A file, if it is kept."""
        if key in self._files:
            self._files.move_to_end(key)
        return self._files.get(key)

    def add(self, key: FileKey, body: bytes) -> None:
        """Keep a file, in the place of the one of another version."""
        for old in [old for old in self._files if old[:2] == key[:2]]:
            del self._files[old]
        self._files[key] = body
        while sum(map(len, self._files.values())) > KEPT_BYTES:
            self._files.popitem(last=False)


class TournamentFiles:
    """The files `/t/ID.json` and `/t/ID.mat`. archive: None = there is none."""

    def __init__(self, core: Core, tournaments: Tournaments, pages: RecordPages, archive: Archive | None) -> None:
        self._core, self._journal = core, core.journal
        self._tournaments, self._pages, self._archive = tournaments, pages, archive
        self._in_turn, self._kept = asyncio.Lock(), KeptFiles()
        self._making: dict[FileKey, _Making] = {}
        self.paths = (Path(ADDRESS, self.answer),)

    async def answer(self, handshake: Handshake, asked: re.Match[str]) -> Response:
        """Answer with a file, which takes longer than a handshake."""
        handshake.allow(FILE_S)
        takes_packed = takes(handshake.whole_request, "gzip")
        tournament, kind = asked.groups()
        try:
            body = await self.read(tournament, kind, partial(self._charge, handshake))
        except Refused as refused:
            return handshake.reply(STATUS[refused.code], str(refused))
        except (StoreUnavailable, ArchiveUnavailable, JournalUnreadable, MatFileError):
            return handshake.reply(http.HTTPStatus.SERVICE_UNAVAILABLE, "this cannot be read now: ask again later")
        if not takes_packed:
            body = await asyncio.to_thread(gzip.decompress, body)
        return file(KINDS[kind], body, takes_packed)

    def _charge(self, handshake: Handshake) -> None:
        """Take the cost of a file that has to be made. Raises: Refused for an address that has spent its allowance."""
        address = address_of(handshake, self._core.options.behind_proxy)
        if wait_s := self._core.costs.charge(costs.A_FILE, address, network_of(address)):
            raise too_often("you ask for too much", wait_s)

    async def read(self, tournament: str, kind: str, charge: Callable[[], None]) -> bytes:
        """A file, gzipped. charge: called when it has to be made; may raise Refused.

        Raises: Refused; StoreUnavailable, ArchiveUnavailable, JournalUnreadable, MatFileError.
        """
        key = FileKey(tournament, kind, await self._tournaments.version(tournament))
        if (kept := self._kept.get(key)) is not None:
            return kept
        if (making := self._making.get(key)) is None:
            if len(self._making) >= WAITING_LIMIT:
                raise Refused(ErrorCode.UNAVAILABLE, "too many ask for such files now: ask again in a minute")
            charge()
            making = self._making[key] = _Making(asyncio.create_task(self._make(key)))
        making.waiting += 1
        try:
            return await asyncio.shield(making.task)
        finally:
            making.waiting -= 1
            if not making.waiting:
                del self._making[key]
                making.task.cancel()

    async def _make(self, key: FileKey) -> bytes:
        """Make a file, and keep it."""
        async with self._in_turn:
            state = await self._tournaments.past(key.tournament)
            if key.kind == "json":
                record = await self._pages.page(key.tournament, state, 0, len(state.pairs))
                body = await asyncio.to_thread(_json_file, record)
            else:
                body = await mat_file(state.plan.name, self._played(key.tournament, state))
        self._kept.add(key, body)
        return body

    async def _played(self, tournament: str, state: Tournament) -> AsyncIterator[PlayedMatch]:
        """All matches that are over, in the order of their pairings, wherever they are."""
        numbers = [number for number, pair in enumerate(state.pairs) if pair.scored is not None and pair.is_played]
        for first in range(0, len(numbers), AT_ONCE):
            some = numbers[first : first + AT_ONCE]
            ids = [match_of(tournament, state, number) for number in some]
            stored = dict(zip(ids, await asyncio.gather(*map(self._journal.raw, ids)), strict=True))
            elsewhere = [id_ for id_ in ids if not stored[id_]]
            packed = await self._archive.packed_journals(elsewhere) if self._archive and elsewhere else {}
            for number, id_ in zip(some, ids, strict=True):
                white, black = (state.entrants[player].player.name for player in state.pairs[number].players)
                if stored[id_] or id_ in packed:
                    yield PlayedMatch(id_, (white, black), stored[id_], packed.get(id_, b""))


def _json_file(record: m.TournamentRecorded) -> bytes:
    """A whole record as a file, gzipped."""
    told = {name: value for name, value in msgspec.to_builtins(record).items() if name not in ("type", "id", "next")}
    whole = {"format": FORMAT, **told, "pairings": told.get("pairings", [])}
    return gzip.compress(msgspec.json.encode(whole) + b"\n", 6)


class MatFileError(Exception):
    """Error of making a file: its process has died."""


async def mat_file(name: str, matches: AsyncIterator[PlayedMatch]) -> bytes:
    """File of the matches of a tournament, by its name, gzipped, made by a process.

    Raises: MatFileError, and as what gives the matches.
    """
    command = sys.executable, "-P", "-m", "tavla_server.features.tournaments.mat_file"
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, start_new_session=True)
    assert process.stdin is not None, "a pipe"
    assert process.stdout is not None, "a pipe"
    encode = msgspec.msgpack.Encoder().encode
    try:
        process.stdin.write(_piece(encode(name)))
        async for match in matches:
            process.stdin.write(_piece(encode(match)))
            await process.stdin.drain()
        process.stdin.write(_piece(b""))
        body = await process.stdout.read()
        if not body:
            raise MatFileError("its process has ended")
        return body
    except OSError as error:
        raise MatFileError(str(error)) from error
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def _piece(data: bytes) -> bytes:
    return len(data).to_bytes(HEAD_BYTES, "big") + data
