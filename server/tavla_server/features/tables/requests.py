"""Requests of tables: opened, joined, followed, left, cancelled."""

import asyncio

from tavla_engine.rules import Rules
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.feature import Feature
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.lists.listings import Listings
from tavla_server.features.sanctions.sanctions import Sanctions
from tavla_server.features.tables.abandoned_tables import AbandonedTables
from tavla_server.features.tables.arrival import arrive
from tavla_server.features.tables.notifier import Notifier
from tavla_server.features.tables.table_lists import add_table_lists
from tavla_server.features.tables.tables import Tables
from tavla_server.features.tables.terms import check_code, check_opponent, check_public, read_rules, seat_for, terms_of
from tavla_server.gateway import costs
from tavla_server.gateway.client_address import network_of
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core
from tavla_server.gateway.places import Share
from tavla_server.gateway.routes import Route, by_player
from tavla_server.limits import Limits
from tavla_server.match import ids as match_ids
from tavla_server.match.audience import Wants
from tavla_server.match.fork import KnownSeeds
from tavla_server.match.history import Have
from tavla_server.match.lifecycle import bring_seeds, cancellation, joining, opening, sitting, submit_and_wait
from tavla_server.match.registry import Registry
from tavla_server.match.session import Session
from tavla_server.player import Player
from tavla_server.record.events import Terms
from tavla_server.record.state import Record
from tavla_server.sweeps import Sweep
from tavla_server.telemetry.metrics import MATCHES
from tavla_server.token_bucket import Rate

LOOKS, LOOK_S = 6, 0.1  # for a maker: a table can be known a moment before its node has said who sits there
LISTED_S = 86_400.0  # that an open table has its place in the list, unless it ends before
CLAIM_S = 60.0  # a name whose table was never opened is free again


