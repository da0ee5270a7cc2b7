"""Saying who one is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.guests import NameTaken
from tavla_server.session import Refused

if TYPE_CHECKING:
    from tavla_server.visit import Visit


async def hello(visit: Visit, request: m.Hello) -> None:
    """A new guest, or someone who comes back."""
    guests = visit.services.guests
    if visit.peer.player.id:
        raise Refused(ErrorCode.HELLO_FIRST, "you have said hello already: open another connection")
    if request.token is not None:
        player = await guests.resume(request.token)
        if player is None:
            raise Refused(ErrorCode.BAD_TOKEN, "this token is unknown or has expired: say hello with a name")
        visit.token = request.token
    elif request.name is not None:
        try:
            player, visit.token = await guests.register(request.name)
        except NameTaken:
            raise Refused(ErrorCode.NAME_TAKEN, f"someone is called {request.name}: choose another name") from None
        visit.is_new = True
    else:
        raise Refused(ErrorCode.BAD_MESSAGE, "say hello with a name, or with the token of an earlier welcome")
    matches = await visit.services.tables.played_by(player.id)
    visit.peer.player = player
    visit.send(m.Welcome(id=request.id, player=player.id, name=player.name, token=visit.token, matches=matches))


HANDLERS: dict[type[m.Asked], Callable[[Visit, Any], Awaitable[None]]] = {m.Hello: hello}
