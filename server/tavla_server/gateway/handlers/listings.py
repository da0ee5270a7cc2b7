"""The lobby's lists: asked for once, or followed; and what programs say of themselves there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.lobby.listings import row_of
from tavla_server.lobby.tables import table_of
from tavla_server.match.commands import Refused

if TYPE_CHECKING:
    from tavla_server.gateway.connection import Visit


async def list_(visit: Visit, request: m.List) -> None:
    """A list as it is now."""
    if request.what == "mine":
        await _mine(visit, request.id)
    else:
        visit.peer.send(visit.services.lists.listing(request.what, visit.peer, request.id))


async def _mine(visit: Visit, id: int) -> None:  # noqa: A002 - the field's name on the wire
    sessions, tables = visit.services.sessions, visit.services.tables
    rows = {}
    for match in await tables.played_by(visit.peer.player.id):
        session = await sessions.get(match)
        if session.seq and not session.record.over:
            table, view = table_of(session.record), session.view
            rows[match] = row_of(replace(table, to_act=view.to_act, code=view.code))
    visit.send(m.Listing(id=id, what="mine", total=len(rows), rows=rows))


async def subscribe(visit: Visit, request: m.Subscribe) -> None:
    """Follow a list."""
    visit.services.lists.subscribe(request.what, visit.peer, request.id)


async def unsubscribe(visit: Visit, request: m.Unsubscribe) -> None:
    """Follow a list no longer."""
    visit.services.lists.unsubscribe(request.what, visit.peer)
    visit.send(m.Ok(id=request.id))


async def available(visit: Visit, request: m.Available) -> None:
    """A program plays those who ask, or does not any more: told to everyone."""
    if visit.peer.player.kind != "bot":
        raise Refused(ErrorCode.BOTS_ONLY, "only programs can be available: say so in your hello, or seek a match")
    visit.available = request
    visit.services.people.tell(visit.peer.player.id)
    visit.send(m.Ok(id=request.id))


HANDLERS: dict[type[m.Asked], Callable[[Visit, Any], Awaitable[None]]] = {
    m.List: list_,
    m.Subscribe: subscribe,
    m.Unsubscribe: unsubscribe,
    m.Available: available,
}
