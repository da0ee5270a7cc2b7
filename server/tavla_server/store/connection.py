"""A connection to the store: bytes out, replies in. Below everything that redis-py is too slow or too patient for."""

import asyncio
import functools
import inspect
import socket
import ssl
from collections.abc import Callable
from typing import Any, cast
from urllib.parse import urlsplit

import hiredis
from redis.asyncio.connection import ConnectKwargs, SSLConnection, parse_url
from redis.exceptions import RedisError

from tavla_server.deadline import time_limit
from tavla_server.errors import StoreRefused, StoreUnavailable
from tavla_server.telemetry import certificates

CONNECT_TIMEOUT_S = 3.0
LOOKS = 10  # at a connection, within the time after which it is taken for silent
AT_ONCE = 32  # replies that are handed over before others have their turn: what follows from one can take 0.3 ms
KEEPALIVE = {"TCP_KEEPIDLE": 3, "TCP_KEEPINTVL": 1, "TCP_KEEPCNT": 3}  # s, s, times; where the system has them

Reply = Any  # an int, bytes, a list, None or a StoreRefused


def pack_command(*args: bytes) -> bytes:
    """A command as Redis reads it."""
    return b"*%d\r\n" % len(args) + b"".join([b"%b%b\r\n" % (size_of(arg), arg) for arg in args])


def part(arg: bytes) -> bytes:
    """A part of a packed command."""
    return b"%b%b\r\n" % (size_of(arg), arg)


def size_of(arg: bytes) -> bytes:
    """The length that precedes a part of a command."""
    size = len(arg)
    return SIZES[size] if size < len(SIZES) else b"$%d\r\n" % size


SIZES = [b"$%d\r\n" % size for size in range(256)]
ROLE = pack_command(b"ROLE")  # the answer shows a replica, before anything is written
_TURNS = range(AT_ONCE)
REFUSALS = {  # by the code of an error: what is wrong with a store that answers
    "WRONGPASS": "it does not take our password",
    "NOAUTH": "it wants a password",
    "NOPERM": "its user may not do what we need",
    "READONLY": "it is a replica, and takes no writes",
    "LOADING": "it reads its data",
    "CLUSTERDOWN": "its cluster is down",
}
PASSING = frozenset((REFUSALS["LOADING"],))  # ends by itself: an operator has nothing to do


class StoreConnection(asyncio.Protocol):
    """A connection to Redis. lost: done when it has ended, for any reason."""

    transport: asyncio.Transport
    _quiet = False  # nothing has come since the last look

    def __init__(self) -> None:
        self._reader = hiredis.Reader(replyError=StoreRefused)
        self._next = self._reader.gets  # what has come as a whole; False = nothing
        self._replies: asyncio.Queue[Reply] = asyncio.Queue()
        self._received: Callable[[Reply], None] = self._replies.put_nowait
        self._pending: asyncio.Handle | None = None  # hands over what was too much for one turn
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def start(self, received: Callable[[Reply], None]) -> None:
        """From now on hand replies over as they come."""
        self._received = received

    def send(self, commands: bytes) -> None:
        """Send packed commands.

        Raises: StoreUnavailable when the connection has ended, where uvloop has an error of its own.
        """
        if self.transport.is_closing():
            raise StoreUnavailable("Redis closed the connection")
        self.transport.write(commands)

    async def next_reply(self) -> Reply:
        """The next reply, before `start`. Raises: StoreUnavailable when the connection ends before."""
        reply = asyncio.ensure_future(self._replies.get())
        try:
            await asyncio.wait([reply, self.lost], return_when=asyncio.FIRST_COMPLETED)
        finally:
            reply.cancel()  # if it has not come
        if not reply.done():
            raise StoreUnavailable("Redis closed the connection")
        return reply.result()

    async def wait_for_end(self, reply_s: float, is_asked: Callable[[], bool]) -> None:
        """Returns when it has ended; it is cut if nothing comes for `reply_s`, or LOOKS-th parts more, while it should.

        is_asked: called at each look; whether an answer is due.
        Looks count, between which the loop reads what has come: a loop that was late takes no server for silent.
        """
        silent = 0
        while silent < LOOKS:
            self._quiet, asked = True, is_asked()
            await asyncio.wait([self.lost], timeout=reply_s / LOOKS)
            if self.lost.done():
                return
            silent = silent + 1 if asked and self._quiet else 0
        self.transport.abort()
        await self.lost

    def abort(self) -> None:
        """End it at once; replies that have come already are handed over no more."""
        self._received = lambda reply: None
        self.transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's is one by its methods, not by its class

    def data_received(self, data: bytes) -> None:
        self._quiet = False
        self._reader.feed(data)
        if self._pending is None:
            self._hand_over()

    def _hand_over(self) -> None:
        self._pending = None
        following = self._next
        for _ in _TURNS:
            if (reply := following()) is False:
                return
            received = self._received  # (another one, once it was aborted)
            received(reply)
        self._pending = asyncio.get_running_loop().call_soon(self._hand_over)

    def connection_lost(self, exc: Exception | None) -> None:
        while (reply := self._next()) is not False:  # what has come is not to be sent again
            self._received(reply)
        if not self.lost.done():
            self.lost.set_result(None)


