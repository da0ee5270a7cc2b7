"""One player's way to a server: requests out, messages in, over a connection that is renewed by itself."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, overload

from tavla_protocol import messages as m
from tavla_protocol.codec import BadFrame, BadMessage, decode_reply, encode
from tavla_protocol.codes import CloseCode, ErrorCode
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from tavla_client.connection import Link, log, open_connection, retry_delay
from tavla_client.errors import ClientError, ConnectionFailed, Refused
from tavla_client.inbox import Inbox, StoreAway
from tavla_client.match import Match
from tavla_client.requests import Requests

HELLO_TIMEOUT_S = 5.0  # for the answer to hello
STABLE_S = 2.0  # a connection that lived shorter was no success: the next wait goes on growing
UNAVAILABLE_RETRY_S = 1.0  # on average, while the server cannot reach its store
UNAVAILABLE_TRIES = 10  # then the caller hears of it; it may try on

_Followed = m.Create | m.Join | m.Attach | m.Seek | m.Challenge | m.Rematch  # lead to a match, now or later
_Plain = (  # answered with ok
    m.Available
    | m.Cancel
    | m.Detach
    | m.Unsubscribe
    | m.Unseek
    | m.Withdraw
    | m.Ignore
    | m.Say
    | m.Chat
    | m.Register
    | m.Password
    | m.Logout
)


class Channel:
    """A player's way to a server, for as long as it is open. What can be asked there, `Client` has.

    name: of a new guest, or of an account with its password. token: from an earlier welcome, to be the same player
    again; it goes before the name. bot: I am a program, and everyone shall see that.
    on_token: called with each token that the server gives; who keeps it can come back.
    on_link: called when the connection is there, when it is lost, and before each attempt to renew it; must not raise.
    rng, sleep: chance and time of the reconnection, for tests.

    Entering raises ConnectionFailed, or Refused for a name or token that the server does not take. Later the client
    connects again by itself; requests wait meanwhile, and every match goes on where it was.
    """

    def __init__(
        self,
        url: str,
        *,
        name: str | None = None,
        password: str | None = None,
        token: str | None = None,
        bot: bool = False,
        on_token: Callable[[str], None] | None = None,
        on_link: Callable[[Link], None] | None = None,
        rng: random.Random | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.url = url
        self.name = name
        self.token = token
        self.player: str | None = None  # the server's id for us
        self.kind = "guest"  # guest, account or bot, as of the last welcome
        self.rating: float | None = None  # None without an account
        self.matches: list[str] = []  # ids of ours that were not over at the last welcome, or were made by a seek since
        self.link = Link(online=False)
        self._password, self._bot = password, bot
        self._on_token = on_token
        self._on_link = on_link
        self._rng = rng or random.Random()
        self._sleep = sleep
        self._connection: ClientConnection | None = None
        self._retry_after = 0.0
        self._requests = Requests(self._rng)
        self.inbox = Inbox(self, self._requests)
        self.challenges: dict[str, m.Challenged] = {}  # those that are open, by us and to us, by their ids
        self.offer: m.Available | None = None  # what we say of ourselves, on each connection
        self.on_challenge: Callable[[m.Challenged], None] | None = None  # called when someone challenges us
        self.on_unchallenged: Callable[[m.Challenged, str], None] | None = (
            None  # and when that is over, with the verdict
        )
        self._reader: asyncio.Task[None] | None = None
        self._ended: ClientError | None = None

    @property
    def online(self) -> bool:
        """Whether the server can be reached now."""
        return self.link.online

    async def __aenter__(self) -> Self:
        connection = await self._connect()
        self.link = Link(online=True)
        self._reader = asyncio.create_task(self._run(connection), name="tavla client")
        await asyncio.sleep(0)  # once it has begun, it ends properly however soon it is cancelled
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._reader is not None, "entered before"
        self._reader.cancel()
        with suppress(asyncio.CancelledError):
            await self._reader

    def new_id(self) -> int:
        """An id that this player has not used for a request yet."""
        return self._requests.new_id()

    @overload
    async def request(self, request: _Followed, match: Match | None = None) -> Match: ...
    @overload
    async def request(self, request: m.List | m.Subscribe, match: None = None) -> m.Listing: ...
    @overload
    async def request(self, request: m.Profile, match: None = None) -> m.Career: ...
    @overload
    async def request(self, request: m.Top, match: None = None) -> m.Leaders: ...
    @overload
    async def request(self, request: m.Answer, match: None = None) -> Match | m.Ok: ...
    @overload
    async def request(self, request: _Plain | m.MatchAction, match: None = None) -> m.Ok: ...
    async def request(self, request: m.Asked, match: Match | None = None) -> Any:
        """Send a request until it is answered, however often the connection is lost or the server's store is away.

        Raises: Refused; `unavailable` only after UNAVAILABLE_TRIES. ConnectionFailed, when the client is closed first.
        """
        for _ in range(UNAVAILABLE_TRIES - 1):
            try:
                return await self._request(request, match)
            except Refused as refused:
                if refused.code != ErrorCode.UNAVAILABLE:
                    raise
            await self._sleep(UNAVAILABLE_RETRY_S * self._rng.uniform(0.5, 1.5))
        return await self._request(request, match)

    async def _request(self, request: m.Asked, match: Match | None) -> Any:
        if self._ended is not None:
            raise self._ended
        answer = self._requests.ask(request, match)
        try:
            if self._connection is None:
                self._requests.send(request)
            else:
                with suppress(ConnectionClosed):  # then it is sent again, on the next connection
                    await self._connection.send(encode(request))
            return await answer
        finally:
            self._requests.waiting.pop(request.id, None)

    # --- the connection ---

    async def _run(self, connection: ClientConnection) -> None:
        """Read until the connection is lost, then connect again; the one task that a client has."""
        error: ClientError = ConnectionFailed("this client was closed")
        clock = asyncio.get_running_loop().time
        attempt = 0
        try:
            while True:
                since = clock()
                reason = await self._follow(connection)
                attempt = 0 if clock() - since > STABLE_S else attempt
                while True:
                    delay = retry_delay(attempt, self._retry_after, self._rng)
                    attempt, self._retry_after = attempt + 1, 0.0
                    self._tell(Link(False, delay, reason))
                    await self._sleep(delay)
                    try:
                        connection = await self._connect()
                        break
                    except ConnectionFailed as failed:
                        reason = str(failed)
                    except Refused as refused:
                        if refused.code == ErrorCode.BAD_TOKEN:
                            raise
                        reason = refused.text
        except ClientError as fatal:
            error = fatal
        finally:
            self._end(error)

    async def _connect(self) -> ClientConnection:
        """Connect and say hello. Raises: ConnectionFailed, Refused."""
        connection = await open_connection(self.url)
        try:
            async with asyncio.timeout(HELLO_TIMEOUT_S):
                await connection.send(encode(self._hello()))
                self._welcome(decode_reply(await connection.recv(decode=False)))
        except BaseException as error:
            await connection.close()
            if isinstance(error, ConnectionClosed | TimeoutError | BadFrame | BadMessage):
                raise ConnectionFailed(f"{self.url} does not answer as a Tavla server does: {error}") from error
            raise
        return connection

    def _hello(self) -> m.Hello:
        if self.token:
            return m.Hello(id=self.new_id(), token=self.token, bot=self._bot)
        return m.Hello(id=self.new_id(), name=self.name, password=self._password, bot=self._bot)

    def _welcome(self, reply: object) -> None:
        match reply:
            case m.Welcome():
                self.player, self.name, self.matches = reply.player, reply.name, reply.matches
                self.kind, self.rating = reply.kind, reply.rating
                self._password = None  # from now on there is a token
                if reply.token != self.token:
                    self.token = reply.token
                    if self._on_token is not None:
                        self._on_token(reply.token)
            case m.Error():
                raise Refused(reply.code, reply.text, retry_after=reply.retry_after)
            case m.Closing():
                self._retry_after = reply.retry_after
                raise ConnectionFailed(reply.text)
            case _:
                raise ConnectionFailed(f"{self.url} answers hello with {type(reply).__name__.lower()}")

    async def _follow(self, connection: ClientConnection) -> str:
        """Everything on one connection, from taking up what was open to its end. Returns why it ended."""
        reason = "the connection was lost"
        try:
            self.inbox.begin_again()
            await self._send(connection)
            self._connection = connection
            self._tell(Link(online=True))
            while True:
                try:
                    reply = decode_reply(await connection.recv(decode=False))
                except BadMessage as bad:  # from a newer server, perhaps; the rest of it may be fine
                    log.warning("unknown message: %s", bad)
                    self.inbox.answer(bad.id, Refused(ErrorCode.BAD_MESSAGE, f"the answer cannot be read: {bad}"))
                    continue
                if isinstance(reply, m.Closing):
                    reason, self._retry_after = reply.text, reply.retry_after
                self.inbox.receive(reply)
                await self._send(connection)
        except ConnectionClosed as closed:
            if closed.rcvd is not None and closed.rcvd.code == CloseCode.LOGGED_OUT:
                raise Refused(ErrorCode.BAD_TOKEN, reason) from None
            return reason
        except StoreAway as away:
            return str(away)
        except BadFrame as bad:
            await connection.close(CloseCode.NOT_MSGPACK)
            return str(bad)
        finally:
            self._connection = None
            await connection.close()

    async def _send(self, connection: ClientConnection) -> None:
        """Send what is to be asked because of what has arrived."""
        while (request := self._requests.next_to_send()) is not None:
            await connection.send(encode(request))

    def _tell(self, link: Link) -> None:
        self.link = link
        if self._on_link is not None:
            self._on_link(link)

    def _end(self, error: ClientError) -> None:
        """Nothing more will come: everyone who waits is told why."""
        self._ended = error
        self.link = Link(online=False, reason=str(error))
        self.inbox.end(error)
