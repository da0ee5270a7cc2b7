"""Saying who one is, having an account, and leaving for good."""

import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager

from tavla_protocol import __version__
from tavla_protocol import messages as m
from tavla_protocol.codes import CloseCode, ErrorCode, Feature

from tavla_server.errors import Busy, NameAlike, NameTaken, Refused
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.handlers.moderation import role_of
from tavla_server.gateway.handlers.mutes import mute_of
from tavla_server.gateway.handlers.terms import take
from tavla_server.gateway.routes import Route, Routes
from tavla_server.lobby.arrivals import Known
from tavla_server.lobby.ports import Recipient
from tavla_server.moderation.penalties import sanctioned, told
from tavla_server.player import Player
from tavla_server.players.account_merges import merge_told
from tavla_server.players.reserved_names import BOT, GUEST, why_reserved

GUEST_BYTES = 4  # of chance in a name that the server chooses: no player has it yet


async def hello(connection: Connection, request: m.Hello) -> None:
    """Log in a new guest, an account or a returning player; or let an onlooker in without a name."""
    if connection.player.id:
        raise Refused(ErrorCode.HELLO_FIRST, "you have said hello already: open another connection")
    if connection.end_trial is not None and request.token is None:
        connection.turn_away()
        return
    _check_may_come(connection, "")
    if request.watch and request.token is None and request.name is None:
        connection.watching = True
        totals = connection.services.reveals.totals
        connection.send(m.Welcome(id=request.id, player="", name="", token="", voids=totals))
        return
    player, token, known = await _identify(connection, request)
    _check_may_come(connection, player.name)
    if request.bot and player.kind != "bot":
        player = await connection.services.accounts.mark_bot(player)
    if connection.end_trial is not None:
        if not known.played:
            connection.turn_away()
            return
        connection.end_trial()
        connection.end_trial = None
    connection.player, connection.token, connection.is_new = player, token, request.token is None
    _admit(connection, request.id, known)
    if (text := connection.services.ledger.kick_of(player.id)) is not None:
        connection.end(CloseCode.REMOVED, text)  # after the welcome, as for all who are kicked: clients know that
        await connection.services.ledger.kicked(player.id)


async def _identify(connection: Connection, request: m.Hello) -> tuple[Player, str, Known]:
    """The player by token or by password, or a new guest, with a token. Raises: Refused."""
    if request.token is not None:
        async with connection.services.returns:
            player, known = await _come_back(connection, request.token)
        return player, request.token, known
    if request.name is None:
        raise Refused(ErrorCode.BAD_MESSAGE, "say hello with a name, or with the token of an earlier welcome")
    if request.password is not None:
        player, token = await _log_in(connection, request.name, request.password)
    else:
        _check_may_come(connection, request.name)
        player, token = await _new_guest(connection, request.name, request.bot)
    return player, token, await connection.services.arrivals.known_of(player.id)


def _admit(connection: Connection, request_id: int, known: Known) -> None:
    """Make the player present, and tell them what waits for them: matches, a sanction, challenges."""
    services, player = connection.services, connection.player
    connection.outbox.ignored = known.ignored
    services.presence.arrive(connection)
    for session in connection.following.sessions:  # of an onlooker with a name now
        session.attendance.spectators.changed()
    connection.send(
        m.Welcome(
            id=request_id,
            player=player.id,
            name=player.name,
            kind=player.kind,
            rating=rounded(player.rating),
            token=connection.token,
            matches=known.played,
            server=__version__,
            features=[*_features(connection)],
            ended=known.missed,
            role=role_of(connection, player),
            voids=services.reveals.totals,
        )
    )
    if connection.is_new and (penalty := mute_of(connection)) is not None:
        connection.send(m.Notice(text=told(penalty, services.contact), sanction=sanctioned(penalty, services.contact)))
    services.challenges.greet(connection)


def _features(connection: Connection) -> Iterator[Feature]:
    yield from (Feature.ATTACH_SEAT, Feature.PING, Feature.WATCH, Feature.ABORT, Feature.SEEKERS, Feature.ABSENCE)
    yield Feature.REPORTS
    if connection.services.archive is not None:
        yield Feature.HISTORY
    yield from (Feature.VOIDS, Feature.FRIENDS, Feature.TOURNAMENTS)
    if connection.services.archive is not None:
        yield Feature.DICE


def _check_may_come(connection: Connection, name: str) -> None:
    """Raises: Refused for a name, or an address, that a moderator keeps out."""
    services = connection.services
    if (penalty := services.ledger.penalty("ban", name, connection.address)) is not None:
        left_s, sanction = penalty.left_s(services.clock.now_ms()), sanctioned(penalty, services.contact)
        raise Refused(ErrorCode.BANNED, told(penalty, services.contact), left_s, sanction)


async def _come_back(connection: Connection, token: str) -> tuple[Player, Known]:
    found = await connection.services.arrivals.come_back(token)
    if found is None and (now := await connection.services.accounts.become_of(token)) is not None:
        raise Refused(ErrorCode.BAD_TOKEN, f"{merge_told(now)} and its password")
    if found is None:
        raise Refused(ErrorCode.BAD_TOKEN, "this token is unknown, has expired or was revoked: say hello with a name")
    return found


async def _log_in(connection: Connection, name: str, password: str) -> tuple[Player, str]:
    async with _password_tried(connection, name):
        found = await connection.services.accounts.log_in(name, password)
        if found is None:
            raise Refused(ErrorCode.WRONG_PASSWORD, "there is no account with this name and password")
        await connection.services.quotas.remember(name, connection.address)
        return found