class TableRequests(Feature):
    """The requests of tables, and what all who sit down at one are asked before."""

    def __init__(self, core: Core, lists: Listings, sanctions: Sanctions, accounts: Accounts, tables: Tables) -> None:
        add_table_lists(lists)
        self._core, self._sanctions, self._accounts, self._tables = core, sanctions, accounts, tables
        core.registry.ask_absences(tables.away_from)
        Notifier(core)
        abandoned = AbandonedTables(core, tables)
        self.sweeps = [Sweep("abandoned", core.timings.sweep_s, abandoned.sweep, abandoned.forget)]
        self.gauges = {MATCHES: self._matches}
        self.routes = (
            Route(m.Create, self.create, TABLES, cost=costs.A_CHANGE),
            Route(m.Join, self.join, cost=costs.A_CHANGE),
            Route(m.Attach, self.attach, is_open=True, cost=costs.A_LOOK),
            Route(m.Detach, self.detach, is_open=True),
            Route(m.Cancel, self.cancel, cost=costs.A_CHANGE),
        )

    def _matches(self) -> dict[str, float]:
        """The number of matches on all nodes, by how far they are."""
        unsettled = [note for _, note in self._tables.rows.to_sweep()]
        waiting = sum(note.open for note in unsettled)
        running = len(self._tables.rows) - len(unsettled)
        return {"open": waiting, "awaited": len(unsettled) - waiting, "running": running}

    async def create(self, connection: Connection, request: m.Create) -> None:
        """Open a table and sit down."""
        rules = read_rules(request.rules)
        check_public(rules, request.spectators and not request.private)
        player = await self.current_player(connection, rules)
        id_ = match_ids.of_request(player.id, request.id)
        connection.following.check_room(id_)
        session = await self._core.registry.get(id_)
        if session.seq == 0:
            await self.check_may_play(connection)
            limits = self._core.limits
            by_player = limits.tables_by_program if player.kind == "bot" else limits.tables_by_player
            await self._core.quotas.take("tables-by-player", player.id, by_player)
            await self._core.quotas.take_from("tables-by-address", connection.address, limits.tables_by_address)
            names = await self._names(connection, request.name)
            await self._take_place(connection, id_, terms_of(request))
            await self._tables.enter(id_, player.id)
            name = await self._claim(connection, names, id_)
            seated = sitting(seat_for(request.side), player, request.commitment)
            await submit_and_wait(session, opening(name, rules, terms_of(request), seated), player.id, request.id)
        if session.record.seat_of(player.id) is None:
            raise Refused(ErrorCode.NAME_TAKEN, "this match id is in use: send the request again with another id")
        connection.following.add(session, request.id)

    async def _take_place(self, connection: Connection, id_: str, terms: Terms) -> None:
        """Raises: Refused for more tables in the list than a network may have there."""
        network, most = network_of(connection.address), self._core.limits.open_tables_by_network
        if network and not terms.code:
            text = f"{most} tables from your network wait for an opponent already: join one of them, or cancel one"
            await self._tables.places.take(id_, LISTED_S, Share(network, most, text))

    async def check_may_play(self, connection: Connection) -> None:
        """Raises: Refused when one more match would be too many."""
        player, limit = connection.player, _tables_limit(self._core.limits, connection.player)
        if len(await self._tables.played.of(player.id)) >= limit and not await self._prune(connection):
            raise Refused(ErrorCode.TOO_MANY, f"you have {limit} tables: finish or cancel one first")

    async def _prune(self, connection: Connection) -> bool:
        """Take out of a player's list what is over or never began, as a crash may leave it; True if there was any."""
        player = connection.player.id
        gone = [
            match
            for match in await self._tables.played.of(player)
            if await _has_gone(self._core.registry, self._tables, match)
        ]
        for match in gone:
            await self._tables.drop(match, [player])
        return bool(gone)

    async def _names(self, connection: Connection, wanted: str | None) -> list[str]:
        """The names a table may have: the one its maker wants, or else the maker's own, numbered.

        Raises: Refused for another player's name, and for a name that a muted player has chosen.
        """
        name = connection.player.name
        if wanted is not None and wanted.lower() != name.lower():
            self._sanctions.check_may_speak(connection, "leave out the name of your table")
        if wanted is None:
            numbered = [f"{name}-{n}" for n in range(2, _tables_limit(self._core.limits, connection.player) + 1)]
            return await self._tables.names.free_first([name, *numbered])
        return [await self._accounts.names.title(wanted, connection.player.id, "table")]

    async def _claim(self, connection: Connection, names: list[str], match: str) -> str:
        """Take the first of these names for a table that is free. Raises: Refused."""
        for name in names:
            if await self._is_free(name, match):
                return name
        await self._tables.drop(match, [connection.player.id])
        raise Refused(ErrorCode.NAME_TAKEN, f"there is a table called {names[0]}: choose another name for yours")

    async def _is_free(self, name: str, match: str) -> bool:
        """True if the match has the name now; a table that is over, or never came to be, loses it."""
        names = self._tables.names
        holder = await names.claim(name, match)
        if holder is not None and holder != match and await _has_gone(self._core.registry, self._tables, holder):
            await names.release(name, holder)
            holder = await names.claim(name, match)
        return holder == match

    async def join(self, connection: Connection, request: m.Join) -> None:
        """Take the free seat."""
        session, player = await self.find(connection, request.table), connection.player
        connection.following.check_room(session.record.id)
        if session.record.seat_of(player.id) is None:
            if not session.record.open:
                closed = session.record.cancelled
                text = "was closed: open one of your own" if closed else "has no free seat: you can watch it"
                raise Refused(ErrorCode.TABLE_FULL, f"this table {text}")
            check_code(session.record, request.code)
            check_opponent(session.record, player)
            maker = await _maker(self._core.registry, session)
            rules = session.record.match.rules
            player = await self.current_player(connection, rules)
            met = await self._tables.meetings.count(session.record.id, rules, player.id, maker.id)
            await self._tables.played.add(player.id, session.record.id)
            session.attendance.reserve_seat(connection.outbox)
            try:
                await submit_and_wait(session, joining(player, request.commitment, met), player.id, request.id)
            except Refused:
                session.attendance.release_seat(connection.outbox)
                await self._tables.played.remove(player.id, session.record.id)
                raise
        connection.following.add(session, request.id)

    async def current_player(self, connection: Connection, rules: Rules) -> Player:
        """The player of a connection, with the rating of this moment: the journal keeps it, for results to count from.

        To sit at a rated table is to agree that the result counts.
        Raises: Refused for guests at a rated table.
        """
        player = await self._accounts.player(connection.player.id)
        if player is None:
            raise Refused(ErrorCode.BAD_TOKEN, "your token was revoked or has expired: connect again with a name")
        if rules.rated and player.rating is None:
            raise Refused(ErrorCode.ACCOUNT_NEEDED, "rated tables are for accounts: register first, or play unrated")
        if player != connection.player:  # (else one object serves the connection and the match)
            connection.player = player
        self._core.presence.publish(player.id)
        return connection.player

    async def attach(self, connection: Connection, request: m.Attach) -> None:
        """Follow a match, as a player of it or as a watcher."""
        registry, wanted = self._core.registry, request.match or request.table
        if wanted is None:
            raise Refused(ErrorCode.BAD_MESSAGE, "attach to what? say its `match`, or its `table`")
        async with self._core.returns:
            is_new = wanted not in registry.live
            session = await self.find(connection, wanted)
            connection.following.check_room(session.record.id)
            check_may_watch(connection, session.record, request.code)
            await registry.prepare(session, request.seq, was_read=is_new and session.record.id == wanted)
            if session.record.seat_of(connection.player.id) is not None:
                await bring_seeds(session, KnownSeeds(request.seed, request.seeds), self._core.clock.now_ms())
        have = Have(request.epoch, request.seq, request.checksum)
        wants = Wants(request.plays, request.hush, request.sits)
        connection.following.add(session, request.id, have, wants)
        arrive(session, connection.player.id)
        if session.record.over and session.record.seat_of(connection.player.id) is not None:
            await self._tables.missed.remove(connection.player.id, session.record.id)

    async def detach(self, connection: Connection, request: m.Detach) -> None:
        """Follow a match no longer."""
        session = connection.following.of(request.match)
        if session is None:
            raise Refused(ErrorCode.NOT_ATTACHED, "you do not follow this match")
        connection.following.remove([session])
        connection.following.close_if_left(session)
        connection.send(m.Ok(id=request.id))

    async def cancel(self, connection: Connection, request: m.Cancel) -> None:
        """Close one's own table before anyone joined it."""
        session = connection.following.of(request.match) or await self.find(connection, request.match)
        if session.record.seat_of(connection.player.id) is None:
            raise Refused(ErrorCode.NOT_SEATED, "this is not your table")
        await submit_and_wait(session, cancellation, connection.player.id, request.id)
        connection.send(m.Ok(id=request.id, seq=session.seq))

    async def find(self, connection: Connection, table: str) -> Session:
        """The session of a match, by its id or else by its table's name: no table's name may hide another match.

        Raises: Refused, also for an open table whose maker ignores the player: it is as if it was not there.
        """
        session = await _found(self._core.registry, self._tables, table)
        if session is None or await is_hidden(self._tables, session.record, connection.player.id):
            why = self._core.liveness.loss_reason() if match_ids.PATTERN.fullmatch(table) else ""
            raise Refused(ErrorCode.NO_SUCH_MATCH, f"there is no table called {table}{why}")
        return session


