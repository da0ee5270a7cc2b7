"""The masters that hold the data: a single one, the one that Sentinels name, or those of a cluster."""

import asyncio
import contextlib
import operator
import random
import re
from collections.abc import Awaitable, Callable
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import structlog
from redis.asyncio.connection import parse_url
from redis.cluster import parse_cluster_slots
from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot

from tavla_server.deadline import time_limit
from tavla_server.errors import StoreRefused, StoreUnavailable
from tavla_server.store.connection import ROLE, Reply, connect, pack_command

LOOK_S = 1.0  # between two looks, as long as all goes well
AWAY_S = 0.1  # while a master is not reached
PAUSE_S = 0.1  # at least
ANSWER_S = 0.5  # for one of several servers that may be asked; then another one is

log = structlog.get_logger()

Find = Callable[[], Awaitable[list[str]]]


class Topology:
    """The topology: masters as of now, by the slots of a cluster; what is not a cluster is one slot.

    by_slot: their URLs, as redis-py reads one of a single server; one of them, or REDIS_CLUSTER_HASH_SLOTS.
    check: packed commands that a new connection sends first; the answers show whether it is of use.
    changed: called when by_slot is another. fixed: it never is. reached: asked whether all of them are.
    """

    def __init__(self, find: Find, check: list[bytes], fixed: bool = False) -> None:
        """find: looks for `by_slot`. fixed: it finds always the same."""
        self.by_slot: list[str] = []
        self.check = check
        self.changed: list[Callable[[], None]] = []
        self.reached: list[Callable[[], bool]] = []
        self._find, self.fixed = find, fixed
        self._invalid = asyncio.Event()

    def slot(self, key: bytes) -> int:
        """The slot of a key."""
        return key_slot(key) if len(self.by_slot) > 1 else 0

    def of(self, key: bytes) -> str:
        """The URL of a key's master."""
        return self.by_slot[self.slot(key)]

    async def look(self) -> None:
        """Find the masters of now. Raises: StoreUnavailable when no server can name them."""
        found = await self._find()
        if found != self.by_slot:
            if set(found) == set(self.by_slot):
                log.info("slots_moved", slots=sum(map(operator.ne, found, self.by_slot)))
            elif self.by_slot:
                log.warning("masters_changed", masters=sorted(map(host_of, set(found))))
            self.by_slot = found
            for changed in self.changed:
                changed()

    def invalidate(self) -> None:
        """A master does not answer, or says that it is none: look soon."""
        self._invalid.set()

    async def run(self) -> None:
        """Look again and again, unless the masters cannot change. Runs until it is cancelled.

        No `Sweep`: it finds the masters that every sweep needs.
        """
        while not self.fixed:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S if all(reached() for reached in self.reached) else AWAY_S):
                    await self._invalid.wait()
            self._invalid.clear()
            try:
                await self.look()
            except StoreUnavailable as error:
                log.info("masters_not_found", error=str(error))
            await asyncio.sleep(PAUSE_S)


async def find_topology(url: str) -> Topology:
    """The masters of a Redis.

    url: `redis://`, `rediss://` or `unix://` of a single server, as redis-py reads it; or with several hosts
    `redis+sentinel://[user:password@]host:port,.../service[/db]` and `redis+cluster://[user:password@]host:port,...`,
    with `rediss+` for TLS and the options that redis-py has for it. User and password are those of the masters;
    `?sentinel_username=...&sentinel_password=...` are those of the Sentinels.
    Raises: ValueError when it is none of these; StoreUnavailable when no server answers.
    """
    kind = url.partition("://")[0].partition("+")[2]
    if kind == "sentinel":
        topology = Topology(_Sentinels(_parse(url, 26379)).find, [ROLE])
    elif kind == "cluster":
        topology = Topology(_Cluster(_parse(url, 6379)).find, [pack_command(b"CLUSTER", b"INFO")])
    else:
        parse_url(url)

        async def find() -> list[str]:
            return [url]

        # (With TLS a store may close what it has accepted, when it has seen our certificate.)
        topology = Topology(find, [ROLE], fixed=True)
    await topology.look()
    return topology


class _Address(NamedTuple):
    """A URL with several hosts, taken apart. login: with its @, or empty. path: without slashes at its ends."""

    scheme: str
    login: str
    hosts: list[tuple[str, int]]
    path: str
    query: dict[str, str]

    def url(self, host: str, port: int, db: str = "0") -> str:
        """Of one server with the same login."""
        options = f"?{urlencode(self.query)}" if self.query else ""
        return f"{self.scheme}://{self.login}{f'[{host}]' if ':' in host else host}:{port}/{db}{options}"


def _parse(url: str, default_port: int) -> _Address:
    scheme, _, rest = url.partition("://")
    rest, _, query = rest.partition("?")
    netloc, _, path = rest.partition("/")
    login, at, hosts = netloc.rpartition("@")
    parts = [urlsplit(f"//{host}") for host in hosts.split(",")]
    if not all(part.hostname for part in parts):
        raise ValueError("it names no host")
    found = [(part.hostname or "", part.port or default_port) for part in parts]
    address = _Address(scheme.partition("+")[0], login + at, found, path.strip("/"), dict(parse_qsl(query)))
    parse_url(address.url(*found[0]))
    return address


