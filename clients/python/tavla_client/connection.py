"""WebSocket connections: opened, watched, and the delay before the next one."""

import asyncio
import errno
import http
import ipaddress
import logging
import random
import socket
import ssl
from typing import NamedTuple

from tavla_protocol import SUBPROTOCOL
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, InvalidMessage, InvalidProxy, InvalidStatus, InvalidURI
from websockets.frames import CloseCode
from websockets.typing import Subprotocol

from tavla_client.errors import ConnectionFailed

OPEN_TIMEOUT_S = 5.0  # TCP, TLS and the WebSocket handshake together
PING_INTERVAL_S = 1.0  # a connection that died silently is noticed after these three together, at most
PING_TIMEOUT_S = 1.2  # as the page's: a line that is slower than that is no use for play with a clock
SOON_S = 1.0  # for an answer; where one takes longer, or our loop stands still, no clock of ours is told
CLOSE_TIMEOUT_S = 0.5
LOOKS = 2  # for the answer to a ping
MAX_FRAME_BYTES = 2**23  # a server's frame; the longest is a list of 1,000 programs that say 4 KB each

QUICK_RETRY_S = 0.25  # most of the wait before the first retry, and before the next QUICK ones
LEAST_RETRY_S = 0.1  # but before the first
QUICK = 20  # together 3.5 s on average: a server that was killed is back by then, on a busy machine, too
MAX_RETRY_S = 3.0  # then it doubles up to this: people look at the screen when the server is back after a long outage
MAX_RETRY_AFTER_S = 300.0  # what a server may ask for

# Of all together, of one address.
NO_ROOM = (http.HTTPStatus.SERVICE_UNAVAILABLE, http.HTTPStatus.TOO_MANY_REQUESTS)
NO_TLS = "does not answer with TLS: is the port right? A server without TLS is ws://, not wss://"

log = logging.getLogger("tavla_client")
log.addHandler(logging.NullHandler())  # a program that sets up no logging gets no stray lines on its terminal


class PatientConnection(ClientConnection):
    """A connection that takes no server for silent since the program itself stood still, as one does that computes."""

    steady_since: float | None = None  # the loop's time from which on each ping was answered soon; None = not yet

    async def keepalive(self) -> None:
        """Send pings, and close when one is not answered. Looks count, between which the loop reads what has come."""
        clock = asyncio.get_running_loop().time
        while True:
            began = clock()
            await asyncio.sleep(PING_INTERVAL_S)
            pong = asyncio.ensure_future(await self.ping())
            for _ in range(LOOKS):
                await asyncio.wait([pong], timeout=PING_TIMEOUT_S / LOOKS)
            if not pong.done():
                async with self.send_context():  # until the end, which cancels this
                    self.protocol.fail(CloseCode.INTERNAL_ERROR, "keepalive ping timeout")
            if self.steady_since is None or clock() - began > PING_INTERVAL_S + SOON_S:
                self.steady_since = clock()


class Link(NamedTuple):
    """The link to the server and its state. retry_s: until the next attempt. reason: why it was lost."""

    online: bool
    retry_s: float = 0.0
    reason: str = ""


def retry_delay(attempt: int, retry_after: float, rng: random.Random) -> float:
    """Seconds before the retry number `attempt`, from 0. By chance: clients that were cut together return apart.

    retry_after: the least that the server asked for.
    """
    most = min(MAX_RETRY_S, QUICK_RETRY_S * 2 ** min(max(0, attempt - QUICK), 16))
    return min(max(0.0, retry_after), MAX_RETRY_AFTER_S) + rng.uniform(LEAST_RETRY_S if attempt else 0.0, most)


async def open_connection(url: str) -> ClientConnection:
    """Connect to a server. Raises: ConnectionFailed, with a sentence that says what to look at."""
    try:
        connection = await connect(
            url,
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            compression=None,  # frames are a few dozen bytes
            proxy=None if _is_local(url) else True,
            open_timeout=OPEN_TIMEOUT_S,
            close_timeout=CLOSE_TIMEOUT_S,
            max_size=MAX_FRAME_BYTES,
            logger=log,
            create_connection=PatientConnection,
        )
    except (OSError, ValueError, InvalidHandshake, InvalidProxy, InvalidURI, ImportError) as error:
        raise ConnectionFailed(_why(url, error), _retry_after(error)) from error
    if connection.subprotocol != SUBPROTOCOL:
        await connection.close()
        raise ConnectionFailed(f"{url} answers, but does not speak {SUBPROTOCOL}: is it a Tavla server?")
    return connection


def _is_local(url: str) -> bool:
    """True if the server is on this machine, which no proxy can reach."""
    host = url.partition("://")[2].partition("/")[0].rpartition("@")[2]
    host = host.partition("]")[0].strip("[") if host.startswith("[") else host.partition(":")[0]
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _retry_after(error: Exception) -> float:
    """For how many seconds the server asks, when it has no room; 0 if it does not say."""
    if not isinstance(error, InvalidStatus) or error.response.status_code not in NO_ROOM:
        return 0.0
    said = error.response.headers.get_all("Retry-After")
    return float(said[0]) if said and said[0].isdecimal() else 0.0


def _why(url: str, error: Exception) -> str:
    match error:
        case InvalidStatus() if error.response.status_code == http.HTTPStatus.TOO_MANY_REQUESTS:
            return f"{url} takes no more connections from your address just now: try again in {_retry_after(error):g} s"
        case InvalidStatus() if wait_s := _retry_after(error):
            return f"{url} takes no more connections just now: try again in {wait_s:g} s"
        case InvalidStatus() if error.response.status_code == http.HTTPStatus.SERVICE_UNAVAILABLE:
            return f"no server is ready at {url}: it may be starting, or stopping"
        case InvalidStatus() if error.response.status_code == http.HTTPStatus.MISDIRECTED_REQUEST:
            return f"the server at {url} does not know this name for itself: its operator may give it --host-name"
        case InvalidStatus():
            return f"{url} answers with HTTP {error.response.status_code}: is it a Tavla server?"
        case InvalidProxy() | ImportError():
            return f"the proxy in your environment cannot be used: {error}"
        case InvalidMessage() if url.startswith("ws:"):
            return f"{url} answers, but not as a Tavla server: is the port right? If it has TLS, write wss:// for ws://"
        case InvalidHandshake():
            return f"{url} answers, but not as a Tavla server: {error}"
        case socket.gaierror() if error.errno == socket.EAI_AGAIN:
            return f"no name server answers for the host name in {url}: is this machine online?"
        case socket.gaierror():
            return f"the host name in {url} is unknown"
        case ssl.SSLError():
            if error.reason == "WRONG_VERSION_NUMBER":
                return f"{url} {NO_TLS}"
            return f"{url} cannot be trusted: {error.reason or error}"
        case ConnectionResetError() | ConnectionAbortedError() if url.startswith("wss:"):
            return f"{url} {NO_TLS}"
        case InvalidURI() | ValueError():  # a port beyond all ports (of errors above, some are ValueErrors, too)
            return f"{url!r} is not the address of a server: it looks like ws://host:8765 or wss://host"
        case TimeoutError():
            return f"{url} did not answer within {OPEN_TIMEOUT_S:g} s"
        # asyncio tells of several addresses in one text: ::1 and 127.0.0.1, for localhost.
        case OSError() if isinstance(error, ConnectionRefusedError) or f"[Errno {errno.ECONNREFUSED}]" in str(error):
            return f"no server answers at {url}: is it running, and the port right?"
    return f"{url} cannot be reached: {str(error) or type(error).__name__}"  # some errors have no text
