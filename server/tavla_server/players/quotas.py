"""How often something may be tried: counters in Redis, which all nodes share."""

import ipaddress
from collections.abc import Sequence
from typing import NamedTuple

from websockets.asyncio.server import ServerConnection

from tavla_server.errors import TooOften
from tavla_server.store.client import Client


class Limit(NamedTuple):
    """So many times within so many seconds, from the first one on."""

    times: int
    per_s: int


NEW_GUESTS = Limit(200, 600)  # of one address; a club behind one router has fewer people
NEW_ACCOUNTS = Limit(50, 3600)  # of one address: a name that is registered never comes free again
LOGINS_BY_NAME = Limit(10, 600)  # those that fail; guessing a password takes far more
LOGINS_BY_ADDRESS = Limit(50, 600)  # likewise, against a few common passwords for many names

# KEYS: the counter. ARGV: Limit. Returns the seconds to wait, 0 if there is none.
TAKE = """
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
if count <= tonumber(ARGV[1]) then return 0 end
return math.max(1, redis.call('TTL', KEYS[1]))
"""
GIVE_BACK = "if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('DECR', KEYS[1]) end"


class Quotas:
    """Counts tries. behind_proxy: connections come from a proxy, which says in X-Forwarded-For for whom."""

    def __init__(self, redis: Client, behind_proxy: bool) -> None:
        self._behind_proxy = behind_proxy
        self._take, self._give_back = redis.register_script(TAKE), redis.register_script(GIVE_BACK)

    async def take(self, what: str, who: str, limit: Limit) -> None:
        """Count one more try. Nothing is counted for nobody in particular, who = "".

        Raises: TooOften.
        """
        if who and (wait_s := await self._take(keys=[_key(what, who)], args=[*limit])):
            raise TooOften(wait_s)

    async def give_back(self, what: str, who: str) -> None:
        """One of the tries was no harm: do not count it."""
        if who:
            await self._give_back(keys=[_key(what, who)])

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


def _key(what: str, who: str) -> str:
    return f"limit:{what}:{who}"
