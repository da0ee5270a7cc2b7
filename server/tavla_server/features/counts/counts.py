"""The feature of counts: seeds that did not come, matches that were left."""

from tavla_server.feature import Feature
from tavla_server.features.counts.reveals import REFRESH_S, Reveals
from tavla_server.gateway.core import Core
from tavla_server.sweeps import Sweep


class Counts(Feature):
    """The counts of matches, in their players and in all."""

    def __init__(self, core: Core) -> None:
        self.reveals = Reveals(core.redis, core.clock)
        self.sweeps = [Sweep("totals", REFRESH_S, self.reveals.refresh)]
