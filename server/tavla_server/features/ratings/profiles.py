"""Profiles: the results of one player, and the leaderboard."""

from tavla_protocol import messages as m

from tavla_server.feature import Feature
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.ratings.ratings import RatedMatch, Ratings
from tavla_server.gateway import costs
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.routes import Route


class Profiles(Feature):
    """The profiles of players, and the leaderboard of all."""

    def __init__(self, accounts: Accounts, ratings: Ratings) -> None:
        self._accounts, self._ratings = accounts, ratings
        self.routes = (
            Route(m.Profile, self.profile, is_open=True, cost=costs.A_LOOK),
            Route(m.Top, self.top, is_open=True, cost=costs.MANY_LOOKS),
        )

    async def profile(self, connection: Connection, request: m.Profile) -> None:
        """A player's profile: results, ratings, seeds that did not come, matches that were left."""
        player = await self._accounts.player_of_name(request.name)
        now, results, unrevealed, left, puzzles = await self._ratings.career(player)
        connection.send(
            m.Career(
                id=request.id,
                name=now.name,
                kind=now.kind,
                rating=rounded_rating(now.rating),
                experience=now.experience,
                results=[_result(rated) for rated in results],
                unrevealed=unrevealed,
                left=left,
                puzzles=None if puzzles is None else round(puzzles),
            )
        )

    async def top(self, connection: Connection, request: m.Top) -> None:
        """The leaderboard."""
        leaders = [
            m.Leader(name=player.name, kind=player.kind, rating=round(player.rating, 2), experience=player.experience)
            for player in await self._ratings.leaders()
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


def rounded_rating(rating: float | None) -> float | None:
    """A rating as it is shown."""
    return None if rating is None else round(rating, 2)
