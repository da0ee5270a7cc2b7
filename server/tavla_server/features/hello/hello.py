"""Hello: who a client is, its account, and its leaving for good."""

import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager

from tavla_protocol import __version__
from tavla_protocol import messages as m
from tavla_protocol.codes import CloseCode, ErrorCode

from tavla_server.errors import Busy, NameAlike, NameTaken, Refused
from tavla_server.feature import Feature
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.accounts.reserved_names import BOT, GUEST, reservation_reason
from tavla_server.features.counts.reveals import Reveals
from tavla_server.features.hello.arrivals import ArrivalFacts, Arrivals
from tavla_server.features.leaving.closings import Closings
from tavla_server.features.leaving.merges import merge_sentence
from tavla_server.features.ratings.profiles import rounded_rating
from tavla_server.features.sanctions.sanctions import Sanctions
from tavla_server.features.tournaments.tournaments import Tournaments
from tavla_server.gateway import costs
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core
from tavla_server.gateway.recipient import Recipient
from tavla_server.gateway.routes import Route
from tavla_server.player import Player

GUEST_BYTES = 4  # of chance in a name that the server chooses: no player has it yet


class Hello(Feature):
    """The hello of a client, which asks all features; and the requests about its account."""

    def __init__(
        self,
        core: Core,
        sanctions: Sanctions,
        accounts: Accounts,
        reveals: Reveals,
        tournaments: Tournaments,
        closings: Closings,
        others: Sequence[Feature],
    ) -> None:
        """others: all features before this one, in order."""
        self._core, self._sanctions, self._accounts = core, sanctions, accounts
        self._reveals, self._tournaments, self._closings = reveals, tournaments, closings
        self._arrivals = Arrivals(core.redis, accounts, [feature.asks for feature in (*others, self)])
        self.routes = (
            Route(m.Hello, self.hello, is_open=True, cost=costs.A_LOOK),
            Route(m.Ping, self.ping, is_open=True),
            Route(m.Register, self.register),
            Route(m.Rename, self.rename),
            Route(m.Password, self.change_password),
            Route(m.Logout, self.logout),
            Route(m.CloseAccount, self.close_account),
        )

    async def hello(self, connection: Connection, request: m.Hello) -> None:
        """Log in a new guest, an account or a returning player; or let an onlooker in without a name."""
        if connection.player.id:
            raise Refused(ErrorCode.HELLO_FIRST, "you have said hello already: open another connection")
        if connection.on_trial and request.token is None:
            connection.turn_away()
            return
        self._sanctions.check_may_enter(connection, "")
        if request.watch and request.token is None and request.name is None:
            connection.watching = True
            totals = self._reveals.totals
            connection.send(m.Welcome(id=request.id, player="", name="", token="", server=__version__, voids=totals))
            return
        player, token, known = await self._identify(connection, request)
        self._sanctions.check_may_enter(connection, player.name)
        if request.guest is not None and request.password is not None:
            await self._bring_guest(connection, request.guest, player)
        if request.bot and player.kind != "bot":
            player = await self._accounts.mark_bot(player)
        if connection.on_trial and not known.played:
            connection.turn_away()
            return
        connection.on_trial = False
        connection.player, connection.token, connection.is_new = player, token, request.token is None
        self._admit(connection, request.id, known)
        if (text := self._sanctions.ledger.kick_of(player.id)) is not None:
            connection.end(CloseCode.REMOVED, text)  # after the welcome, as for all who are kicked: clients know that
            await self._sanctions.ledger.note_kick(player.id)

    async def _identify(self, connection: Connection, request: m.Hello) -> tuple[Player, str, ArrivalFacts]:
        """The player by token or by password, or a new guest, with a token. Raises: Refused."""
        if request.token is not None:
            async with self._core.returns:
                player, known = await self._come_back(connection, request.token)
            return player, request.token, known
        if request.name is None:
            raise Refused(ErrorCode.BAD_MESSAGE, "say hello with a name, or with the token of an earlier welcome")
        if request.password is not None:
            player, token = await self._log_in(connection, request.name, request.password)
        else:
            self._sanctions.check_may_enter(connection, request.name)
            player, token = await self._new_guest(connection, request.name, request.bot)
        return player, token, await self._arrivals.known_of(player.id)

    def _admit(self, connection: Connection, request_id: int, known: ArrivalFacts) -> None:
        """Make the player present, and tell them what waits for them: matches, a sanction, challenges."""
        player = connection.player
        connection.handlers.arrive(connection, known.answers)
        self._core.presence.arrive(connection)
        for session in connection.following.sessions:  # of an onlooker with a name now
            session.attendance.spectators.note_change()
        connection.send(
            m.Welcome(
                id=request_id,
                player=player.id,
                name=player.name,
                kind=player.kind,
                rating=rounded_rating(player.rating),
                token=connection.token,
                matches=known.played,
                server=__version__,
                ended=known.missed,
                role=self._sanctions.role_of(player),
                voids=self._reveals.totals,
            )
        )
        if connection.is_new and (penalty := self._sanctions.mute_of(connection)) is not None:
            connection.send(self._sanctions.notice_of(penalty))
        connection.handlers.greet(connection)

    async def _come_back(self, connection: Connection, token: str) -> tuple[Player, ArrivalFacts]:
        found = await self._arrivals.come_back(token)
        if found is None and (now := await self._accounts.become_of(token)) is not None:
            raise Refused(ErrorCode.BAD_TOKEN, f"{merge_sentence(now)} and its password")
        if found is None:
            raise Refused(
                ErrorCode.BAD_TOKEN, "this token is unknown, has expired or was revoked: say hello with a name"
            )
        return found

    async def _log_in(self, connection: Connection, name: str, password: str) -> tuple[Player, str]:
        async with self._password_tried(connection, name):
            found = await self._accounts.log_in(name, password)
            if found is None:
                raise Refused(ErrorCode.WRONG_PASSWORD, "there is no account with this name and password")
            await self._core.quotas.remember(name, connection.address)
            return found

    async def _bring_guest(self, connection: Connection, token: str, player: Player) -> None:
        """Give an account the places in tournaments of the guest that its owner has been."""
        found = await self._accounts.resume(token, lambda _: ())
        if found is not None and found[0].rating is None and player.rating is not None:
            await self._tournaments.merge(found[0].id, player.id)

    async def _new_guest(self, connection: Connection, name: str, bot: bool) -> tuple[Player, str]:
        """A guest of this name; from an address that is muted, of a name that the server chooses."""
        if self._sanctions.mute_of(connection) is not None:
            name = f"{BOT[0] if bot else GUEST + '-'}{secrets.token_hex(GUEST_BYTES)}"
        with await self._name_for(connection, name, bot):
            return await self._accounts.add_guest(name, bot)

    async def _name_for(self, connection: Connection, name: str, bot: bool) -> AbstractContextManager[None]:
        """See whether a guest may be called so; within, that the name is taken is told. Raises: Refused."""
        _check_name(name, bot, account=False)
        await self._core.quotas.take("guests", connection.address, self._core.limits.new_guests)
        return _told_if_taken(name)

    async def rename(self, connection: Connection, request: m.Rename) -> None:
        """A guest is called otherwise. Sent again, it is done already."""
        player = connection.player
        if player.name != request.name:
            self._sanctions.check_may_speak(connection, "keep your name until then")
            self._sanctions.check_may_enter(connection, request.name)
            with await self._name_for(connection, request.name, player.kind == "bot"):
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

    async def ping(self, connection: Connection, request: m.Ping) -> None:
        """Answer a client that asks whether the server lives."""
        connection.send(m.Ok(id=request.id))

    async def register(self, connection: Connection, request: m.Register) -> None:
        """A guest becomes an account. Sent again with the same password, it is done already."""
        accounts, player = self._accounts, connection.player
        _check_name(player.name, player.kind == "bot", account=True)
        async with self._password_tried(connection):
            if player.rating is None:
                await self._core.quotas.take("accounts", connection.address, self._core.limits.new_accounts)
                await accounts.register(player, request.password)
                await self._core.quotas.remember(player.name, connection.address)
            if not await accounts.has_password(player, request.password):
                raise Refused(ErrorCode.REGISTERED, "you have an account already: you may change its password")
        await self._changed(connection, player)
        await accounts.use(connection.player, connection.token)
        connection.send(m.Ok(id=request.id))

    async def change_password(self, connection: Connection, request: m.Password) -> None:
        """Change the password, and revoke all other tokens. Sent again, it is done already."""
        accounts = self._accounts
        player = await accounts.player(connection.player.id)  # who may have registered on another connection
        if player is None or player.rating is None:
            raise Refused(ErrorCode.ACCOUNT_NEEDED, "guests have no password: register first")
        async with self._password_tried(connection):
            changed = await accounts.change_password(player, connection.token, request.old, request.new)
            if not changed and not await accounts.has_password(player, request.new):
                raise Refused(ErrorCode.WRONG_PASSWORD, "the old password is wrong")
        connection.send(m.Ok(id=request.id))
        self._close_revoked(connection, lambda other: other.token != connection.token)

    async def logout(self, connection: Connection, request: m.Logout) -> None:
        """Revoke tokens, and close what used them."""
        await self._accounts.revoke(connection.player, None if request.everywhere else connection.token)
        connection.send(m.Ok(id=request.id))
        self._close_revoked(connection, lambda other: request.everywhere or other.token == connection.token)

    async def close_account(self, connection: Connection, request: m.CloseAccount) -> None:
        """Close an account, and every connection to it."""
        player = connection.player
        if player.rating is None:
            raise Refused(ErrorCode.ACCOUNT_NEEDED, "guests have nothing to close: log out, and you are forgotten")
        async with self._password_tried(connection):
            if not await self._closings.close(player, request.password):
                raise Refused(ErrorCode.WRONG_PASSWORD, "the password is wrong")
        connection.send(m.Ok(id=request.id))
        self._close_revoked(connection, lambda other: True)

    def _close_revoked(self, connection: Connection, is_revoked: Callable[[Recipient], bool]) -> None:
        """Close the player's connections to this node whose token was revoked; the gateway finds those to others."""
        for other in self._core.presence.connections_of(connection.player.id):
            if is_revoked(other):
                other.log_out()

    @asynccontextmanager
    async def _password_tried(self, connection: Connection, name: str | None = None) -> AsyncIterator[None]:
        """Counts a try, against guessing, unless it comes out well. What is refused before it is tried counts nowhere.

        name: whose password it is; None = that of the player who has logged in, whom no stranger can keep out so.
        Raises: Refused when there were too many.
        """
        quotas, limits, address = self._core.quotas, self._core.limits, connection.address
        by_address = "logins-by-address", address
        if name is None:
            whose, quota = ("logins-by-player", connection.player.id), limits.logins_by_player
        else:
            whose, quota = await quotas.whose(name, address), limits.logins_by_name
        await self._core.quotas.take(*by_address, limits.logins_by_address)
        try:
            await self._core.quotas.take(*whose, quota)
        except Refused:
            await quotas.give_back(*by_address)
            raise
        busy = False
        try:
            async with self._accounts.passwords.turn(address):
                yield
        except Busy:
            busy = True
        await quotas.give_back(*whose)
        await quotas.give_back(*by_address)
        if busy:
            raise Refused(ErrorCode.UNAVAILABLE, "many people log in just now: try again in a moment")


@contextmanager
def _told_if_taken(name: str) -> Iterator[None]:
    try:
        yield
    except NameAlike:
        text = f"{name} looks like the name of somebody else: choose one that nobody takes for another"
        raise Refused(ErrorCode.NAME_TAKEN, text) from None
    except NameTaken:
        raise Refused(ErrorCode.NAME_TAKEN, f"someone is called {name}: choose another name") from None


def _check_name(name: str, bot: bool, account: bool) -> None:
    if (reason := reservation_reason(name, bot, account)) is not None:
        raise Refused(ErrorCode.NAME_RESERVED, reason)
