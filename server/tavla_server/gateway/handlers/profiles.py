"""How people play: one player's results, and the leaderboard."""

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.gateway.connection import Connection, Handler


async def profile(connection: Connection, request: m.Profile) -> None:
    """What is known of a player."""
    player = await connection.services.accounts.find(request.name)
    if player is None:
        raise Refused(ErrorCode.NO_SUCH_PLAYER, f"there is no player called {request.name}")
    connection.send(await connection.services.ratings.career(request.id, player))


async def top(connection: Connection, request: m.Top) -> None:
    """The leaderboard."""
    connection.send(await connection.services.ratings.leaders(request.id))


HANDLERS: dict[type[m.RequestBase], Handler] = {m.Profile: profile, m.Top: top}
