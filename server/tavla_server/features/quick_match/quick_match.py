"""The feature of quick match: players who seek a match are paired, or seated at open tables."""

from tavla_engine.rules import Rules
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.cluster.feed import SEEKERS
from tavla_server.errors import Refused
from tavla_server.feature import Feature
from tavla_server.features.counts.reveals import Reveals
from tavla_server.features.lists.listings import Listings
from tavla_server.features.lists.live_list import Veil
from tavla_server.features.quick_match.match_queue import MatchQueue
from tavla_server.features.quick_match.matchmaker import Matchmaker
from tavla_server.features.quick_match.seekers import Seekers, unpack
from tavla_server.features.quick_match.voids import Voids
from tavla_server.features.tables.requests import TableRequests
from tavla_server.features.tables.tables import Tables
from tavla_server.features.tables.terms import read_rules
from tavla_server.gateway import costs
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core
from tavla_server.gateway.routes import Route
from tavla_server.telemetry.metrics import WAITING

# Options that people choose; a preset brings the rest. With more to choose from, hardly two would want the same.
OPTIONS = ("preset", "variant", "length", "cube", "clock", "delay_s", "reserve_s", "rated")

OWED_LIMIT = 4  # matches that wait for the player's seed, on this node: a program's come within milliseconds
OWED_S = 1.0  # until it may ask again


class QuickMatch(Feature):
    """The quick matches of players here."""

    def __init__(
        self, core: Core, lists: Listings, tables: Tables, table_requests: TableRequests, reveals: Reveals
    ) -> None:
        self.queue = MatchQueue(core.redis, core.node, core.timings)
        self.voids, self.seekers = Voids(self.queue, reveals), Seekers(core)
        self._registry, self._tables, self._table_requests = core.registry, tables, table_requests
        self.matchmaker = Matchmaker(core, self.queue, tables, self.seekers, self.voids)
        self.routes = [Route(m.Seek, self.seek, cost=costs.A_CHANGE), Route(m.Unseek, self.unseek)]
        self.chores = [self.matchmaker.run]
        self.gauges = {WAITING: lambda: len(self.matchmaker.tickets)}
        lists.add("seekers", SEEKERS, lambda row: unpack(row)[1], lambda row: Veil(ignored=frozenset(unpack(row)[2])))

    def closed(self, connection: Connection, on_purpose: bool) -> None:
        """Withdraw the connection's tickets."""
        self.matchmaker.leave(connection, on_purpose)

    async def close(self) -> None:
        """Withdraw what is left. Raises: StoreUnavailable."""
        await self.matchmaker.close()

    async def seek(self, connection: Connection, request: m.Seek) -> None:
        """Wait for an opponent; the match begins as soon as there is one."""
        rules = _rules(request.rules)
        connection.following.check_room()
        await self._table_requests.current_player(connection, rules)
        await self._table_requests.check_may_play(connection)
        await self._check_owes_little(connection.player.id)
        pairing = await self.matchmaker.enqueue(connection, rules, request.commitment, request.id, request.seeker)
        connection.send(m.Ok(id=request.id))
        if pairing is not None:
            await self.matchmaker.start(pairing)

    async def unseek(self, connection: Connection, request: m.Unseek) -> None:
        """Wait no longer."""
        await self.matchmaker.withdraw(connection)
        connection.send(m.Ok(id=request.id))

    async def _check_owes_little(self, player: str) -> None:
        """Raises: Refused for a player who would leave many opponents waiting at a time, each for a seed."""
        sessions = [self._registry.live.get(match) for match in await self._tables.played.of(player)]
        records = [session.record for session in sessions if session is not None and not session.record.over]
        if sum(record.seat_of(player) in record.missing_seeds for record in records) >= OWED_LIMIT:
            text = f"{OWED_LIMIT} matches of yours wait for a seed of yours for the dice: reveal it first"
            raise Refused(ErrorCode.UNREVEALED, text, OWED_S)


def _rules(wanted: dict[str, bool | int | str]) -> Rules:
    if others := wanted.keys() - set(OPTIONS):
        text = f"quick match has no option {min(others)!r:.40}: open a table, or choose from {', '.join(OPTIONS)}"
        raise Refused(ErrorCode.BAD_RULES, text)
    return read_rules(wanted, quick=True)