class _Named(NamedTuple):
    """A master, as a Sentinel names it. epoch: of the configuration that says so; each failover makes a higher one."""

    epoch: int
    url: str


class _Sentinels:
    def __init__(self, address: _Address) -> None:
        self._service, _, self._db = address.path.partition("/")
        if not self._service or not (self._db or "0").isdecimal():
            raise ValueError("it ends with the service that the Sentinels watch, and may be a database: /service/0")
        login = [quote(address.query.pop(f"sentinel_{name}", ""), safe="") for name in ("username", "password")]
        tls = {name: value for name, value in address.query.items() if name.startswith("ssl_")}
        self._address = address
        self._sentinels = address._replace(login=f"{':'.join(login)}@", query=tls)
        self._known: _Named | None = None

    async def find(self) -> list[str]:
        asked = [asyncio.create_task(self._ask(host, port)) for host, port in self._address.hosts]
        try:
            self._known = await self._newest(asked)
        finally:
            for task in asked:
                task.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
        return [self._known.url]

    async def _newest(self, asked: "list[asyncio.Task[_Named]]") -> _Named:
        """The newest configuration: a Sentinel that was frozen or cut off may still name an older master.

        One that is newer than what we know is taken at once, so that a dead Sentinel costs no time. One that is older
        is believed when all say so: they have been set up anew.
        """
        named: list[_Named] = []
        error: StoreUnavailable | None = None
        for answer in asyncio.as_completed(asked):
            try:
                named.append(await answer)
            except StoreUnavailable as unfit:
                error = unfit
            else:
                if self._known and named[-1].epoch > self._known.epoch:
                    return named[-1]
        newest = max(named, default=None)
        if newest and (error is None or not self._known or newest.epoch == self._known.epoch):
            return newest
        assert error is not None, "somebody was asked"
        raise error

    async def _ask(self, host: str, port: int) -> _Named:
        # Whether this one takes the master for down does not matter: it may be cut off, and we see for ourselves.
        service = self._service.encode()
        state, address = await _answers(
            self._sentinels.url(host, port),
            pack_command(b"SENTINEL", b"MASTER", service),
            # While a failover is under way the state still has the old address, and this is the new one already.
            pack_command(b"SENTINEL", b"GET-MASTER-ADDR-BY-NAME", service),
        )
        epoch = int(dict(zip(state[::2], state[1::2], strict=True))[b"config-epoch"])
        return _Named(epoch, self._address.url(address[0].decode(), int(address[1]), self._db or "0"))


class _Cluster:
    def __init__(self, address: _Address) -> None:
        if address.path not in ("", "0"):
            raise ValueError("a cluster has no databases but 0")
        self._address = address
        self._known = set(address.hosts)  # servers to ask
        self._epoch = 0  # of the cluster, as far as we know; each failover makes a higher one

    async def find(self) -> list[str]:
        error = StoreUnavailable("it names no host")
        for host, port in random.sample(sorted(self._known), len(self._known)):
            try:
                return await self._ask(host, port)
            except StoreUnavailable as unfit:
                error = unfit
        self._epoch = 0  # unknown: the next look takes any
        raise error

    async def _ask(self, host: str, port: int) -> list[str]:
        by_slot = [""] * REDIS_CLUSTER_HASH_SLOTS
        commands = pack_command(b"CLUSTER", b"INFO"), pack_command(b"CLUSTER", b"SLOTS")
        info, reply = await _answers(self._address.url(host, port), *commands)
        epoch = int(re.findall(rb"cluster_current_epoch:(\d+)", info)[0])
        if epoch < self._epoch:
            raise StoreUnavailable("it was frozen or cut off, and does not know the cluster's masters of now")
        known = set(self._address.hosts)
        for (first, last), servers in parse_cluster_slots(reply, current_host=host).items():
            by_slot[first : last + 1] = [self._address.url(*servers["primary"])] * (last - first + 1)
            known.update((servers["primary"], *servers["replicas"]))
        if "" in by_slot:
            raise StoreUnavailable("the cluster has slots without a master")
        self._known, self._epoch = known, epoch
        return by_slot


async def _answers(url: str, *commands: bytes) -> list[Reply]:
    """A server's replies to packed commands, on a connection of their own."""
    try:
        async with time_limit(ANSWER_S):
            connection = await connect(url, [])
            try:
                connection.send(b"".join(commands))
                replies = [await connection.next_reply() for _ in commands]
            finally:
                connection.transport.abort()
    except TimeoutError as error:
        raise StoreUnavailable(str(error)) from error
    for reply in replies:
        if isinstance(reply, StoreRefused):
            raise reply
    return replies


def host_of(url: str) -> str:
    """The host:port of a single server's URL, or its socket's path; no password."""
    parts = urlsplit(url)
    return parts.netloc.rpartition("@")[2] or parts.path
