"""A channel to a server: requests out, messages in, over a connection that is renewed by itself."""

import asyncio
import random
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from tavla_protocol import messages as m
from tavla_protocol.codec import BadFrame, BadMessage, decode_reply, encode
from tavla_protocol.codes import CloseCode, ErrorCode
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from tavla_client.connection import Link, log, open_connection, retry_delay
from tavla_client.errors import ClientError, ConnectionFailed, Refused
from tavla_client.identity import Identity
from tavla_client.requests import Requests

HELLO_TIMEOUT_S = 5.0  # for the answer to hello
STABLE_S = 2.0  # a connection that lived shorter was no success: the next wait goes on growing
UNAVAILABLE_RETRY_S = 0.5  # on average, while the server cannot reach its store
UNAVAILABLE_TRIES = 20  # then the caller hears of it; it may try on
_NAME = re.compile(r"[A-Za-z0-9_-]{2,20}")
_FOR_OTHERS = (m.Seek, m.Challenge, m.Rematch)  # answered when another player wants the same
_UNREADABLE = (ValueError, TypeError, LookupError, OverflowError)  # values that no server of this protocol sends

R = TypeVar("R")


class StoreUnavailable(Exception):
    """An unavailable store: the server cannot take up a match of ours: another try later, or another node."""


class Receiver(Protocol):
    """A receiver of what arrives. What has to be asked because of it is issued to the channel's `requests`."""

    def resync(self) -> None:
        """The connection is a new one: issue what brings us in step again."""

    def receive(self, reply: m.Reply | m.Update) -> None:
        """Take in one message. Raises: StoreUnavailable."""

    def end(self, error: ClientError) -> None:
        """End: no more messages will come."""


