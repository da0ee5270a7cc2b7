"""The lobby's lists: asked for once, or followed; and what programs say of themselves there."""

import structlog
from msgspec.structs import replace
from tavla_protocol import messages as m
from tavla_protocol.codec import pack
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import JournalUnreadable, Refused
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.handlers.mutes import check_may_speak
from tavla_server.gateway.handlers.terms import check_conditions
from tavla_server.gateway.routes import RequestRate, Route, Routes, by_player
from tavla_server.lobby.listings import OF_TOURNAMENT
from tavla_server.lobby.live_list import row_of
from tavla_server.lobby.tables import table_of
from tavla_server.match.session import Session
from tavla_server.token_bucket import Rate

log = structlog.get_logger()

OFFER_BYTES_LIMIT = 512  # of its rules, in that list


async def list_(connection: Connection, request: m.List) -> None:
    """A list as it is now."""
    if request.what == "mine":
        await _mine(connection, request.id)
    else:
        listings = connection.services.listings
        await _check_tournament(connection, request)
        connection.outbox.send(listings.listing(request.what, connection.outbox, request.id, request.tournament))


async def _mine(connection: Connection, id: int) -> None:  # noqa: A002 - the field's name on the wire
    tables = connection.services.tables
    rows = {}
    for match in await tables.played.of(connection.player.id):
        session = await _readable(connection, match)
        if session is not None and not session.record.over:
            known, view = await tables.read(match), session.view
            table = table_of(session.record, known.since if known else 0, session.away)
            rows[match] = row_of(replace(table, to_act=view.to_act, code=view.code))
    for match in await tables.missed.of(connection.player.id):
        session = await _readable(connection, match)
        if session is not None and session.record.over:
            rows[match] = row_of(replace(table_of(session.record), outcome=session.view.outcome))
    connection.send(m.Listing(id=id, what="mine", total=len(rows), rows=rows))


async def _readable(connection: Connection, match: str) -> Session | None:
    """A match as of now: it may have had no follower here for a while. None if it is damaged: the others go on."""
    try:
        return await connection.services.registry.current(match)
    except JournalUnreadable as error:
        log.error("journal_unreadable", match=match, player=connection.player.id, error=str(error))
        return None


async def _check_tournament(connection: Connection, request: m.List | m.Subscribe | m.Unsubscribe) -> None:
    """Raises: Refused for a list of no tournament that there is."""
    if request.what in OF_TOURNAMENT:
        await connection.services.tournaments.registry.find(request.tournament)


async def subscribe(connection: Connection, request: m.Subscribe) -> None:
    """Follow a list."""
    await _check_tournament(connection, request)
    connection.services.listings.subscribe(request.what, connection.outbox, request.id, request.tournament)


async def unsubscribe(connection: Connection, request: m.Unsubscribe) -> None:
    """Follow a list no longer."""
    await _check_tournament(connection, request)
    connection.services.listings.unsubscribe(request.what, connection.outbox, request.tournament)
    connection.send(m.Ok(id=request.id))


async def available(connection: Connection, request: m.Available) -> None:
    """A program plays those who ask, or does not any more; everyone sees it in the lobby."""
    if connection.player.kind != "bot":
        raise Refused(ErrorCode.BOTS_ONLY, "only programs can be available: say so in your hello, or seek a match")
    if request.level:
        check_may_speak(connection, "leave out your level")
    check_conditions(request.rules)
    if (size := len(pack(request.rules))) > OFFER_BYTES_LIMIT:
        text = (
            f"what you play takes {size} bytes, and may take {OFFER_BYTES_LIMIT}: name fewer options, or fewer values"
        )
        raise Refused(ErrorCode.BAD_RULES, text)
    connection.available = request
    connection.services.presence.publish(connection.player.id)
    connection.send(m.Ok(id=request.id))


# Each is told to all who follow the list of people.
OFFERS = RequestRate("offers", Rate(1.0, 20.0), by_player, "you say too often what you play")

ROUTES: Routes = {
    m.List: Route(list_, is_open=True),
    m.Subscribe: Route(subscribe, is_open=True),
    m.Unsubscribe: Route(unsubscribe, is_open=True),
    m.Available: Route(available, OFFERS),
}
