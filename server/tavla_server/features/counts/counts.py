"""The feature of counts: seeds that did not come, matches that were left."""

from tavla_server.feature import Feature
from tavla_server.features.counts.reveals import Reveals
from tavla_server.gateway.core import Core


class Counts(Feature):
    """The counts of matches, in their players and in all."""

    def __init__(self, core: Core) -> None:
        self.reveals = Reveals(core.redis, core.clock)
        self.chores = [self.reveals.run]
