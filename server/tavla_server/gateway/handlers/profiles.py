"""How people play: one player's results, and the leaderboard."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.match.commands import Refused

if TYPE_CHECKING:
    from tavla_server.gateway.connection import Visit


async def profile(visit: Visit, request: m.Profile) -> None:
    """What is known of a player."""
    player = await visit.services.accounts.find(request.name)
    if player is None:
        raise Refused(ErrorCode.NO_SUCH_PLAYER, f"there is no player called {request.name}")
    visit.send(await visit.services.standings.career(request.id, player))


async def top(visit: Visit, request: m.Top) -> None:
    """The leaderboard."""
    visit.send(await visit.services.standings.leaders(request.id))


HANDLERS: dict[type[m.Asked], Callable[[Visit, Any], Awaitable[None]]] = {m.Profile: profile, m.Top: top}
