"""`tavla-server admin`: what operators can do, who are those that can open the store. Nodes hear of it by the feed."""

import asyncio
import contextlib
import getpass
import socket
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any

from tavla_engine.actions import Seat
from tavla_protocol.messages import Complaint, Verdict

from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import PEOPLE, SEEKERS, TABLES, Feed
from tavla_server.errors import Refused, StartError, StoreUnavailable
from tavla_server.gateway.text_filter import clean
from tavla_server.lobby import presence, seekers, tables
from tavla_server.lobby.table_names import TableNames
from tavla_server.match.journal import Journal
from tavla_server.match.lifecycle import ruled
from tavla_server.moderation.audit import Audit
from tavla_server.moderation.ledger import Ledger
from tavla_server.moderation.orders import Drain, Kick, Rule, Tell
from tavla_server.moderation.penalties import Penalty, until_text
from tavla_server.moderation.powers import Actor, Powers
from tavla_server.moderation.reports import Reports
from tavla_server.options import Options, running_store
from tavla_server.player import Player
from tavla_server.players.account_merges import AccountMerges
from tavla_server.players.accounts import Accounts
from tavla_server.players.passwords import Passwords
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Ruled
from tavla_server.record.state import Record
from tavla_server.store import keys
from tavla_server.store.client import Client, connected, text
from tavla_server.store.router import Router
from tavla_server.store.topology import Topology, find_topology
from tavla_server.timings import DEFAULTS

LOOK_S = 0.05  # between two looks at a journal
RULED_S = 10.0  # a node has carried it out by then, or none will


