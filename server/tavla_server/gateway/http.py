"""Answers to plain HTTP: whether this node should be given connections (`/healthz`, `/readyz`), for the page on this
machine the address to invite others to (`/address`), and what features add."""

import http
import math
import re
import resource
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

import structlog
from websockets.http11 import Request, Response

from tavla_server import files
from tavla_server.cluster.lag import Lag
from tavla_server.cluster.liveness import Liveness
from tavla_server.deadline import time_limit
from tavla_server.delivery.bad_requests import METHOD, METHODS
from tavla_server.delivery.handshake import Handshake
from tavla_server.errors import StoreUnavailable
from tavla_server.gateway.admission import FULL_S, FULL_TEXT, HASTY_TEXT, Admission, Rejection
from tavla_server.gateway.client_address import address_of, forwarded_addresses, network_of
from tavla_server.gateway.costs import HTTP, Costs
from tavla_server.gateway.known_hosts import KnownHosts
from tavla_server.gateway.origins import Origins
from tavla_server.options import Options
from tavla_server.own_addresses import addresses, at_port
from tavla_server.store.client import Client
from tavla_server.telemetry.metrics import LIMITS

LAG_LIMIT_S = 0.25  # of the event loop: past it players notice, and more of them would make it worse
REDIS_S = 1.0  # for its answer
RESERVED_FILES = 64  # for the store, the archive, and those who are refused
# Of every answer that has not its own: a browser guesses no type of it, runs nothing in it, and frames it nowhere.
GUARDS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
FRAMED = "frame-ancestors *"  # of an answer that is made for frames of other sites
TLS_ALONE = {"Strict-Transport-Security": "max-age=31536000"}  # for a name with a dot: localhost has other servers, too
PROBES = ("/healthz", "/readyz")  # asked by machines, by any name; their answers tell nothing
TOO_MUCH = "you ask for too much: ask again in a minute"
FULL_LOGGED_S = 60.0  # between two lines of the log

log = structlog.get_logger()