async def _new_guest(connection: Connection, name: str, bot: bool) -> tuple[Player, str]:
    """A guest of this name; from an address that is muted, of a name that the server chooses."""
    if mute_of(connection) is not None:
        name = f"{BOT[0] if bot else GUEST + '-'}{secrets.token_hex(GUEST_BYTES)}"
    _check_name(name, bot, account=False)
    await take(connection, "guests", connection.address, connection.services.limits.new_guests)
    try:
        return await connection.services.accounts.add_guest(name, bot)
    except NameAlike:
        text = f"{name} looks like the name of somebody else: choose one that nobody takes for another"
        raise Refused(ErrorCode.NAME_TAKEN, text) from None
    except NameTaken:
        raise Refused(ErrorCode.NAME_TAKEN, f"someone is called {name}: choose another name") from None


async def ping(connection: Connection, request: m.Ping) -> None:
    """Answer a client that asks whether the server lives."""
    connection.send(m.Ok(id=request.id))


async def register(connection: Connection, request: m.Register) -> None:
    """A guest becomes an account. Sent again with the same password, it is done already."""
    accounts, player = connection.services.accounts, connection.player
    _check_name(player.name, player.kind == "bot", account=True)
    async with _password_tried(connection):
        if player.rating is None:
            await take(connection, "accounts", connection.address, connection.services.limits.new_accounts)
            await accounts.register(player, request.password)
            await connection.services.quotas.remember(player.name, connection.address)
        if not await accounts.has_password(player, request.password):
            raise Refused(ErrorCode.REGISTERED, "you have an account already: you may change its password")
    connection.player = await accounts.player(player.id) or player
    connection.services.presence.publish(player.id)
    await accounts.use(connection.player, connection.token)
    connection.send(m.Ok(id=request.id))


async def password(connection: Connection, request: m.Password) -> None:
    """Change the password, and revoke all other tokens. Sent again, it is done already."""
    accounts = connection.services.accounts
    player = await accounts.player(connection.player.id)  # who may have registered on another connection
    if player is None or player.rating is None:
        raise Refused(ErrorCode.ACCOUNT_NEEDED, "guests have no password: register first")
    async with _password_tried(connection):
        changed = await accounts.change_password(player, connection.token, request.old, request.new)
        if not changed and not await accounts.has_password(player, request.new):
            raise Refused(ErrorCode.WRONG_PASSWORD, "the old password is wrong")
    connection.send(m.Ok(id=request.id))
    _close_revoked(connection, lambda other: other.token != connection.token)


async def logout(connection: Connection, request: m.Logout) -> None:
    """Revoke tokens, and close what used them."""
    await connection.services.accounts.revoke(connection.player, None if request.everywhere else connection.token)
    connection.send(m.Ok(id=request.id))
    _close_revoked(connection, lambda other: request.everywhere or other.token == connection.token)


async def close_account(connection: Connection, request: m.CloseAccount) -> None:
    """Close an account, and every connection to it."""
    player = connection.player
    if player.rating is None:
        raise Refused(ErrorCode.ACCOUNT_NEEDED, "guests have nothing to close: log out, and you are forgotten")
    async with _password_tried(connection):
        if not await connection.services.closings.close(player, request.password):
            raise Refused(ErrorCode.WRONG_PASSWORD, "the password is wrong")
    connection.send(m.Ok(id=request.id))
    _close_revoked(connection, lambda other: True)


def rounded(rating: float | None) -> float | None:
    """A rating as it is shown."""
    return None if rating is None else round(rating, 2)


def _close_revoked(connection: Connection, is_revoked: Callable[[Recipient], bool]) -> None:
    """Close the player's connections to this node whose token was revoked; those to others are found by the gateway."""
    for other in connection.services.presence.connections_of(connection.player.id):
        if is_revoked(other):
            other.log_out()


def _check_name(name: str, bot: bool, account: bool) -> None:
    if (reason := why_reserved(name, bot, account)) is not None:
        raise Refused(ErrorCode.NAME_RESERVED, reason)


@asynccontextmanager
async def _password_tried(connection: Connection, name: str | None = None) -> AsyncIterator[None]:
    """Counts a try, against guessing, unless it comes out well. What is refused before it is tried counts nowhere.

    name: whose password it is; None = that of the player who has logged in, whom no stranger can keep out so.
    Raises: Refused when there were too many.
    """
    quotas, limits, address = connection.services.quotas, connection.services.limits, connection.address
    by_address = "logins-by-address", address
    if name is None:
        whose, quota = ("logins-by-player", connection.player.id), limits.logins_by_player
    else:
        whose, quota = await quotas.whose(name, address), limits.logins_by_name
    await take(connection, *by_address, limits.logins_by_address)
    try:
        await take(connection, *whose, quota)
    except Refused:
        await quotas.give_back(*by_address)
        raise
    busy = False
    try:
        async with connection.services.passwords.turn(address):
            yield
    except Busy:
        busy = True
    await quotas.give_back(*whose)
    await quotas.give_back(*by_address)
    if busy:
        raise Refused(ErrorCode.UNAVAILABLE, "many people log in just now: try again in a moment")


ROUTES: Routes = {
    m.Hello: Route(hello, is_open=True),
    m.Ping: Route(ping, is_open=True),
    m.Register: Route(register),
    m.Password: Route(password),
    m.Logout: Route(logout),
    m.CloseAccount: Route(close_account),
}
