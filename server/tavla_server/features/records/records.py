"""Matches to look back at: the list of them, the record of one, and the dice of all."""

import contextlib

from msgspec.structs import replace
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_protocol.view import fields

from tavla_server.errors import ArchiveUnavailable, Refused
from tavla_server.feature import Feature
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.summary import replay
from tavla_server.features.counts.reveals import Reveals
from tavla_server.features.tables.requests import check_may_watch, is_hidden
from tavla_server.features.tables.tables import Tables
from tavla_server.gateway import costs
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core
from tavla_server.gateway.routes import Route
from tavla_server.record.events import Entry, decode_entry
from tavla_server.record.projection import view_of
from tavla_server.record.state import Record
from tavla_server.record.transcript import event_rows
from tavla_server.token_bucket import Rate


class Records(Feature):
    """The records of matches, wherever these are. archive: None = there is none."""

    def __init__(
        self, core: Core, accounts: Accounts, tables: Tables, reveals: Reveals, archive: Archive | None
    ) -> None:
        self._core, self._accounts, self._tables = core, accounts, tables
        self._reveals, self._archive = reveals, archive
        self.routes = (
            Route(m.History, self.history, PAGES, is_open=True, cost=costs.A_PAGE),
            Route(m.Record, self.record, PAGES, is_open=True, cost=costs.A_PAGE),
            Route(m.Dice, self.dice, is_open=True),
        )

    async def history(self, connection: Connection, request: m.History) -> None:
        """The matches that someone has played to their end."""
        archive, player = self._archive, connection.player
        if archive is None:
            raise Refused(ErrorCode.NO_ARCHIVE, "this server keeps no list of finished matches: ask for one by its id")
        found = player if request.name is None else await self._accounts.find(request.name)
        if found is not None:
            page = await archive.history(found.id, request.after, own=found.id == player.id)
        else:
            page = await archive.history_by_name(request.name or "", request.after)
            if not page.matches:
                raise Refused(ErrorCode.NO_SUCH_PLAYER, f"nobody called {request.name} has played a match to its end")
        connection.send(replace(page, id=request.id))

    async def record(self, connection: Connection, request: m.Record) -> None:
        """The record of a match so far."""
        most = self._core.limits.record_page
        session = await self._core.registry.current(request.match)
        if session is not None:
            if await is_hidden(self._tables, session.record, connection.player.id):
                raise Refused(ErrorCode.NO_SUCH_MATCH, f"there is no match {request.match}")
            await self.check_may_look_back(connection, session.record, request.code)
            entries = await self._core.journal.read(request.match, request.after, most)
            if entries or request.after >= session.seq:
                await self._send(connection, _page(request, session.record, entries, most), session.record)
                return
        archived = await self._archived(request.match)
        past = await replay(request.match, archived)
        await self.check_may_look_back(connection, past, request.code)
        part = archived[request.after : request.after + most]
        entries = list(enumerate(map(decode_entry, part), request.after + 1))
        await self._send(connection, _page(request, past, entries, most), past)

    async def dice(self, connection: Connection, request: m.Dice) -> None:
        """Send the statistics of the dice of all archived matches."""
        archive = self._archive
        if archive is None:
            raise Refused(
                ErrorCode.NO_ARCHIVE, "this server keeps no matches that are over, and does not count their dice"
            )
        connection.send(replace(archive.rolls.sums, id=request.id))

    async def _archived(self, match: str) -> list[bytes]:
        """The journal of a match that has left the store. Raises: Refused."""
        archive = self._archive
        journal = None if archive is None else await archive.journal(match)
        if journal is None:
            raise Refused(ErrorCode.NO_SUCH_MATCH, f"there is no match {match}")
        return journal

    async def check_may_look_back(self, connection: Connection, record: Record, code: str) -> None:
        """Raises: Refused as for spectators; but the archive knows a merged account's matches as this player's own."""
        try:
            check_may_watch(connection, record, code)
        except Refused:
            archive = self._archive
            if archive is None or not await archive.players.is_seated(record.id, connection.player.id):
                raise

    async def _send(self, connection: Connection, page: m.Recorded, record: Record) -> None:
        """With the first page goes what is known of the players, and how well they played."""
        if page.view:
            ids = [player.id if player else "" for player in record.players]
            white, black = await self._reveals.of(*ids)
            page = replace(page, unrevealed=(white, black))
        if page.view and record.over:
            with contextlib.suppress(ArchiveUnavailable):
                if (archive := self._archive) and (judged := await archive.judgement(record.id)):
                    page = replace(page, analysis=judged[0], findings=list(judged[1]))
                else:
                    page = replace(page, judging=self._core.options.analysis)
        connection.send(page)


def _page(request: m.Record, record: Record, entries: list[tuple[int, Entry]], most: int) -> m.Recorded:
    seq = entries[-1][0] if entries else request.after
    return m.Recorded(
        id=request.id,
        match=request.match,
        epoch=record.epoch,
        seq=seq,
        view={} if request.after else fields(view_of(record)),
        events=[event for number, entry in entries for event in event_rows(number, entry)],
        next=seq if len(entries) == most else None,
    )


PAGES = Rate(2.0, 40.0, "pages", lambda asked, _: asked.player.id or asked.address, "you look back too fast")
