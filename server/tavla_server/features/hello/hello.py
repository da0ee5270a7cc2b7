"""Hello: who a client is."""

import secrets
from collections.abc import Sequence

from tavla_protocol import __version__
from tavla_protocol import messages as m
from tavla_protocol.codes import CloseCode, ErrorCode

from tavla_server.errors import Refused
from tavla_server.feature import Feature
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.accounts.reserved_names import BOT, GUEST
from tavla_server.features.counts.reveals import Reveals
from tavla_server.features.hello.account_requests import check_name_of_guest, password_try
from tavla_server.features.hello.arrivals import ArrivalFacts, Arrivals
from tavla_server.features.leaving.merges import merge_sentence
from tavla_server.features.ratings.ratings import rounded_rating
from tavla_server.features.sanctions.sanctions import Sanctions
from tavla_server.features.tournaments.tournaments import Tournaments
from tavla_server.gateway import costs
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core
from tavla_server.gateway.routes import Route
from tavla_server.player import Player

GUEST_BYTES = 4  # of chance in a name that the server chooses: no player has it yet


class Hello(Feature):
    """The hello of a client, which asks all features."""

    def __init__(
        self,
        core: Core,
        sanctions: Sanctions,
        accounts: Accounts,
        reveals: Reveals,
        tournaments: Tournaments,
        others: Sequence[Feature],
    ) -> None:
        """others: all features before this one, in order."""
        self._core, self._sanctions, self._accounts = core, sanctions, accounts
        self._reveals, self._tournaments = reveals, tournaments
        self._arrivals = Arrivals(core.redis, accounts, [feature.asks for feature in (*others, self)])
        self.routes = (
            Route(m.Hello, self.hello, is_open=True, cost=costs.A_LOOK),
            Route(m.Ping, self.ping, is_open=True),
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
            gone = self._core.liveness.gone
            welcome = m.Welcome(
                id=request.id, player="", name="", token="", server=__version__, voids=totals, gone=gone
            )
            connection.send(welcome)
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
                gone=self._core.liveness.gone,
            )
        )
        if connection.is_new and (penalty := self._sanctions.mute_of(connection)) is not None:
            connection.send(self._sanctions.notice_of(penalty))
        connection.handlers.greet(connection)

    async def _come_back(self, connection: Connection, token: str) -> tuple[Player, ArrivalFacts]:
        found = await self._arrivals.come_back(token)
        if found is None and (now := await self._accounts.heirs.of_token(token)) is not None:
            raise Refused(ErrorCode.BAD_TOKEN, f"{merge_sentence(now)} and its password")
        if found is None:
            raise Refused(
                ErrorCode.BAD_TOKEN, "this token is unknown, has expired or was revoked: say hello with a name"
            )
        return found

    async def _log_in(self, connection: Connection, name: str, password: str) -> tuple[Player, str]:
        async with password_try(self._core, self._accounts.passwords, connection, name):
            found = await self._accounts.log_in(name, password)
            if found is None:
                raise Refused(ErrorCode.WRONG_PASSWORD, "there is no account with this name and password")
            await self._core.quotas.remember(name, connection.address)
            return found

    async def _bring_guest(self, connection: Connection, token: str, player: Player) -> None:
        """Give an account the places in tournaments of the guest that its owner has been."""
        found = await self._accounts.tokens.resume(token, lambda _: ())
        if found is not None and found[0].rating is None and player.rating is not None:
            await self._tournaments.merge(found[0].id, player.id)

    async def _new_guest(self, connection: Connection, name: str, bot: bool) -> tuple[Player, str]:
        """A guest of this name; from an address that is muted, of a name that the server chooses."""
        if self._sanctions.mute_of(connection) is not None:
            name = f"{BOT[0] if bot else GUEST + '-'}{secrets.token_hex(GUEST_BYTES)}"
        await check_name_of_guest(self._core, connection, name, bot)
        return await self._accounts.add_guest(name, bot)

    async def ping(self, connection: Connection, request: m.Ping) -> None:
        """Answer a client that asks whether the server lives."""
        connection.send(m.Ok(id=request.id))
