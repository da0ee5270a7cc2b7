"""Contents of the store, for operators: nodes, people, matches, penalties, reports and the audit, in lines."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from tavla_protocol.messages import Complaint, Tournament

from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import PEOPLE, TABLES, TOURNAMENTS, Feed
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.lists.listings import unpack_row
from tavla_server.features.moderation.reports import Reports
from tavla_server.features.sanctions.audit import Audit
from tavla_server.features.sanctions.ledger import Ledger
from tavla_server.features.sanctions.penalties import Penalty, until_text
from tavla_server.features.tables import tables
from tavla_server.gateway import presence
from tavla_server.store import keys
from tavla_server.store.client import Client, text
from tavla_server.timings import DEFAULTS


class Overview:
    """An overview: lists that an operator may look at. All raise Refused and StoreUnavailable."""

    def __init__(
        self,
        redis: Client,
        clock: Clock,
        feed: Feed,
        accounts: Accounts,
        ledger: Ledger,
        audit: Audit,
        reports: Reports,
    ) -> None:
        self._redis, self._clock, self._feed = redis, clock, feed
        self._accounts, self._ledger, self._audit, self._reports = accounts, ledger, audit, reports

    async def list_lines(self, what: str) -> list[str]:
        """The rows of one of the lists."""
        match what:
            case "nodes":
                return await self._nodes()
            case "people":
                people = await self._people()
                return sorted(f"{name}  {kind}  at {', '.join(nodes)}" for name, (kind, nodes) in people.items())
            case "matches":
                notes = await self.notes()
                return [_match_line(match, note) for match, note in notes.items() if note.table is not None]
            case "tournaments":
                rows = await self._feed.fetch_all(TOURNAMENTS)
                return sorted(_tournament_line(id_, unpack_row(row).shown) for id_, row in rows.items())
            case "penalties":
                return [_penalty_line(penalty) for penalty in (await self._ledger.read())[0]]
            case "moderators":
                found = [await self._accounts.player(id_) for id_ in (await self._ledger.read())[1]]
                return sorted(player.name for player in found if player is not None)
        return await self._report_lines(what == "closed-reports")

    async def _report_lines(self, closed: bool) -> list[str]:
        lines: list[str] = []
        page = await self._reports.page(lambda _: True, closed=closed)
        while True:
            lines += [line for id_, report in page.rows.items() for line in _told(id_, report)]
            if page.next is None:
                return lines
            page = await self._reports.page(lambda _: True, page.next, closed)

    async def inspect(self, name: str) -> list[str]:
        """The facts known of a player."""
        player = await self._accounts.player_of_name(name)
        penalties, moderators = await self._ledger.read()
        _, nodes = (await self._people()).get(player.name, ("", []))
        rating = "" if player.rating is None else f", rating {player.rating:.2f}, experience {player.experience}"
        role = ", moderator" if player.id in moderators else ""
        matches = [(match, note) for match, note in (await self.notes()).items() if player.id in note.players]
        names = await self._accounts.names_of(player.id)
        return [
            f"{player.name} ({player.kind} {player.id}{rating}{role})",
            *(f"was {name} ({id_}), too" for id_, name in names.items()),
            f"online at {', '.join(nodes)}" if nodes else "not online",
            *(_match_line(match, note) for match, note in matches if note.table is not None),
            *(_penalty_line(known) for known in penalties if known.is_of(player.name)),
            f"{await self._reports.about(player.name)} reports wait",
        ]

    async def audit(self, count: int) -> list[str]:
        """The last uses of a power."""
        return [str(use) for use in await self._audit.last(count)]

    async def _nodes(self) -> list[str]:
        at = Counter(node for _, nodes in (await self._people()).values() for node in nodes)
        return [f"{node}  {at[node]} people" for node in sorted(await self.living())]

    async def living(self) -> set[str]:
        """The nodes with a heartbeat."""
        beats: Any = await self._redis.zrange(keys.ALIVE_NODES(), 0, -1, withscores=True)
        now = self._clock.now_ms()
        return {text(node) for node, ms in beats if now - ms < DEFAULTS.dead_ms}

    async def _people(self) -> dict[str, tuple[str, list[str]]]:
        """Kind and nodes of all players online, by name."""
        found: dict[str, tuple[str, list[str]]] = {}
        for key, row in (await self._feed.fetch_all(PEOPLE)).items():
            name, person = presence.unpack(row)
            found.setdefault(name, (person.kind, []))[1].append(presence.node_of(key))
        return found

    async def notes(self) -> dict[str, tables.Note]:
        """The rows of tables and matches, by match."""
        return {match: tables.unpack(row) for match, row in (await self._feed.fetch_all(TABLES)).items()}


def _penalty_line(penalty: Penalty) -> str:
    """A penalty in words: player, kind, end, reason, moderator."""
    whom = penalty.whom if penalty.whom == penalty.shown.lower() else f"{penalty.whom} (with {penalty.shown})"
    return f"{penalty.what}  {whom}  {until_text(penalty.until_ms)}  {penalty.why}  (by {penalty.by})"


def _told(id_: str, report: Complaint) -> Iterator[str]:
    """A report, and below it earlier reasons, what was said, and who has closed it."""
    time = datetime.fromtimestamp(report.time / 1000, UTC)
    where = f" in match {report.match}" if report.match else ""
    yield f"{id_}  {time:%Y-%m-%d %H:%M}  {report.by} reports {report.about}{where}: {report.reason}"
    for reason in report.earlier:
        yield f"    earlier: {reason}"
    for name, said in report.lines:
        yield f"    {name}: {said}"
    if report.closed:
        time = datetime.fromtimestamp(report.closed / 1000, UTC)
        yield f"    closed {time:%Y-%m-%d %H:%M} by {report.closed_by}: {report.closed_why}"


def _match_line(match: str, note: tables.Note) -> str:
    assert note.table is not None, "it has begun"
    white, black = (name or "?" for name in note.table.players)
    return f"{match}  {note.table.name}  {white} - {black}  {note.table.score[0]}-{note.table.score[1]}"


def _tournament_line(id_: str, shown: Tournament) -> str:
    kind = "private" if shown.private else "public"
    return f"{id_}  {kind}  {'over' if shown.over else 'not over'}  {shown.name}  by {shown.by}"