def check_may_watch(connection: Connection, record: Record, code: str) -> None:
    """Raises: Refused for others than the players, if these want it so."""
    if record.seat_of(connection.player.id) is None:
        check_code(record, code)
        if not record.terms.spectators:
            raise Refused(ErrorCode.NO_SPECTATORS, "the players of this match do not want to be watched")


# Each table leaves a trace in the journal for a while.
TABLES = Rate(1.0, 40.0, "tables", by_player, "you open tables too fast")


def _tables_limit(limits: Limits, player: Player) -> int:
    return limits.bot_tables if player.kind == "bot" else limits.tables


async def _has_gone(registry: Registry, tables: Tables, match: str) -> bool:
    """True for a match that is over, or never came to be."""
    session = await registry.get(match)
    return session.record.over or (session.seq == 0 and await tables.age_s(match) > CLAIM_S)


async def _maker(registry: Registry, session: Session) -> Player:
    """Player who opened a table. Raises: Refused while that player is away: no match begins without its maker."""
    seat, maker = next((seat, player) for seat, player in enumerate(session.record.players) if player is not None)
    for _ in range(LOOKS):
        await registry.prepare(session, session.seq)
        if not session.record.open or (session.seats.online(seat)):
            return maker
        await asyncio.sleep(LOOK_S)
    raise Refused(ErrorCode.NOT_ONLINE, f"{maker.name} is not at the table just now: try again in a moment")


async def _found(registry: Registry, tables: Tables, table: str) -> Session | None:
    if match_ids.PATTERN.fullmatch(table) and (session := await registry.find(table)) is not None:
        return session
    match = await tables.names.find(table)
    return None if match is None else await registry.find(match)


async def is_hidden(tables: Tables, record: Record, player: str) -> bool:
    """True for an open table whose maker ignores a player, by id: to that one it is none."""
    maker = next((one for one in record.players if one is not None), None)
    if not record.open or maker is None or maker.id == player:
        return False
    return await tables.shuns(maker.id, player)
