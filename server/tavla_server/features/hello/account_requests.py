"""Requests about one's own account: its name, its password, its tokens, its end."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Busy, Refused
from tavla_server.feature import Feature
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.accounts.passwords import Passwords
from tavla_server.features.accounts.reserved_names import reservation_reason
from tavla_server.features.leaving.closings import Closings
from tavla_server.features.sanctions.sanctions import Sanctions
from tavla_server.features.tournaments.tournaments import Tournaments
from tavla_server.gateway import costs
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core
from tavla_server.gateway.recipient import Recipient
from tavla_server.gateway.routes import Route
from tavla_server.player import Player


class AccountRequests(Feature):
    """The requests of a player about its account."""

    def __init__(
        self, core: Core, sanctions: Sanctions, accounts: Accounts, tournaments: Tournaments, closings: Closings
    ) -> None:
        self._core, self._sanctions, self._accounts = core, sanctions, accounts
        self._tournaments, self._closings = tournaments, closings
        self.routes = (
            Route(m.Register, self.register),
            Route(m.Rename, self.rename, cost=costs.A_CHANGE),
            Route(m.Password, self.change_password),
            Route(m.Logout, self.logout),
            Route(m.CloseAccount, self.close_account),
        )

    async def rename(self, connection: Connection, request: m.Rename) -> None:
        """A guest is called otherwise. Sent again, it is done already."""
        player = connection.player
        if player.name != request.name:
            self._sanctions.check_may_speak(connection, "keep your name until then")
            self._sanctions.check_may_enter(connection, request.name)
            await check_name_of_guest(self._core, connection, request.name, player.kind == "bot")
            if not await self._accounts.rename(player, request.name):
                raise Refused(ErrorCode.REGISTERED, "the name of an account stays as it is")
            await self._changed(connection, player)
        connection.send(m.Ok(id=request.id))

    async def _changed(self, connection: Connection, player: Player) -> None:
        """Take over how the player is now, and let the others know: all players, and tournaments."""
        now = await self._accounts.player(player.id) or player
        for other in self._core.presence.connections_of(player.id):
            other.player = now
        self._core.presence.publish(player.id)
        await self._tournaments.merge(player.id, player.id)

    async def register(self, connection: Connection, request: m.Register) -> None:
        """A guest becomes an account. Sent again with the same password, it is done already."""
        accounts, player = self._accounts, connection.player
        _check_name(player.name, player.kind == "bot", account=True)
        async with password_try(self._core, self._accounts.passwords, connection):
            if player.rating is None:
                await self._core.quotas.take_from("accounts", connection.address, self._core.limits.new_accounts)
                await accounts.register(player, request.password)
                await self._core.quotas.remember(player.name, connection.address)
            if not await accounts.has_password(player, request.password):
                raise Refused(ErrorCode.REGISTERED, "you have an account already: you may change its password")
        await self._changed(connection, player)
        await accounts.tokens.use(connection.player, connection.token)
        connection.send(m.Ok(id=request.id))

    async def change_password(self, connection: Connection, request: m.Password) -> None:
        """Change the password, and revoke all other tokens. Sent again, it is done already."""
        accounts = self._accounts
        player = await accounts.player(connection.player.id)  # who may have registered on another connection
        if player is None or player.rating is None:
            raise Refused(ErrorCode.ACCOUNT_NEEDED, "guests have no password: register first")
        async with password_try(self._core, self._accounts.passwords, connection):
            changed = await accounts.change_password(player, connection.token, request.old, request.new)
            if not changed and not await accounts.has_password(player, request.new):
                raise Refused(ErrorCode.WRONG_PASSWORD, "the old password is wrong")
        connection.send(m.Ok(id=request.id))
        self._close_revoked(connection, lambda other: other.token != connection.token)

    async def logout(self, connection: Connection, request: m.Logout) -> None:
        """Revoke tokens, and close what used them."""
        await self._accounts.tokens.revoke(connection.player, None if request.everywhere else connection.token)
        connection.send(m.Ok(id=request.id))
        self._close_revoked(connection, lambda other: request.everywhere or other.token == connection.token)

    async def close_account(self, connection: Connection, request: m.CloseAccount) -> None:
        """Close an account, and every connection to it."""
        player = connection.player
        if player.rating is None:
            raise Refused(ErrorCode.ACCOUNT_NEEDED, "guests have nothing to close: log out, and you are forgotten")
        async with password_try(self._core, self._accounts.passwords, connection):
            if not await self._closings.close(player, request.password):
                raise Refused(ErrorCode.WRONG_PASSWORD, "the password is wrong")
        connection.send(m.Ok(id=request.id))
        self._close_revoked(connection, lambda other: True)

    def _close_revoked(self, connection: Connection, is_revoked: Callable[[Recipient], bool]) -> None:
        """Close the player's connections to this node whose token was revoked; others find theirs as they renew."""
        for other in self._core.presence.connections_of(connection.player.id):
            if is_revoked(other):
                other.log_out()


@asynccontextmanager
async def password_try(
    core: Core, passwords: Passwords, connection: Connection, name: str | None = None
) -> AsyncIterator[None]:
    """Counts a try, against guessing, unless it comes out well. What is refused before it is tried counts nowhere.

    name: whose password it is; None = that of the player who has logged in, whom no stranger can keep out so.
    Raises: Refused when there were too many.
    """
    quotas, limits, address = core.quotas, core.limits, connection.address
    by_address = "logins-by-address", address
    if name is None:
        whose, quota = ("logins-by-player", connection.player.id), limits.logins_by_player
    else:
        whose, quota = await quotas.whose(name, address), limits.logins_by_name
    await quotas.take_from(*by_address, limits.logins_by_address)
    try:
        await quotas.take(*whose, quota)
    except Refused:
        await quotas.give_back_to(*by_address)
        raise
    busy = False
    try:
        async with passwords.turn(address):
            yield
    except Busy:
        busy = True
    await quotas.give_back(*whose)
    await quotas.give_back_to(*by_address)
    if busy:
        raise Refused(ErrorCode.UNAVAILABLE, "many people log in just now: try again in a moment")


async def check_name_of_guest(core: Core, connection: Connection, name: str, bot: bool) -> None:
    """Raises: Refused for a name that no guest may have, and for more new ones than come from an address."""
    _check_name(name, bot, account=False)
    await core.quotas.take_from("guests", connection.address, core.limits.new_guests)


def _check_name(name: str, bot: bool, account: bool) -> None:
    if (reason := reservation_reason(name, bot, account)) is not None:
        raise Refused(ErrorCode.NAME_RESERVED, reason)
