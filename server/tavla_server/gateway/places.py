"""Places: of what is there at the same time, so much for each player, network or server; all nodes count together."""

from typing import NamedTuple

from tavla_protocol.codes import ErrorCode

from tavla_server.cluster.clock import Clock
from tavla_server.errors import Refused
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.telemetry.metrics import LIMITS


class Share(NamedTuple):
    """A share of places: how many, whose, and what a client is told when all are taken."""

    whose: str
    places: int
    text: str


class Places:
    """The places of one kind. One that nobody frees lapses: what it was for has an end of its own.

    Taken in the step that counts them: however many ask at the same moment, no share is exceeded.
    """

    def __init__(self, redis: Client, clock: Clock, what: str) -> None:
        self._clock, self._what = clock, what
        self._take, self._free = redis.script("take_place"), redis.script("free_place")

    async def take(self, id_: str, for_s: float, *shares: Share) -> None:
        """Take a place in each share for so long; done again, it changes only that.

        Raises: Refused, if one has none left; StoreUnavailable.
        """
        now_ms = self._clock.now_ms()
        lists = [keys.PLACES(self._what, share.whose) for share in shares if share.whose]
        most = [share.places for share in shares if share.whose]
        full: int = await self._take(
            keys=[keys.PLACE(self._what, id_), *lists], args=[id_, now_ms, now_ms + round(1000 * for_s), *most]
        )
        if full:
            LIMITS.add(self._what)
            raise Refused(ErrorCode.TOO_MANY, [share.text for share in shares if share.whose][full - 1])

    async def free(self, id_: str) -> None:
        """Free a place in all its shares. Raises: StoreUnavailable."""
        await self._free(keys=[keys.PLACE(self._what, id_)], args=[id_])
