"""Files of a tournament, for everybody: its record as JSON, and all its matches as one `.mat`."""

import asyncio
import gzip
import http
import re
import time
from typing import Any

import msgspec
from tavla_engine.mat import export_mat
from tavla_engine.match import new_match
from tavla_protocol.codes import ErrorCode
from websockets.http11 import Response

from tavla_server.delivery.handshake import Handshake
from tavla_server.errors import ArchiveUnavailable, JournalUnreadable, Refused, StoreUnavailable
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.summary import replay
from tavla_server.features.tournaments.state import Tournament
from tavla_server.features.tournaments.tournaments import Tournaments
from tavla_server.features.tournaments.views import match_of, record_of
from tavla_server.gateway.downloads import file, takes_gzip
from tavla_server.gateway.http import Path
from tavla_server.match import ids as match_ids
from tavla_server.match.journal import Journal
from tavla_server.record.events import TableEvent, decode_entry
from tavla_server.record.state import Record

ADDRESS = re.compile(r"/t/([a-z2-7]{1,16})\.(json|mat)")
KINDS = {"json": "application/json", "mat": "text/plain; charset=utf-8"}
FORMAT = "tavla-tournament-1"
PAGE = 200  # pairings of a record made in one go: a millisecond
PAUSE = 2  # as long as a match took is waited after it: asked for again and again it takes a third of a core at most
WAITING_LIMIT = 10  # for a `.mat` of all matches, of which one is made at a time: 1 to 3 ms of CPU a match
FILE_S = 60.0  # for one to be made, and for a client to read it


class TournamentFiles:
    """The files `/t/ID.json` and `/t/ID.mat`. archive: None = there is none."""

    def __init__(self, tournaments: Tournaments, journal: Journal, archive: Archive | None) -> None:
        self._tournaments, self._journal, self._archive = tournaments, journal, archive
        self._in_turn, self._waiting = asyncio.Lock(), 0
        self.paths = (Path(ADDRESS, self.answer),)

    async def answer(self, handshake: Handshake, asked: re.Match[str]) -> Response:
        """Answer with a file, which takes longer than a handshake."""
        assert handshake.request is not None, "it has come"
        handshake.allow(FILE_S)
        packed = takes_gzip(handshake.request)
        tournament, kind = asked.groups()
        try:
            body = await self.read(tournament, kind)
        except Refused as refused:
            busy = refused.code == ErrorCode.TOO_MANY
            status = http.HTTPStatus.SERVICE_UNAVAILABLE if busy else http.HTTPStatus.NOT_FOUND
            return handshake.reply(status, str(refused))
        except (StoreUnavailable, ArchiveUnavailable, JournalUnreadable):
            return handshake.reply(http.HTTPStatus.SERVICE_UNAVAILABLE, "this cannot be read now: ask again later")
        if packed:
            body = await asyncio.to_thread(gzip.compress, body, 6)
        return file(KINDS[kind], body, packed)

    async def read(self, tournament: str, kind: str) -> bytes:
        """A file. Raises: Refused; StoreUnavailable, ArchiveUnavailable, JournalUnreadable."""
        state = await self._tournaments.past(tournament)
        if kind == "json":
            return await _json(tournament, state)
        if self._waiting >= WAITING_LIMIT:
            raise Refused(ErrorCode.TOO_MANY, "too many ask for such files now: ask again in a minute")
        self._waiting += 1
        try:
            async with self._in_turn:
                return await self._mat(tournament, state)
        finally:
            self._waiting -= 1

    async def _mat(self, tournament: str, state: Tournament) -> bytes:
        """All matches that are over and may be watched, in the order of their pairings."""
        assert state.opened is not None, "it was found"
        found = []
        for number, pair in enumerate(state.pairs):
            match = match_of(tournament, state, number)
            if pair.scored is not None and (journal := await self._match(match)):
                began_s = time.monotonic()
                record = await replay(match, journal)
                is_told = record.terms.spectators and record.terms.code in ("", match_ids.code_of(tournament))
                if is_told and record.over and not record.cancelled:
                    found.append(_as_mat(record, journal, state.opened.name))
                await asyncio.sleep(PAUSE * (time.monotonic() - began_s))
        return "\n".join(found).encode()

    async def _match(self, match: str) -> list[bytes]:
        """The journal of a match, wherever it is; [] = nowhere."""
        journal = await self._journal.raw(match)
        if not journal and self._archive is not None:
            journal = await self._archive.journal(match) or []
        return journal


async def _json(tournament: str, state: Tournament) -> bytes:
    pages, after = list[dict[str, Any]](), 0
    while True:
        page = record_of(tournament, state, after, PAGE)
        pages.append(msgspec.to_builtins(page))
        if page.next is None:
            break
        after = page.next
        await asyncio.sleep(0)
    whole = {name: value for name, value in pages[0].items() if name not in ("type", "id", "next")}
    pairings = [pairing for page in pages for pairing in page.get("pairings", ())]
    return msgspec.json.encode({"format": FORMAT, **whole, "pairings": pairings}) + b"\n"


def _as_mat(record: Record, journal: list[bytes], name: str) -> str:
    """A match as clients export it, with the tournament's name."""
    white, black = (player.name if player is not None else "?" for player in record.players)
    entries = [decode_entry(data) for data in journal]
    events = [event for entry in entries for event in entry.events if not isinstance(event, TableEvent)]
    day = time.strftime("%Y.%m.%d", time.gmtime(entries[0].time_ms / 1000))
    tags = {"Event": name, "EventDate": day, "Match": record.id}
    return export_mat((white, black), new_match(record.match.rules), events, tags)