async def connect(url: str, setup: list[bytes]) -> StoreConnection:
    """A connection that is logged in and has run the packed commands of `setup`.

    url: as redis-py reads it, with its options for TLS.
    Raises: ValueError when there are no such options; StoreUnavailable when the store cannot be reached; StoreRefused
    when it refuses us, or takes no writes, or is not who it should be.
    """
    try:
        async with time_limit(CONNECT_TIMEOUT_S):
            connection = await _open(url)
            try:
                await _run(connection, [*_login(parse_url(url)), *setup])
            except BaseException:
                connection.transport.abort()
                raise
            return connection
    except ssl.SSLError as error:  # reachable, but not trusted
        raise StoreRefused(str(error)) from error
    except OSError as error:  # TimeoutError is one
        raise StoreUnavailable(str(error)) from error


def why_away(error: StoreUnavailable) -> str:
    """Why a store cannot be used, in a few words that an operator can do something about; "" = it does not answer."""
    cause = error.__cause__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {cause.verify_message}"
    if isinstance(cause, ssl.SSLError):
        return "it agrees on no TLS with us"
    if isinstance(cause, socket.gaierror):
        return "its name is not known"
    return REFUSALS.get(str(error).partition(" ")[0], "")


async def _open(url: str) -> StoreConnection:
    loop, target = asyncio.get_running_loop(), parse_url(url)
    if "path" in target:
        _, connection = await loop.create_unix_connection(StoreConnection, target["path"])
    else:
        host, port = target.get("host", "localhost"), target.get("port", 6379)
        transport, connection = await loop.create_connection(StoreConnection, host, port, ssl=_tls(url))
        _keep_alive(transport.get_extra_info("socket"))
        if certificate := transport.get_extra_info("peercert"):  # one that was looked at
            certificates.note("store", float(ssl.cert_time_to_seconds(certificate["notAfter"])))
    return connection


async def _run(connection: StoreConnection, commands: list[bytes]) -> None:
    connection.send(b"".join(commands))
    for command in commands:
        if (error := _unfit(command, await connection.next_reply())) is not None:
            raise error


def _unfit(command: bytes, reply: Reply) -> StoreRefused | None:
    """The fault that a reply shows: an error, a replica's reply to ROLE, or a cluster that is down."""
    if command is ROLE and isinstance(reply, StoreRefused) and str(reply).startswith("NOPERM"):
        return None  # a user that may do all but what is dangerous: a replica then refuses what is written
    if isinstance(reply, list) and reply[:1] == [b"slave"]:
        return StoreRefused("READONLY it is a replica")
    if isinstance(reply, bytes) and b"cluster_state:fail" in reply:
        return StoreRefused("CLUSTERDOWN the cluster is down")
    return reply if isinstance(reply, StoreRefused) else None


def _tls(url: str) -> ssl.SSLContext | None:
    parts = urlsplit(url)
    if parts.scheme == "rediss":
        return _context(parts.query)
    if any(name.startswith("ssl_") for name in parse_url(url)):
        raise ValueError("the options ssl_... are for rediss://")
    return None


@functools.cache  # to read the system's authorities takes 40 ms, and Sentinels are asked each second
def _context(query: str) -> ssl.SSLContext:
    options: Any = {name: value for name, value in parse_url(f"rediss://?{query}").items() if name.startswith("ssl_")}
    if unknown := options.keys() - inspect.signature(SSLConnection).parameters.keys():
        raise ValueError(f"there is no option {min(unknown)}")
    try:
        return SSLConnection(**options).ssl_context.get()
    except RedisError as error:
        raise ValueError(error) from None


def _keep_alive(connection: socket.socket) -> None:
    """Notice that the other end is gone, even while nothing is sent: the next command would have to wait for that."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEPALIVE.items():
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def _login(target: ConnectKwargs) -> list[bytes]:
    commands = []
    if password := target.get("password"):
        user = target.get("username") or "default"
        commands.append(pack_command(b"AUTH", user.encode(), password.encode()))
    if db := target.get("db"):
        commands.append(pack_command(b"SELECT", b"%d" % db))
    return commands