class Channel:
    """A player's channel to a server, from `connect` to `close`. requests: those that are not answered yet.

    patience_s, on_link, rng, sleep: see `Client`.
    """

    patience_s: float | None = None

    def __init__(
        self,
        url: str,
        identity: Identity,
        on_link: Callable[[Link], None] | None = None,
        rng: random.Random | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.url = url
        self.link = Link(online=False)
        self._identity, self._on_link = identity, on_link
        self._rng, self._sleep = rng or random.Random(), sleep
        self.requests = Requests(self._rng)
        self.new_id = self.requests.new_id
        self.looking_back = asyncio.Lock()  # one record at a time: a player may look back some 2 times a second
        self._connection: ClientConnection | None = None
        self._retry_after = 0.0
        self._reader: asyncio.Task[None] | None = None
        self._ended: ClientError | None = None

    async def connect(self, receiver: Receiver) -> None:
        """Connect, say hello, and stay connected. Raises: ConnectionFailed, Refused."""
        connection = await self._connect()
        self.link = Link(online=True)
        self._reader = asyncio.create_task(self._run(connection, receiver), name="tavla client")
        await asyncio.sleep(0)  # once it has begun, it ends properly however soon it is cancelled

    async def close(self) -> None:
        """Disconnect for good. Requests that wait for an answer raise ConnectionFailed."""
        assert self._reader is not None, "connected before"
        self._reader.cancel()
        await asyncio.wait([self._reader])  # a caller that is cancelled meanwhile notices it
        if not self._reader.cancelled():
            self._reader.result()

    @property
    def steady_since(self) -> float | None:
        """The loop's time from which on the server has answered each ping soon; None = it does not."""
        return getattr(self._connection, "steady_since", None)

    async def ask(self, request: m.RequestBase, kind: type[R]) -> R:
        """The reply to a request: as `request`, and it is of this kind. Raises: ConnectionFailed, too, if it is not."""
        reply = await self.request(request)
        if not isinstance(reply, kind):
            what = type(request).__name__.lower()
            raise ConnectionFailed(f"{self.url} answers {what} with {type(reply).__name__.lower()}")
        return reply

    async def request(self, request: m.RequestBase) -> Any:
        """Send a request until it is answered, however often the connection is lost or the server's store is away.

        Returns: the answer; what the receiver makes of it, for requests that lead to a match.
        Raises: Refused; `unavailable` only after UNAVAILABLE_TRIES. ConnectionFailed, when the client is closed first,
        or the answer takes longer than `patience_s`.
        """
        patience_s = None if isinstance(request, _FOR_OTHERS) else self.patience_s
        try:
            async with asyncio.timeout(patience_s) as limit:
                return await self._answered(request)
        except TimeoutError:
            if not limit.expired():
                raise
            why = f": {self.link.reason}" if self.link.reason else ""
            raise ConnectionFailed(f"{self.url} has not answered within {patience_s:g} s{why}") from None

    async def _answered(self, request: m.RequestBase) -> Any:
        for _ in range(UNAVAILABLE_TRIES - 1):
            try:
                return await self._request(request)
            except Refused as refused:
                if refused.code != ErrorCode.UNAVAILABLE:
                    raise
            await self._sleep(UNAVAILABLE_RETRY_S * self._rng.uniform(0.5, 1.5))
        return await self._request(request)

    async def _request(self, request: m.RequestBase) -> Any:
        if self._ended is not None:
            raise self._ended
        answer = self.requests.track(request)
        try:
            if self._connection is None:
                self.requests.enqueue(request)
            else:
                with suppress(ConnectionClosed):  # then it is sent again, on the next connection
                    await self._connection.send(encode(request))
            return await answer
        finally:
            self.requests.forget(request.id)

    async def _run(self, connection: ClientConnection, receiver: Receiver) -> None:
        """Read until the connection is lost, then connect again; the one task that a client has."""
        error: ClientError = ConnectionFailed("this client was closed")
        clock = asyncio.get_running_loop().time
        attempt = 0
        try:
            while True:
                since = clock()
                reason = await self._read(connection, receiver)
                attempt = 0 if clock() - since > STABLE_S else attempt
                connection, attempt = await self._reconnect(attempt, reason)
        except ClientError as fatal:
            error = fatal
        finally:
            self._ended = error
            self.link = Link(online=False, reason=str(error))
            self.requests.fail(error)
            receiver.end(error)

    async def _reconnect(self, attempt: int, reason: str) -> tuple[ClientConnection, int]:
        """Try until there is a connection again. Returns: it, and the number of the next attempt.

        Raises: Refused, when the server does not know us any more, or a moderator keeps us out.
        """
        while True:
            delay = retry_delay(attempt, self._retry_after, self._rng)
            attempt, self._retry_after = attempt + 1, 0.0
            self._tell(Link(False, delay, reason))
            await self._sleep(delay)
            try:
                return await self._connect(), attempt
            except ConnectionFailed as failed:
                reason, self._retry_after = str(failed), failed.retry_after or self._retry_after
            except Refused as refused:
                if refused.code in (ErrorCode.BAD_TOKEN, ErrorCode.BANNED):
                    raise
                reason = refused.text

    async def _connect(self) -> ClientConnection:
        """Connect and say hello. Raises: ConnectionFailed, Refused."""
        connection = await open_connection(self.url)
        try:
            async with asyncio.timeout(HELLO_TIMEOUT_S):
                await connection.send(encode(self._identity.hello(self.new_id())))
                self._on_hello_answered(decode_reply(await connection.recv(decode=False)))
        except BaseException as error:
            await connection.close()
            if isinstance(error, TimeoutError):
                raise ConnectionFailed(f"{self.url} does not answer hello within {HELLO_TIMEOUT_S:g} s") from error
            if isinstance(error, ConnectionClosed | BadFrame | BadMessage):
                raise ConnectionFailed(f"{self.url} does not answer as a Tavla server does: {error}") from error
            raise
        return connection

    def _on_hello_answered(self, reply: object) -> None:
        match reply:
            case m.Welcome():
                if reply.name and not _NAME.fullmatch(reply.name):
                    raise ConnectionFailed(f"{self.url} gives a name that no player has: it is no Tavla server")
                self._identity.on_welcome(reply)
            case m.Error():
                raise Refused(reply.code, reply.text, retry_after=reply.retry_after)
            case m.Closing():
                self._retry_after = reply.retry_after
                raise ConnectionFailed(reply.text)
            case _:
                raise ConnectionFailed(f"{self.url} answers hello with {type(reply).__name__.lower()}")

    async def _read(self, connection: ClientConnection, receiver: Receiver) -> str:
        """Everything on one connection, from the resync to its end. Returns why it ended."""
        reason = "the connection was lost"
        try:
            receiver.resync()
            await self._flush(connection)
            self._connection = connection
            self._tell(Link(online=True))
            while True:
                reply = _decoded(await connection.recv(decode=False))
                if isinstance(reply, m.Closing):
                    reason, self._retry_after = reply.text, reply.retry_after
                _received(receiver, reply)
                await self._flush(connection)
        except ConnectionClosed as closed:
            if closed.rcvd is not None and closed.rcvd.code == CloseCode.LOGGED_OUT:
                raise Refused(ErrorCode.BAD_TOKEN, reason) from None
            if closed.rcvd is not None and closed.rcvd.code == CloseCode.REMOVED:
                raise Refused(ErrorCode.BANNED, reason) from None
            return reason
        except StoreUnavailable as away:
            return str(away)
        except BadFrame as bad:
            await connection.close(CloseCode.NOT_MSGPACK)
            return str(bad)
        finally:
            self._connection = None
            await connection.close()

    async def _flush(self, connection: ClientConnection) -> None:
        """Send what is to be asked because of what has arrived."""
        while (request := self.requests.dequeue()) is not None:
            await connection.send(encode(request))

    def _tell(self, link: Link) -> None:
        self.link = link
        if self._on_link is not None:
            self._on_link(link)


def _received(receiver: Receiver, reply: m.Reply | m.Update) -> None:
    """Hand a message over. Raises: StoreUnavailable; ConnectionFailed, for values that cannot be."""
    try:
        receiver.receive(reply)
    except _UNREADABLE as error:
        log.exception("%s cannot be read", type(reply).__name__)
        text = f"the server has sent what cannot be read: {type(reply).__name__.lower()}, {error}"
        raise ConnectionFailed(text) from error


def _decoded(frame: bytes) -> m.Reply | m.Update:
    """A message. One of a newer server, perhaps, is an error to the request that it answers. Raises: BadFrame."""
    try:
        return decode_reply(frame)
    except BadMessage as bad:
        log.warning("unknown message: %s", bad)
        return m.Error(id=bad.id, code=ErrorCode.BAD_MESSAGE, text=f"the answer cannot be read: {bad}")
