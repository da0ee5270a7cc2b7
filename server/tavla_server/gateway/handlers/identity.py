"""Saying who one is, having an account, and leaving for good."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.match.commands import Refused
from tavla_server.match.state import Player
from tavla_server.players.accounts import NameTaken
from tavla_server.players.passwords import Busy
from tavla_server.players.quotas import LOGINS_BY_ADDRESS, LOGINS_BY_NAME, NEW_ACCOUNTS, NEW_GUESTS, Limit, TooOften
from tavla_server.players.reserved_names import why_reserved

if TYPE_CHECKING:
    from tavla_server.gateway.connection import Visit


async def hello(visit: Visit, request: m.Hello) -> None:
    """A new guest, an account, or someone who comes back."""
    if visit.peer.player.id:
        raise Refused(ErrorCode.HELLO_FIRST, "you have said hello already: open another connection")
    if request.token is not None:
        player, token = await _come_back(visit, request.token)
    elif request.name is None:
        raise Refused(ErrorCode.BAD_MESSAGE, "say hello with a name, or with the token of an earlier welcome")
    elif request.password is not None:
        player, token = await _log_in(visit, request.name, request.password)
    else:
        player, token = await _new_guest(visit, request.name, request.bot)
    if request.bot and player.kind != "bot":
        player = await visit.services.accounts.mark_bot(player)
    matches = await visit.services.tables.played_by(player.id)
    visit.peer.ignored = await visit.services.ignored.by(player.id)
    visit.peer.player, visit.token, visit.is_new = player, token, request.token is None
    visit.services.people.arrive(visit)
    visit.send(
        m.Welcome(
            id=request.id,
            player=player.id,
            name=player.name,
            kind=player.kind,
            rating=rounded(player.rating),
            token=token,
            matches=matches,
        )
    )
    visit.services.challenges.greet(visit)


async def _come_back(visit: Visit, token: str) -> tuple[Player, str]:
    player = await visit.services.accounts.resume(token)
    if player is None:
        raise Refused(ErrorCode.BAD_TOKEN, "this token is unknown, has expired or was revoked: say hello with a name")
    return player, token


async def _log_in(visit: Visit, name: str, password: str) -> tuple[Player, str]:
    async with _password_tried(visit, name):
        found = await visit.services.accounts.log_in(name, password)
        if found is None:
            raise Refused(ErrorCode.WRONG_PASSWORD, "there is no account with this name and password")
        return found


async def _new_guest(visit: Visit, name: str, bot: bool) -> tuple[Player, str]:
    _check_name(name, bot, account=False)
    await _take(visit, "guests", visit.address, NEW_GUESTS)
    try:
        return await visit.services.accounts.add_guest(name, bot)
    except NameTaken:
        raise Refused(ErrorCode.NAME_TAKEN, f"someone is called {name}: choose another name") from None


async def register(visit: Visit, request: m.Register) -> None:
    """A guest becomes an account. Sent again with the same password, it is done already."""
    accounts, player = visit.services.accounts, visit.peer.player
    _check_name(player.name, player.kind == "bot", account=True)
    async with _password_tried(visit, player.name):
        if player.rating is None:
            await _take(visit, "accounts", visit.address, NEW_ACCOUNTS)
            await accounts.register(player, request.password)
        if not await accounts.has_password(player, request.password):
            raise Refused(ErrorCode.REGISTERED, "you have an account already: you may change its password")
    visit.peer.player = await accounts.player(player.id) or player
    visit.services.people.tell(player.id)
    await accounts.use(visit.peer.player, visit.token)
    visit.send(m.Ok(id=request.id))


async def password(visit: Visit, request: m.Password) -> None:
    """Another password; whoever else is logged in is not any more. Sent again, it is done already."""
    accounts = visit.services.accounts
    player = await accounts.player(visit.peer.player.id)  # who may have registered on another connection
    if player is None or player.rating is None:
        raise Refused(ErrorCode.ACCOUNT_NEEDED, "guests have no password: register first")
    async with _password_tried(visit, player.name):
        changed = await accounts.change_password(player, visit.token, request.old, request.new)
        if not changed and not await accounts.has_password(player, request.new):
            raise Refused(ErrorCode.WRONG_PASSWORD, "the old password is wrong")
    visit.send(m.Ok(id=request.id))
    _end_visits(visit, lambda other: other.token != visit.token)


async def logout(visit: Visit, request: m.Logout) -> None:
    """Revoke tokens, and close what used them."""
    await visit.services.accounts.revoke(visit.peer.player, None if request.everywhere else visit.token)
    visit.send(m.Ok(id=request.id))
    _end_visits(visit, lambda other: request.everywhere or other.token == visit.token)


def rounded(rating: float | None) -> float | None:
    """A rating as it is shown."""
    return None if rating is None else round(rating, 2)


def _end_visits(visit: Visit, ends: Callable[[Visit], bool]) -> None:
    """Close the player's connections to this node whose token was revoked; those to others are found by the gateway."""
    for other in visit.services.people.visits_of(visit.peer.player.id):
        if ends(other):
            other.log_out()


def _check_name(name: str, bot: bool, account: bool) -> None:
    if (reason := why_reserved(name, bot, account)) is not None:
        raise Refused(ErrorCode.NAME_RESERVED, reason)


@asynccontextmanager
async def _password_tried(visit: Visit, name: str) -> AsyncIterator[None]:
    """Counts a try, against guessing, unless it comes out well.

    Raises: Refused when there were too many.
    """
    limits, name = visit.services.limits, name.lower()
    await _take(visit, "logins-by-name", name, LOGINS_BY_NAME)
    await _take(visit, "logins-by-address", visit.address, LOGINS_BY_ADDRESS)
    busy = False
    try:
        yield
    except Busy:
        busy = True
    await limits.give_back("logins-by-name", name)
    await limits.give_back("logins-by-address", visit.address)
    if busy:
        raise Refused(ErrorCode.UNAVAILABLE, "many people log in just now: try again in a moment")


async def _take(visit: Visit, what: str, who: str, limit: Limit) -> None:
    try:
        await visit.services.limits.take(what, who, limit)
    except TooOften as often:
        minutes = -(-often.wait_s // 60)
        text = f"too many tries: wait {minutes} min, then try again"
        raise Refused(ErrorCode.TOO_MANY, text, often.wait_s) from None


HANDLERS: dict[type[m.Asked], Callable[[Visit, Any], Awaitable[None]]] = {
    m.Hello: hello,
    m.Register: register,
    m.Password: password,
    m.Logout: logout,
}
