"""Results: one player's, and the leaderboard."""

from tavla_protocol import messages as m

from tavla_server.gateway.connection import Connection
from tavla_server.gateway.handlers.identity import rounded
from tavla_server.gateway.routes import Route, Routes
from tavla_server.players.ratings import RatedMatch


async def profile(connection: Connection, request: m.Profile) -> None:
    """A player's profile: results, rating, seeds that did not come, matches that were left."""
    player = await connection.services.accounts.named(request.name)
    now, results, unrevealed, left = await connection.services.ratings.career(player)
    connection.send(
        m.Career(
            id=request.id,
            name=now.name,
            kind=now.kind,
            rating=rounded(now.rating),
            experience=now.experience,
            results=[_result(rated) for rated in results],
            unrevealed=unrevealed,
            left=left,
        )
    )


async def top(connection: Connection, request: m.Top) -> None:
    """The leaderboard."""
    leaders = [
        m.Leader(name=player.name, kind=player.kind, rating=round(player.rating, 2), experience=player.experience)
        for player in await connection.services.ratings.leaders()
        if player.rating is not None
    ]
    connection.send(m.Leaders(id=request.id, leaders=leaders))


def _result(rated: RatedMatch) -> m.Result:
    return m.Result(
        match=rated.match,
        time=rated.time_ms,
        opponent=rated.opponent,
        length=rated.length,
        score=rated.score,
        change=round(rated.change, 2),
        rating=round(rated.rating, 2),
    )


ROUTES: Routes = {m.Profile: Route(profile, is_open=True), m.Top: Route(top, is_open=True)}
