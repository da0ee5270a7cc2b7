"""Contents of the store, for operators: nodes, people, matches, penalties, reports and the audit, in lines."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec
from tavla_protocol.messages import Complaint, Table, Tournament

from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import PEOPLE, TABLES, TOURNAMENTS, Feed
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.lists.listings import unpack_row
from tavla_server.features.moderation.reports import Reports, complaints_of
from tavla_server.features.sanctions.audit import Audit
from tavla_server.features.sanctions.ledger import Ledger
from tavla_server.features.sanctions.penalties import Penalty, until_text
from tavla_server.features.tables import tables
from tavla_server.gateway import presence
from tavla_server.store import keys
from tavla_server.store.client import Client, text
from tavla_server.timings import DEFAULTS


class Listing(NamedTuple):
    """A listing for operators. key: what an object calls the id of a row. line: the lines of a row, for people."""

    key: str
    rows: Mapping[str, Any]
    line: Callable[[str, Any], Iterable[str]]

    def lines(self, as_json: bool) -> list[str]:
        """The rows as lines; or each as an object of JSON, on a line of its own."""
        if as_json:
            return [json.dumps({self.key: id_, **_fields(row)}) for id_, row in self.rows.items()]
        return [line for id_, row in self.rows.items() for line in self.line(id_, row)]


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

    async def listing(self, what: str) -> Listing:
        """Look one of the lists up."""
        match what:
            case "nodes":
                return Listing("node", await self._nodes(), _node_line)
            case "people":
                return Listing("name", dict(sorted((await self._people()).items())), _person_line)
            case "matches":
                notes = await self.notes()
                begun = {match: note.table for match, note in notes.items() if note.table is not None}
                return Listing("match", begun, _match_line)
            case "tournaments":
                rows = await self._feed.fetch_all(TOURNAMENTS)
                shown = {id_: unpack_row(row).shown for id_, row in sorted(rows.items())}
                return Listing("tournament", shown, _tournament_line)
            case "penalties":
                penalties = {penalty.key: penalty for penalty in (await self._ledger.read())[0]}
                return Listing("penalty", penalties, lambda _, penalty: [_penalty_line(penalty)])
            case "moderators":
                found = [await self._accounts.player(id_) for id_ in (await self._ledger.read())[1]]
                names = sorted(player.name for player in found if player is not None)
                return Listing("name", {name: {} for name in names}, lambda name, _: [name])
        return Listing("report", await self._report_rows(what == "closed-reports"), _told)

    async def _report_rows(self, closed: bool) -> dict[str, Complaint]:
        page = await self._reports.page(lambda _: True, closed=closed)
        rows = dict(page.rows)
        while page.next is not None:
            page = await self._reports.page(lambda _: True, page.next, closed)
            rows |= page.rows
        return await complaints_of(rows, self._accounts)

    async def inspect(self, name: str) -> list[str]:
        """The facts known of a player."""
        player = await self._accounts.player_of_name(name)
        penalties, moderators = await self._ledger.read()
        nodes = (await self._people()).get(player.name, {"nodes": []})["nodes"]
        rating = "" if player.rating is None else f", rating {player.rating:.2f}, experience {player.experience}"
        role = ", moderator" if player.id in moderators else ""
        matches = [(match, note) for match, note in (await self.notes()).items() if player.id in note.players]
        names = await self._accounts.heirs.names_of(player.id)
        return [
            f"{player.name} ({player.kind} {player.id}{rating}{role})",
            *(f"was {name} ({id_}), too" for id_, name in names.items()),
            f"online at {', '.join(nodes)}" if nodes else "not online",
            *(line for match, note in matches if note.table is not None for line in _match_line(match, note.table)),
            *(_penalty_line(known) for known in penalties if known.is_of(player.name)),
            f"{await self._reports.about({player.id, *names})} reports wait",
        ]

    async def audit(self, count: int, as_json: bool = False) -> list[str]:
        """The last uses of a power, in lines or as objects of JSON."""
        uses = await self._audit.last(count)
        return [json.dumps(use._asdict()) if as_json else str(use) for use in uses]

    async def _nodes(self) -> dict[str, dict[str, int]]:
        at = Counter(node for person in (await self._people()).values() for node in person["nodes"])
        return {node: {"people": at[node]} for node in sorted(await self.living())}

    async def living(self) -> set[str]:
        """The nodes with a heartbeat."""
        beats: Any = await self._redis.zrange(keys.ALIVE_NODES(), 0, -1, withscores=True)
        now = self._clock.now_ms()
        return {text(node) for node, ms in beats if now - ms < DEFAULTS.dead_ms}

    async def _people(self) -> dict[str, Any]:
        """All players online, by name: kind, and nodes."""
        found: dict[str, Any] = {}
        for key, row in (await self._feed.fetch_all(PEOPLE)).items():
            name, person = presence.unpack(row)
            found.setdefault(name, {"kind": person.kind, "nodes": []})["nodes"].append(presence.node_of(key))
        return found

    async def notes(self) -> dict[str, tables.Note]:
        """The rows of tables and matches, by match."""
        return {match: tables.unpack(row) for match, row in (await self._feed.fetch_all(TABLES)).items()}


def _fields(row: Any) -> dict[str, Any]:
    """A row for programs, by the names of its fields, of those that are stored as an array, too."""
    if isinstance(row, msgspec.Struct) and row.__struct_config__.array_like:
        return msgspec.structs.asdict(row)
    return dict(msgspec.to_builtins(row))


def _node_line(node: str, row: Any) -> Iterator[str]:
    yield f"{node}  {row['people']} people"


def _person_line(name: str, row: Any) -> Iterator[str]:
    yield f"{name}  {row['kind']}  at {', '.join(row['nodes'])}"


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


def _match_line(match: str, table: Table) -> Iterator[str]:
    white, black = (name or "?" for name in table.players)
    yield f"{match}  {table.name}  {white} - {black}  {table.score[0]}-{table.score[1]}"


def _tournament_line(id_: str, shown: Tournament) -> Iterator[str]:
    kind = "private" if shown.private else "public"
    yield f"{id_}  {kind}  {'over' if shown.over else 'not over'}  {shown.name}  by {shown.by}"
