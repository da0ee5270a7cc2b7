"""Quotas of tries: counters in Redis, which all nodes share."""

import hashlib

from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.gateway.client_address import network_of
from tavla_server.limits import Quota
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.telemetry.metrics import LIMITS

NETWORK_TIMES = 4  # as many of a network of 56 bits of IPv6, a household's, as of one of its 256 addresses
KNOWN_S = 30 * 86_400  # that an address is known to a name


class Quotas:
    """Quotas of tries, counted."""

    def __init__(self, redis: Client) -> None:
        self._redis = redis
        self._take, self._give_back = redis.script("take_quota"), redis.script("give_back_quota")

    async def take(self, what: str, who: str, quota: Quota) -> None:
        """Count one more try, unless it is too many. Without a subject, who = "", nothing is counted.

        Raises: Refused.
        """
        if who and (wait_s := await self._take(keys=[keys.QUOTA(what, who)], args=[*quota])):
            LIMITS.add(what)
            minutes = -(-wait_s // 60)
            raise Refused(ErrorCode.TOO_MANY, f"too many tries: wait {minutes} min, then try again", wait_s)

    async def take_from(self, what: str, address: str, quota: Quota) -> None:
        """Count one more try of an address, and of its network. Raises: Refused."""
        await self.take(what, address, quota)
        try:
            await self.take(what, _network(address), quota._replace(times=NETWORK_TIMES * quota.times))
        except Refused:
            await self.give_back(what, address)
            raise

    async def give_back_to(self, what: str, address: str) -> None:
        """Give back a try of an address that did no harm."""
        await self.give_back(what, address)
        await self.give_back(what, _network(address))

    async def give_back(self, what: str, who: str) -> None:
        """Give back a try that did no harm."""
        if who:
            await self._give_back(keys=[keys.QUOTA(what, who)])

    async def remember(self, name: str, address: str) -> None:
        """The owner of a name has given its password at an address: others cannot use up the tries from there."""
        await self._redis.set(keys.KNOWN(_known(name, address)), b"", ex=KNOWN_S)

    async def whose(self, name: str, address: str) -> tuple[str, str]:
        """By what the tries for a name are counted that come from an address, and for whom."""
        known = _known(name, address)
        if await self._redis.exists(keys.KNOWN(known)):
            return "logins-by-known", known
        return "logins-by-name", name.lower()


def _network(address: str) -> str:
    """The network of an address of IPv6; "" = it is counted by itself."""
    return network_of(address) if "/" in address else ""


def _known(name: str, address: str) -> str:
    """An address at which a name was used; no list of addresses stands in the store."""
    return hashlib.sha256(f"{name.lower()} {address}".encode()).hexdigest()[:32]
