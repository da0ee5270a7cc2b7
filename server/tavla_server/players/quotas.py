"""How often something may be tried: counters in Redis, which all nodes share."""

import ipaddress
from collections.abc import Sequence
from typing import NamedTuple

from websockets.asyncio.server import ServerConnection

from tavla_server.errors import TooOften
from tavla_server.store import keys
from tavla_server.store.client import Client


class Limit(NamedTuple):
    """So many times within so many seconds, from the first one on."""

    times: int
    per_s: int


NEW_GUESTS = Limit(200, 600)  # of one address; a club behind one router has fewer people
NEW_ACCOUNTS = Limit(50, 3600)  # of one address: a name that is registered never comes free again
LOGINS_BY_NAME = Limit(10, 600)  # those that fail; guessing a password takes far more
LOGINS_BY_ADDRESS = Limit(50, 600)  # likewise, against a few common passwords for many names


class Quotas:
    """Counts tries. behind_proxy: connections come from a proxy, which says in X-Forwarded-For for whom."""

    def __init__(self, redis: Client, behind_proxy: bool) -> None:
        self._behind_proxy = behind_proxy
        self._take, self._give_back = redis.script("take_quota"), redis.script("give_back_quota")

    async def take(self, what: str, who: str, limit: Limit) -> None:
        """Count one more try. Nothing is counted for nobody in particular, who = "".

        Raises: TooOften.
        """
        if who and (wait_s := await self._take(keys=[keys.QUOTA(what, who)], args=[*limit])):
            raise TooOften(wait_s)

    async def give_back(self, what: str, who: str) -> None:
        """One of the tries was no harm: do not count it."""
        if who:
            await self._give_back(keys=[keys.QUOTA(what, who)])

    def address_of(self, socket: ServerConnection) -> str:
        """Whom to count a connection's tries for."""
        forwarded = socket.request.headers.get_all("X-Forwarded-For") if socket.request else []
        return whom(socket.remote_address[0] if socket.remote_address else "", forwarded, self._behind_proxy)


def whom(address: str, forwarded: Sequence[str], behind_proxy: bool) -> str:
    """Whom to count for; "" is this machine itself, whose bots and tests may do as they like.

    forwarded: X-Forwarded-For; the last address in it is the proxy's own word. Of IPv6 the network counts, since a
    household has 2^64 addresses of its own.
    """
    ip = (_ip(",".join(forwarded).rpartition(",")[2]) if behind_proxy else None) or _ip(address)
    if ip is None or ip.is_loopback:
        return ""
    return str(ipaddress.ip_network((ip, 64), strict=False) if ip.version == 6 else ip)


def _ip(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(text.strip())
    except ValueError:
        return None
    return (address.version == 6 and address.ipv4_mapped) or address
