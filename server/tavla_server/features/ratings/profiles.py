"""Profiles: the results of one player, and the leaderboard."""

from msgspec.structs import replace
from tavla_protocol import messages as m

from tavla_server.feature import Feature
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.ratings.ratings import Ratings
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
        connection.send(replace(await self._ratings.career(player), id=request.id))

    async def top(self, connection: Connection, request: m.Top) -> None:
        """The leaderboard."""
        leaders = [
            m.Leader(name=player.name, kind=player.kind, rating=round(player.rating, 2), experience=player.experience)
            for player in await self._ratings.leaders()
            if player.rating is not None
        ]
        connection.send(m.Leaders(id=request.id, leaders=leaders))