class Administrator:
    """An operator at the store. All raise Refused and StoreUnavailable, and give lines to print."""

    def __init__(self, redis: Client, topology: Topology, passwords: Passwords) -> None:
        self.by = Actor(f"operator {clean(getpass.getuser())}@{clean(socket.gethostname())}")
        self._redis, self._topology, self._clock = redis, topology, Clock()
        self.accounts = Accounts(redis, self._clock, passwords)
        self._feed, self._audit = Feed(redis, topology), Audit(redis)
        self._ledger = Ledger(self._feed, self._clock)
        self._mergers = AccountMerges(redis, self.accounts, None)
        self._reports = Reports(redis)
        self.powers = Powers(self.accounts, self._ledger, self._audit, self._reports, self._clock)

    async def open(self) -> None:
        """Learn what the store's clock shows."""
        await self._clock.follow(self._store_ms)

    async def _store_ms(self) -> int:
        seconds, micros = await self._redis.time()
        return 1000 * int(seconds) + int(micros) // 1000

    # --- what there is ---

    async def listed(self, what: str) -> list[str]:
        """The rows of one of the lists."""
        match what:
            case "nodes":
                return await self._nodes()
            case "people":
                people = await self._people()
                return sorted(f"{name}  {kind}  at {', '.join(nodes)}" for name, (kind, nodes) in people.items())
            case "matches":
                notes = await self._notes()
                return [_match_line(match, note) for match, note in notes.items() if note.table is not None]
            case "penalties":
                return [penalty_line(penalty) for penalty in (await self._ledger.read())[0]]
            case "moderators":
                found = [await self.accounts.player(id_) for id_ in (await self._ledger.read())[1]]
                return sorted(player.name for player in found if player is not None)
        return await self._report_lines(what == "closed-reports")

    async def _report_lines(self, closed: bool) -> list[str]:
        lines: list[str] = []
        page = await self._reports.page(lambda _: True, closed=closed)
        while True:
            lines += [line for id_, report in page.rows.items() for line in report_lines(id_, report)]
            if page.next is None:
                return lines
            page = await self._reports.page(lambda _: True, page.next, closed)

    async def inspect(self, name: str) -> list[str]:
        """The facts known of a player."""
        player = await self.accounts.named(name)
        penalties, moderators = await self._ledger.read()
        _, nodes = (await self._people()).get(player.name, ("", []))
        rating = "" if player.rating is None else f", rating {player.rating:.2f}, experience {player.experience}"
        role = ", moderator" if player.id in moderators else ""
        matches = [(match, note) for match, note in (await self._notes()).items() if player.id in note.players]
        names = await self.accounts.names_of(player.id)
        return [
            f"{player.name} ({player.kind} {player.id}{rating}{role})",
            *(f"was {name} ({id_}), too" for id_, name in names.items()),
            f"online at {', '.join(nodes)}" if nodes else "not online",
            *(_match_line(match, note) for match, note in matches if note.table is not None),
            *(penalty_line(known) for known in penalties if known.is_of(player.name)),
            f"{await self._reports.about(player.name)} reports wait",
        ]

    async def audit(self, count: int) -> list[str]:
        """The last uses of a power."""
        return [str(use) for use in await self._audit.last(count)]

    async def _nodes(self) -> list[str]:
        at = Counter(node for _, nodes in (await self._people()).values() for node in nodes)
        return [f"{node}  {at[node]} people" for node in sorted(await self._living())]

    async def _living(self) -> set[str]:
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

    async def _notes(self) -> dict[str, tables.Note]:
        return {match: tables.unpack(row) for match, row in (await self._feed.fetch_all(TABLES)).items()}

    # --- what nodes are asked to do ---

    async def check_served(self) -> None:
        """Raises: Refused when there is no server to do anything."""
        if not await self._living():
            raise Refused("unavailable", "no server runs on this store: start one first")

    async def broadcast(self, said: str) -> None:
        """Send a line to all connected clients."""
        await self.check_served()
        await self.powers.order(self.by, "broadcast", "", said, Tell((), said))

    async def drain(self, node: str, why: str) -> None:
        """Have a node give its clients to the others."""
        living = await self._living()
        if node not in living:
            raise Refused("no_such_node", f"there is no node {node}: see tavla-server admin list nodes")
        if len(living) == 1:
            raise Refused("no_such_node", f"{node} is the only node: start another one, to which clients can go")
        await self.powers.order(self.by, "drain", node, why, Drain(node))

    # --- players that are one ---

    async def merge(self, name: str, into_name: str, why: str) -> str:
        """A player becomes an account, which has its matches, its experience and its name from now on; a line of it."""
        unfinished = await self._mergers.finish_started()
        into = await self.accounts.find(into_name)
        if into is None or into.rating is None:
            raise Refused("account_needed", f"{into_name} has no account: only an account can be another player, too")
        old = await self.accounts.named(name)
        if old.id == into.id:
            return f"{name} is {into.name} already"
        if old.id in unfinished:
            raise Refused("unavailable", f"a server has yet to archive what {old.name} got: try again in a few seconds")
        await self._check_idle(old, into)
        await self._audit.note(self.by.name, "merge", f"{old.name} into {into.name}", why)
        await self._ledger.appoint(old.id, on=False)
        await self._mergers.merge(old, into)
        await self._ledger.order(Kick(old.id, f"your account has become {into.name}: log in by that name"))
        return f"{old.name} is {into.name} now"

    async def _check_idle(self, old: Player, into: Player) -> None:
        """Raises: Refused while one of the two is at something, or when one has changed the other's rating."""
        notes, waiting = await self._notes(), await self._feed.fetch_all(SEEKERS)
        sought = {seekers.unpack(row)[1].name for row in waiting.values()}
        for player in (old, into):
            at = next((match for match, note in notes.items() if player.id in note.players), None)
            if at is not None:
                raise Refused("seated", f"{player.name} sits at match {at}: let it end, or void or adjudicate it first")
            if player.name in sought:
                raise Refused("waiting", f"{player.name} looks for an opponent: try again later, or kick {player.name}")
        if matches := await self._mergers.rated_together(old, into):
            raise Refused(
                "rated", f"the two have played rated matches with each other: void {', '.join(matches)} first"
            )

    # --- matches ---

    async def rule(self, table: str, verdict: str, why: str) -> str:
        """Void a match, or end it for `white`, `black` or a player's name; how it stands then, in a line."""
        await self.check_served()
        match, record = await self._read(table)
        verdict_ = _verdict(record, verdict)
        events, _ = ruled(verdict_, self.by.name, why)(record, MatchDice())
        if events:
            order = Rule(match, verdict_, self.by.name, why)
            await self.powers.order(self.by, "adjudicate", f"{match} {verdict_}", why, order)
            await self._until_ruled(match)
        return f"match {match}: {verdict_}" + ("" if events else ", as it was already")

    async def _read(self, table: str) -> tuple[str, Record]:
        """A match that the store has, by its id or the name of its table."""
        for match in filter(None, (table, await TableNames(self._redis).find(table))):
            seq, record, _ = await self._journal.replay(match)
            if seq:
                return match, record
        raise Refused(
            "no_such_match", f"the store has no match {table}: one that has left it for the archive stays as it is"
        )

    async def _until_ruled(self, match: str) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(RULED_S):
                while True:
                    last = await self._journal.tail(match, 1)
                    if any(isinstance(event, Ruled) for entry in last for event in entry.events):
                        return
                    await asyncio.sleep(LOOK_S)
        raise Refused("unavailable", f"no server has carried it out within {RULED_S:.0f} s: see its log, and try again")

    @property
    def _journal(self) -> Journal:
        return Journal(self._redis, Router(self._topology, []), "")


@contextlib.asynccontextmanager
async def administrator(options: Options) -> AsyncIterator[Administrator]:
    """An operator at the store that the options name.

    Raises: StartError, with what is wrong, for all that fails meanwhile.
    """
    passwords = Passwords()
    try:
        async with running_store(options.redis, options.data) as url, connected(url) as redis:
            found = Administrator(redis, await find_topology(url), passwords)
            await found.open()
            yield found
    except Refused as refused:
        raise StartError(str(refused)) from None
    except (StoreUnavailable, ValueError) as error:
        raise StartError(f"the store cannot be used: {error}") from None
    finally:
        passwords.close()


def penalty_line(penalty: Penalty) -> str:
    """A penalty in words: player, kind, end, reason, moderator."""
    whom = penalty.whom if penalty.whom == penalty.shown.lower() else f"{penalty.whom} (with {penalty.shown})"
    return f"{penalty.what}  {whom}  {until_text(penalty.until_ms)}  {penalty.why}  (by {penalty.by})"


def report_lines(id_: str, report: Complaint) -> Iterator[str]:
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


def _verdict(record: Record, verdict: str) -> Verdict:
    if verdict == "void":
        return "void"
    sides: dict[Seat, Verdict] = {0: "white", 1: "black"}
    for seat, side in sides.items():
        player = record.players[seat]
        if verdict.lower() in (side, "" if player is None else player.name.lower()):
            return side
    raise Refused("no_such_player", f"{verdict} does not play this match: say white, black or a player's name")
