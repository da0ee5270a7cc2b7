"""Reports: what players tell the moderators of each other. Open until a moderator closes them; closed ones are kept."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from typing import NamedTuple

import msgspec
from msgspec.structs import replace
from tavla_protocol.codes import ErrorCode
from tavla_protocol.messages import Complaint

from tavla_server.errors import Refused
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.gateway.client_address import network_of
from tavla_server.limits import DEFAULT_LIMITS, Limits
from tavla_server.store import keys
from tavla_server.store.client import Client, text

SHARE = 10  # open reports of one network: what floods from there hides nothing
CHUNK = 200  # of a stream in one reply of the store
LOOKED_AT = 2000  # for one page of closed reports: the next page goes on behind them
EARLIER = 4  # reasons that are kept of a report that its reporter has sent again
LINES = 20  # of what was said, likewise
CLOSED_LIMIT = 10_000  # reports; the store cuts a stream in pieces of 100
HOUSE = "server"  # by whom a report is closed for want of room: no player may be called so


class Report(NamedTuple):
    """A report as it is kept. It stays with its two players, whatever they are called later.

    id: of its entry. complaint: with the names of then. by, about: the players' ids. block: a digest of the reporter's
    network; "" = unknown.
    """

    id: str
    complaint: Complaint
    by: str
    about: str
    block: str


Wanted = Callable[[Report], bool]


class ReportsPage(NamedTuple):
    """Reports by id, the newest first. next: where the page after this one begins; None = this is the last."""

    rows: dict[str, Report]
    next: str | None


class Reports:
    """The streams `keys.MODERATION_REPORTS`, of open reports, and `keys.MODERATION_CLOSED`: an id is an entry's.

    All raise StoreUnavailable.
    """

    def __init__(self, redis: Client, limits: Limits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._redis = redis
        self._file, self._close = redis.script("file_report"), redis.script("close_report")

    async def add(self, complaint: Complaint, by: str, about: str, address: str) -> None:
        """File a report. One about the same player takes the place of the reporter's open one, and keeps its words.

        by, about: the players' ids. address: the reporter's, as limits count it.
        Raises: Refused for too many of one network.
        """
        while not await self._try_to_add(Report("", complaint, by, about, network_of(address))):
            pass

    async def _try_to_add(self, report: Report) -> bool:
        """File a report; False if another one came first, which may have been the last of its network."""
        rows, block = await self._open(), report.block
        same = next((row for row in rows if (row.by, row.about) == (report.by, report.about)), None)
        if same is None:
            if block and sum(row.block == block for row in rows) >= SHARE:
                few = f"{SHARE} reports from your network wait already: a moderator looks at them first"
                raise Refused(ErrorCode.TOO_MANY, few)
            if len(rows) >= self._limits.open_reports:
                await self._make_room(rows, report.complaint.time)
        newest, replaced = rows[0].id if rows else "", "" if same is None else same.id
        kept = msgspec.msgpack.encode(_joined(same, report.complaint))
        args: list[str | bytes] = [newest, kept, _pair_of(report), block, replaced]
        return bool(await self._file(keys=[keys.MODERATION_REPORTS()], args=args))

    async def page(self, wanted: Wanted, after: str | None = None, closed: bool = False) -> ReportsPage:
        """A page of those that are wanted. after: `next` of the page before."""
        key = keys.MODERATION_CLOSED() if closed else keys.MODERATION_REPORTS()
        found: dict[str, Report] = {}
        looked_at, last = 0, ""
        async for row in self._walk(key, f"({after}" if after else "+"):
            if len(found) == self._limits.report_page or looked_at == LOOKED_AT:
                return ReportsPage(found, last)
            looked_at, last = looked_at + 1, row.id
            if wanted(row):
                found[row.id] = row
        return ReportsPage(found, None)

    async def find(self, report: str) -> Report | None:
        """An open report."""
        rows = await self._redis.entries(keys.MODERATION_REPORTS(), report, report)
        return _report(*rows[0]) if rows else None

    async def about(self, player: Collection[str]) -> int:
        """The number of open reports about a player. player: all ids under which it is known."""
        return sum(row.about in player for row in await self._open())

    async def has_reported(self, by: Collection[str], about: Collection[str]) -> bool:
        """True if a player has lately reported another one. by, about: all ids under which each is known."""
        pages = [await self.page(lambda row: row.by in by and row.about in about, closed=is_) for is_ in (False, True)]
        return any(page.rows for page in pages)

    async def close(self, report: Report, by: str, why: str, time_ms: int) -> bool:
        """Keep an open report as closed; False if it is open no longer. why: the moderator's words."""
        closed = replace(report.complaint, closed_by=by, closed_why=why, closed=time_ms)
        streams = [keys.MODERATION_REPORTS(), keys.MODERATION_CLOSED()]
        args: list[str | bytes | int] = [report.id, msgspec.msgpack.encode(closed), _pair_of(report), CLOSED_LIMIT]
        return bool(await self._close(keys=streams, args=args))

    async def _make_room(self, rows: list[Report], time_ms: int) -> None:
        """Close the oldest of the network that has the most open."""
        ((block, _),) = Counter(row.block for row in rows).most_common(1)
        oldest = [row for row in rows if row.block == block][-1]
        why = f"no room: {self._limits.open_reports} reports were open, and the most from this network"
        await self.close(oldest, HOUSE, why, time_ms)

    async def _open(self) -> list[Report]:
        return [row async for row in self._walk(keys.MODERATION_REPORTS(), "+")]

    async def _walk(self, key: str, before: str) -> AsyncIterator[Report]:
        """The entries of a stream, the newest first."""
        while True:
            rows = await self._redis.newest(key, CHUNK, before)
            for id_, fields in rows:
                yield _report(id_, fields)
            if len(rows) < CHUNK:
                return
            before = f"({text(rows[-1][0])}"


async def complaints_of(rows: Mapping[str, Report], accounts: Accounts) -> dict[str, Complaint]:
    """The complaints as moderators read them: with the names that the players have now, or had when they went."""
    ids = {id_ for row in rows.values() for id_ in (row.by, row.about)}
    players = dict(zip(ids, await asyncio.gather(*map(accounts.heirs.of, ids)), strict=True))

    def called(id_: str, before: str) -> str:
        player = players[id_]
        return before if player is None else player.name

    return {
        id_: replace(row.complaint, by=called(row.by, row.complaint.by), about=called(row.about, row.complaint.about))
        for id_, row in rows.items()
    }


def _report(id_: bytes, fields: dict[bytes, bytes]) -> Report:
    by, _, about = fields.get(b"p", b"").decode().partition(" ")
    complaint = msgspec.msgpack.decode(fields[b"r"], type=Complaint)
    return Report(text(id_), complaint, by, about, fields.get(b"b", b"").decode())


def _pair_of(report: Report) -> str:
    return f"{report.by} {report.about}"


def _joined(same: Report | None, complaint: Complaint) -> Complaint:
    """A report with the words and lines of the one that it takes the place of."""
    if same is None:
        return complaint
    before = same.complaint
    reasons = [*before.earlier, before.reason][-EARLIER:]
    lines = [line for line in before.lines if line not in complaint.lines] + complaint.lines
    return replace(complaint, earlier=reasons, lines=lines[-LINES:], match=complaint.match or before.match)