def room_for_connections() -> int:
    """The number of connections for which the system's limit of open files leaves room."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 30 if soft == resource.RLIM_INFINITY else max(1, soft - RESERVED_FILES)


class Path(NamedTuple):
    """Paths of HTTP that a feature answers. answer: of a request and the match of its path; None = not this one.

    cost: of a request, in ms of the loop, see `costs`; 0 = it is none of the expensive ones.
    """

    pattern: re.Pattern[str]
    answer: Callable[[Handshake, re.Match[str]], Awaitable[Response | None]]
    cost: float = 0.0


class Http:
    """The HTTP of a node. It looks how late the event loop is, and asks the store, when it is asked.

    draining: connections are being given up, and there will be no new ones. room: for so many of them, in open files.
    """

    def __init__(
        self,
        redis: Client,
        lag: Lag,
        liveness: Liveness,
        admission: Admission,
        costs: Costs,
        options: Options,
        paths: Sequence[Path],
        troubles: Sequence[Callable[[], str]],
    ) -> None:
        """troubles: each says what this node does without; "" = nothing."""
        self.draining = False
        self.room = room_for_connections()
        self.admission, self._costs = admission, costs
        self._known_hosts, self._origins = KnownHosts(options.known_names), Origins(options.allow_origin)
        self._behind_proxy, self._host, self._data = options.behind_proxy, options.host, options.store_folder
        self._redis, self._lag, self._liveness = redis, lag, liveness
        self._paths, self._troubles = paths, troubles
        self._full_logged_s = -FULL_LOGGED_S

    async def why_not_ready(self) -> str:
        """Why this node should get no connections now, in a few words; "" = it should."""
        if self.draining:
            return "draining"
        if self._lag.lag_s > LAG_LIMIT_S:
            return f"overloaded: {1000 * self._lag.lag_s:.0f} ms late"
        try:
            async with time_limit(REDIS_S):
                await self._redis.ping()
        except (StoreUnavailable, TimeoutError):
            why = self._redis.router.masters.why_away
            return self._why_disk() or (f"redis cannot be used: {why}" if why else "redis does not answer")
        if self._liveness.refused:
            return self._why_disk() or f"redis refuses to write: {self._liveness.refused}"
        return ""

    def _why_disk(self) -> str:
        """Why the disk keeps an embedded store from working; "" = it does not."""
        try:
            why = files.why_not_writable(self._data) if self._data is not None else ""
        except OSError as error:
            why = f"away: {error.strerror}"
        return f"the disk of the data folder is {why}" if why else ""

    def _ready(self) -> str:
        """The text of a node that takes connections, and what it does without meanwhile."""
        trouble = " and ".join(filter(None, (trouble() for trouble in self._troubles)))
        return f"ready, but {trouble}" if trouble else "ready"

    def is_full(self, connections: int) -> bool:
        """True if there are more connections than there is room for; then the log says so."""
        if connections <= self.room:
            return False
        if time.monotonic() - self._full_logged_s > FULL_LOGGED_S:
            self._full_logged_s = time.monotonic()
            log.warning("no_more_connections", room=self.room, what="raise the limit of open files (ulimit -n)")
        return True

    async def answer(self, handshake: Handshake, connections: int) -> Response | None:
        """The answer to plain HTTP; None for a WebSocket that may come in. connections: their number."""
        request = handshake.whole_request
        if (answer := await self._answer(handshake, request, connections)) is not None:
            hosts = request.headers.get_all("Host") if handshake.is_encrypted else []
            guards = GUARDS | (TLS_ALONE if any("." in host for host in hosts) else {})
            if FRAMED in answer.headers.get("Content-Security-Policy", ""):
                del guards["X-Frame-Options"]
            answer.headers.update({name: value for name, value in guards.items() if name not in answer.headers})
        return answer

    async def _answer(self, handshake: Handshake, request: Request, connections: int) -> Response | None:
        address = address_of(handshake, self._behind_proxy)
        if not self.admission.awaits(address) and (wait_s := self._costs.charge(HTTP, address, network_of(address))):
            return _turned_away(handshake, Rejection(HASTY_TEXT, wait_s, alone=True))
        if request.method not in METHODS:
            return handshake.refusal(METHOD)
        path = request.path.partition("?")[0]
        if path not in PROBES and (why := self._known_hosts.why_unknown(request.headers.get_all("Host"))):
            return handshake.reply(http.HTTPStatus.MISDIRECTED_REQUEST, why)
        match path:
            case "/healthz":
                return handshake.reply(http.HTTPStatus.OK, "ok")
            case "/readyz":
                full = "full" if self.is_full(connections) else ""
                reason = full or await self.why_not_ready()
                status = http.HTTPStatus.SERVICE_UNAVAILABLE if reason else http.HTTPStatus.OK
                return handshake.reply(status, reason or self._ready())
            case "/address":
                return handshake.reply(http.HTTPStatus.OK, self._address(handshake))
        if not _is_upgrade(request) and (answer := await self._answer_of_feature(handshake, path)) is not None:
            return answer
        if path in ("/", "/ws"):
            return self._why_not(handshake, connections)
        return handshake.reply(http.HTTPStatus.NOT_FOUND, "nothing is here: connect a WebSocket to /")

    async def _answer_of_feature(self, handshake: Handshake, path: str) -> Response | None:
        for pattern, answer, cost in self._paths:
            if (found := pattern.fullmatch(path)) is not None:
                address = address_of(handshake, self._behind_proxy)
                hasty = self.admission.check_rate(address)
                if hasty is not None:
                    return _turned_away(handshake, hasty)
                if cost and self._costs.charge(cost, address, network_of(address)):
                    return handshake.reply(http.HTTPStatus.TOO_MANY_REQUESTS, TOO_MUCH)
                if (answered := await answer(handshake, found)) is not None:
                    return answered
        return None

    def _why_not(self, handshake: Handshake, connections: int) -> Response | None:
        """The refusal of a WebSocket; None = it may come in."""
        request = handshake.whole_request
        if self.draining:
            return handshake.reply(http.HTTPStatus.SERVICE_UNAVAILABLE, "this server stops: connect again")
        if not self._origins.may_connect(request):
            return handshake.reply(http.HTTPStatus.FORBIDDEN, "pages of this origin may not connect: --allow-origin")
        address = address_of(handshake, self._behind_proxy)
        rejection = self.admission.check(address)
        if rejection is None and self.is_full(connections) and not self.admission.awaits(address):
            LIMITS.add("open_files")
            rejection = Rejection(FULL_TEXT, FULL_S)
        return None if rejection is None else _turned_away(handshake, rejection)

    def _address(self, handshake: Handshake) -> str:
        """Address at which others reach this server, for the page on this machine; "" = nowhere, or not told."""
        if self._behind_proxy or forwarded_addresses(handshake) or address_of(handshake, self._behind_proxy):
            return ""
        return next((at_port(one, handshake.local_address[1]) for one in addresses(self._host)), "")


def _is_upgrade(request: Request) -> bool:
    return any("websocket" in value.lower() for value in request.headers.get_all("Upgrade"))


def _turned_away(handshake: Handshake, rejection: Rejection) -> Response:
    """503 concerns the server, 429 the address alone: a proxy that counts a server's failures tells them apart."""
    status = http.HTTPStatus.TOO_MANY_REQUESTS if rejection.alone else http.HTTPStatus.SERVICE_UNAVAILABLE
    answer = handshake.reply(status, rejection.text)
    answer.headers["Retry-After"] = str(math.ceil(rejection.retry_s))
    return answer
