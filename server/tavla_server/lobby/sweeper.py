"""The sweeper: at regular intervals it has each of its parts set right what clients or dead nodes have left."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import structlog

from tavla_server.cluster.feed import Feed
from tavla_server.errors import StoreUnavailable
from tavla_server.lobby.abandoned import Abandoned
from tavla_server.lobby.membership import Membership
from tavla_server.timings import DEFAULTS, Timings

log = structlog.get_logger()


class Sweeper:
    """Every node sweeps: a change that another one has made already changes nothing."""

    def __init__(
        self,
        feed: Feed,
        membership: Membership,
        abandoned: Abandoned,
        others: Sequence[Callable[[], Awaitable[None]]],
        timings: Timings = DEFAULTS,
    ) -> None:
        """others: what else is swept, after these two, in order; each raises StoreUnavailable."""
        self._feed, self._membership, self._abandoned = feed, membership, abandoned
        self._others, self._timings = others, timings

    async def run(self) -> None:
        """Sweep until cancelled."""
        while True:
            if self._feed.live.is_set():
                try:
                    await self._sweep()
                except StoreUnavailable as error:
                    log.warning("sweep_failed", error=str(error))
                except Exception:  # a fault of ours with one part is not to end all sweeps
                    log.exception("sweep_failed")
            else:  # never evict during an outage: membership is unknown
                self._membership.forget()
                self._abandoned.forget()
            await asyncio.sleep(self._timings.sweep_s)

    async def _sweep(self) -> None:
        for sweep in (self._membership.sweep, self._abandoned.sweep, *self._others):
            await sweep()
