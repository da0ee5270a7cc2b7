"""Friends: whom a player follows, and whether others may follow this one; and whom a player ignores."""

from collections.abc import Iterable, Sequence
from typing import cast

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.delivery.outbox import IGNORES_NOBODY
from tavla_server.errors import Refused
from tavla_server.feature import Feature, Question
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.friends.friend_notices import FriendNotices
from tavla_server.features.friends.friend_store import FriendStore
from tavla_server.features.friends.ignore_list import IgnoreLists
from tavla_server.features.lists.listings import Listings
from tavla_server.features.tables.tables import Tables
from tavla_server.gateway import costs
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core
from tavla_server.gateway.routes import Route, by_player
from tavla_server.store import keys
from tavla_server.store.client import text
from tavla_server.token_bucket import Rate


class Friends(Feature):
    """The lists of friends, with notices of what these do, and the lists of players who are ignored."""

    def __init__(self, core: Core, lists: Listings, accounts: Accounts, tables: Tables) -> None:
        self._limits, self._registry, self._accounts, self._tables = core.limits, core.registry, accounts, tables
        self.ignored, self._store = IgnoreLists(core, lists), FriendStore(core)
        self._notices = FriendNotices(core, self._store, tables)
        self.routes = [
            Route(m.Follow, self.follow, FOLLOWS, cost=costs.A_CHANGE),
            Route(m.Friends, self.friends, LOOKS, cost=costs.MANY_LOOKS),
            Route(m.Followers, self.followers, FOLLOWS),
            Route(m.Ignore, self.ignore, cost=costs.A_CHANGE),
        ]

    def asks(self, player: str) -> Sequence[Question]:
        """The ids of those whom the player ignores."""
        return [("SMEMBERS", keys.PLAYER_IGNORED(player))]

    def arrive(self, connection: Connection, answers: Sequence[object]) -> None:
        """Hide those whom the player ignores, from the first message on."""
        (ids,) = cast(Sequence[Iterable[bytes]], answers)
        connection.outbox.ignored = frozenset(map(text, ids)) or IGNORES_NOBODY

    def leave(self, connection: Connection) -> None:
        """Send no notices any more."""
        self._notices.leave(connection.outbox)

    async def follow(self, connection: Connection, request: m.Follow) -> None:
        """Follow an account, or do so no longer. Nobody is told."""
        player, friend = connection.player, await self._accounts.player_of_name(request.player)
        if not request.on:
            await self._store.unfollow(player.id, friend.id)
        elif friend.id == player.id:
            raise Refused(ErrorCode.NO_SUCH_PLAYER, "you cannot follow yourself")
        elif player.rating is None:
            raise Refused(ErrorCode.ACCOUNT_NEEDED, "guests follow nobody: register first")
        elif friend.rating is None:
            raise Refused(ErrorCode.NOT_FOLLOWED, f"{friend.name} is a guest: only accounts can be followed")
        elif why := await self._store.follow(player.id, friend.id):
            if why == "full":
                most = self._limits.friends
                raise Refused(ErrorCode.TOO_MANY, f"you follow {most} people: leave one of them first")
            told = "does not want to be followed" if why == "shy" else "is ignored by you: listen again first"
            raise Refused(ErrorCode.NOT_FOLLOWED, f"{friend.name} {told}")
        connection.send(m.Ok(id=request.id))

    async def friends(self, connection: Connection, request: m.Friends) -> None:
        """List the players that a player follows; send notices of them from now on, or no longer."""
        player = connection.player.id
        rows = await self._notices.follow_list(player, connection.outbox, request.notices)
        shy = await self._store.is_shy(player)
        connection.send(m.Following(id=request.id, friends=rows, followers=not shy))

    async def followers(self, connection: Connection, request: m.Followers) -> None:
        """Let others follow this player, or nobody."""
        if connection.player.rating is None:
            raise Refused(ErrorCode.ACCOUNT_NEEDED, "nobody can follow a guest")
        await self._store.set_shy(connection.player.id, not request.on)
        connection.send(m.Ok(id=request.id))

    async def ignore(self, connection: Connection, request: m.Ignore) -> None:
        """Hear nothing more of someone."""
        other = await self._accounts.player_of_name(request.player)
        if not await self.ignored.set(connection.player.id, other.id, request.on):
            most = self._limits.ignored
            raise Refused(ErrorCode.TOO_MANY, f"you ignore {most} people: listen to one of them first")
        for match, note in await self._tables.of(connection.player.id):
            if note.open:
                session = await self._registry.get(match)
                await self._tables.hide(session.record, session.seq)
        connection.send(m.Ok(id=request.id))


FOLLOWS = Rate(1.0, 30.0, "follow", by_player, "you change too often whom you follow")
LOOKS = Rate(0.5, 20.0, "friends", by_player, "you ask for your friends too often")  # 400 reads, if many
