"""Friends: whom a player follows, and whether others may follow this one."""

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.routes import RequestRate, Route, Routes, by_player
from tavla_server.token_bucket import Rate


async def follow(connection: Connection, request: m.Follow) -> None:
    """Follow an account, or do so no longer. Nobody is told."""
    player, services = connection.player, connection.services
    friend = await services.accounts.named(request.player)
    if not request.on:
        await services.friends.unfollow(player.id, friend.id)
    elif friend.id == player.id:
        raise Refused(ErrorCode.NO_SUCH_PLAYER, "you cannot follow yourself")
    elif player.rating is None:
        raise Refused(ErrorCode.ACCOUNT_NEEDED, "guests follow nobody: register first")
    elif friend.rating is None:
        raise Refused(ErrorCode.NOT_FOLLOWED, f"{friend.name} is a guest: only accounts can be followed")
    elif why := await services.friends.follow(player.id, friend.id):
        if why == "full":
            raise Refused(ErrorCode.TOO_MANY, f"you follow {services.limits.friends} people: leave one of them first")
        told = "does not want to be followed" if why == "shy" else "is ignored by you: listen again first"
        raise Refused(ErrorCode.NOT_FOLLOWED, f"{friend.name} {told}")
    connection.send(m.Ok(id=request.id))


async def friends(connection: Connection, request: m.Friends) -> None:
    """List the players that a player follows; send notices of them from now on, or no longer."""
    player, known = connection.player, connection.services.friends
    rows = await known.listed(player.id, connection.outbox, request.notices)
    connection.send(m.Following(id=request.id, friends=rows, followers=not await known.is_shy(player.id)))


async def followers(connection: Connection, request: m.Followers) -> None:
    """Let others follow this player, or nobody."""
    if connection.player.rating is None:
        raise Refused(ErrorCode.ACCOUNT_NEEDED, "nobody can follow a guest")
    await connection.services.friends.set_shy(connection.player.id, not request.on)
    connection.send(m.Ok(id=request.id))


FOLLOWS = RequestRate("follow", Rate(1.0, 30.0), by_player, "you change too often whom you follow")
LOOKS = RequestRate("friends", Rate(0.5, 20.0), by_player, "you ask for your friends too often")  # 400 reads, if many

ROUTES: Routes = {
    m.Follow: Route(follow, FOLLOWS),
    m.Friends: Route(friends, LOOKS),
    m.Followers: Route(followers, FOLLOWS),
}
