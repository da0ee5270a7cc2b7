"""Reports: what players tell the moderators of each other. Open until a moderator closes them; closed ones are kept."""

from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import NamedTuple

import msgspec
from msgspec.structs import replace
from tavla_protocol.codes import ErrorCode
from tavla_protocol.messages import Complaint

from tavla_server.errors import Refused
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

Wanted = Callable[[Complaint], bool]


class Row(NamedTuple):
    """The row of an open report. id: of its entry. block: a digest of the reporter's network; "" = unknown."""

    id: str
    complaint: Complaint
    block: str


class ReportsPage(NamedTuple):
    """Reports by id, the newest first. next: where the page after this one begins; None = this is the last."""

    rows: dict[str, Complaint]
    next: str | None


class Reports:
    """The streams `keys.MODERATION_REPORTS`, of open reports, and `keys.MODERATION_CLOSED`: an id is an entry's.

    All raise StoreUnavailable.
    """

    def __init__(self, redis: Client, limits: Limits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._redis = redis
        self._file, self._close = redis.script("file_report"), redis.script("close_report")

    async def add(self, complaint: Complaint, address: str) -> None:
        """File a report. One about the same player takes the place of the reporter's open one, and keeps its words.

        address: the reporter's, as limits count it. Raises: Refused for too many of one network.
        """
        while not await self._try_to_add(complaint, network_of(address)):
            pass

    async def _try_to_add(self, complaint: Complaint, block: str) -> bool:
        """File a report; False if another one came first, which may have been the last of its network."""
        rows = await self._open()
        same = next((row for row in rows if _pair(row.complaint) == _pair(complaint)), None)
        if same is None:
            if block and sum(row.block == block for row in rows) >= SHARE:
                few = f"{SHARE} reports from your network wait already: a moderator looks at them first"
                raise Refused(ErrorCode.TOO_MANY, few)
            if len(rows) >= self._limits.open_reports:
                await self._make_room(rows, complaint.time)
        newest = rows[0].id if rows else ""
        args: list[str | bytes] = [
            newest,
            msgspec.msgpack.encode(_joined(same, complaint)),
            block,
            "" if same is None else same.id,
        ]
        return bool(await self._file(keys=[keys.MODERATION_REPORTS()], args=args))

    async def page(self, wanted: Wanted, after: str | None = None, closed: bool = False) -> ReportsPage:
        """A page of those that are wanted. after: `next` of the page before."""
        key = keys.MODERATION_CLOSED() if closed else keys.MODERATION_REPORTS()
        found: dict[str, Complaint] = {}
        looked_at, last = 0, ""
        async for row in self._walk(key, f"({after}" if after else "+"):
            if len(found) == self._limits.report_page or looked_at == LOOKED_AT:
                return ReportsPage(found, last)
            looked_at, last = looked_at + 1, row.id
            if wanted(row.complaint):
                found[row.id] = row.complaint
        return ReportsPage(found, None)

    async def find(self, report: str) -> Complaint | None:
        """An open report."""
        rows = await self._redis.entries(keys.MODERATION_REPORTS(), report, report)
        return _row(*rows[0]).complaint if rows else None

    async def about(self, name: str) -> int:
        """The number of open reports about a player."""
        return sum(row.complaint.about.lower() == name.lower() for row in await self._open())

    async def has_reported(self, by: str, about: str) -> bool:
        """True if a player has lately reported another one, by name."""
        pair = by.lower(), about.lower()
        pages = [await self.page(lambda complaint: _pair(complaint) == pair, closed=closed) for closed in (False, True)]
        return any(page.rows for page in pages)

    async def close(self, report: str, complaint: Complaint, by: str, why: str, time_ms: int) -> bool:
        """Keep an open report as closed; False if it is open no longer. why: the moderator's words."""
        closed = replace(complaint, closed_by=by, closed_why=why, closed=time_ms)
        streams = [keys.MODERATION_REPORTS(), keys.MODERATION_CLOSED()]
        return bool(await self._close(keys=streams, args=[report, msgspec.msgpack.encode(closed), CLOSED_LIMIT]))

    async def _make_room(self, rows: list[Row], time_ms: int) -> None:
        """Close the oldest of the network that has the most open."""
        ((block, _),) = Counter(row.block for row in rows).most_common(1)
        oldest = [row for row in rows if row.block == block][-1]
        why = f"no room: {self._limits.open_reports} reports were open, and the most from this network"
        await self.close(oldest.id, oldest.complaint, HOUSE, why, time_ms)

    async def _open(self) -> list[Row]:
        return [row async for row in self._walk(keys.MODERATION_REPORTS(), "+")]

    async def _walk(self, key: str, before: str) -> AsyncIterator[Row]:
        """The entries of a stream, the newest first."""
        while True:
            rows = await self._redis.newest(key, CHUNK, before)
            for id_, fields in rows:
                yield _row(id_, fields)
            if len(rows) < CHUNK:
                return
            before = f"({text(rows[-1][0])}"


def _row(id_: bytes, fields: dict[bytes, bytes]) -> Row:
    complaint = msgspec.msgpack.decode(fields[b"r"], type=Complaint)
    return Row(text(id_), complaint, fields.get(b"b", b"").decode())


def _pair(complaint: Complaint) -> tuple[str, str]:
    return complaint.by.lower(), complaint.about.lower()


def _joined(same: Row | None, complaint: Complaint) -> Complaint:
    """A report with the words and lines of the one that it takes the place of."""
    if same is None:
        return complaint
    before = same.complaint
    reasons = [*before.earlier, before.reason][-EARLIER:]
    lines = [line for line in before.lines if line not in complaint.lines] + complaint.lines
    return replace(complaint, earlier=reasons, lines=lines[-LINES:], match=complaint.match or before.match)
