"""People: the lists of the lobby asked for or followed, one's own matches, and what programs say of themselves."""

import structlog
from msgspec.structs import replace
from tavla_protocol import messages as m
from tavla_protocol.codec import pack
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import JournalUnreadable, Refused
from tavla_server.feature import Feature
from tavla_server.features.lists.listings import OF_TOURNAMENT, Listings
from tavla_server.features.lists.live_list import LiveList, row_of
from tavla_server.features.sanctions.sanctions import Sanctions
from tavla_server.features.tables.tables import Tables, table_of
from tavla_server.features.tables.terms import check_conditions
from tavla_server.features.tournaments.registry import TournamentRegistry
from tavla_server.gateway import costs
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core
from tavla_server.gateway.routes import Route, by_player
from tavla_server.match.session import Session
from tavla_server.token_bucket import Rate

log = structlog.get_logger()

OFFER_BYTES_LIMIT = 512  # of its rules, in that list


class People(Feature):
    """The people in the lobby: their lists, and the programs that are available."""

    def __init__(
        self, core: Core, lists: Listings, sanctions: Sanctions, tables: Tables, tournaments: TournamentRegistry
    ) -> None:
        self._core, self._listings, self._sanctions = core, lists, sanctions
        self._tables, self._tournaments = tables, tournaments
        self.routes = (
            Route(m.List, self.list_, is_open=True, cost=costs.A_LIST),
            Route(m.Subscribe, self.subscribe, is_open=True, cost=costs.A_LIST),
            Route(m.Unsubscribe, self.unsubscribe, is_open=True),
            Route(m.Available, self.offer, OFFERS, cost=costs.A_CHANGE),
        )

    async def list_(self, connection: Connection, request: m.List) -> None:
        """A list as it is now."""
        if request.what == "mine":
            await self._mine(connection, request.id)
        else:
            connection.outbox.send((await self._list(request)).listing(connection.outbox, request.id))

    async def _mine(self, connection: Connection, id: int) -> None:  # noqa: A002 - the field's name on the wire
        tables = self._tables
        rows = {}
        for match in await tables.played.of(connection.player.id):
            session = await self._readable(connection, match)
            if session is not None and not session.record.over:
                known, view = await tables.read(match), session.view
                table = table_of(session.record, known.since if known else 0, session.away)
                rows[match] = row_of(replace(table, to_act=view.to_act, code=view.code))
        for match in await tables.missed.of(connection.player.id):
            session = await self._readable(connection, match)
            if session is not None and session.record.over:
                rows[match] = row_of(replace(table_of(session.record), outcome=session.view.outcome))
        connection.send(m.Listing(id=id, what="mine", total=len(rows), rows=rows))

    async def _readable(self, connection: Connection, match: str) -> Session | None:
        """A match as of now: it may have had no follower here for a while. None if it is damaged: the others go on."""
        try:
            return await self._core.registry.current(match)
        except JournalUnreadable as error:
            log.error("journal_unreadable", match=match, player=connection.player.id, error=str(error))
            return None

    async def _list(self, request: m.List | m.Subscribe | m.Unsubscribe) -> LiveList:
        """Raises: Refused for a list of no tournament that there is."""
        if request.what in OF_TOURNAMENT:
            await self._tournaments.find(request.tournament)
        return self._listings.of(request.what, request.tournament)

    async def subscribe(self, connection: Connection, request: m.Subscribe) -> None:
        """Follow a list."""
        list_ = await self._list(request)
        connection.outbox.send(list_.listing(connection.outbox, request.id))
        list_.add(connection.outbox)

    async def unsubscribe(self, connection: Connection, request: m.Unsubscribe) -> None:
        """Follow a list no longer."""
        (await self._list(request)).discard(connection.outbox)
        connection.send(m.Ok(id=request.id))

    async def offer(self, connection: Connection, request: m.Available) -> None:
        """A program plays those who ask, or does not any more; everyone sees it in the lobby."""
        if connection.player.kind != "bot":
            raise Refused(ErrorCode.BOTS_ONLY, "only programs can be available: say so in your hello, or seek a match")
        if request.level:
            self._sanctions.check_may_speak(connection, "leave out your level")
        check_conditions(request.rules)
        if (size := len(pack(request.rules))) > OFFER_BYTES_LIMIT:
            what = "name fewer options, or fewer values"
            text = f"what you play takes {size} bytes, and may take {OFFER_BYTES_LIMIT}: {what}"
            raise Refused(ErrorCode.BAD_RULES, text)
        connection.available = request
        self._core.presence.publish(connection.player.id)
        connection.send(m.Ok(id=request.id))


# Each is told to all who follow the list of people.
OFFERS = Rate(1.0, 20.0, "offers", by_player, "you say too often what you play")
