"""The feature of results: what follows from a match until it has followed."""

from collections.abc import Awaitable, Callable

from tavla_server.feature import Feature
from tavla_server.features.archive.archiver import Archiver
from tavla_server.features.quick_match.voids import Voids
from tavla_server.features.ratings.ratings import Ratings
from tavla_server.features.results.absences import Absences
from tavla_server.features.results.effects import MatchEffects
from tavla_server.features.results.reconciler import Reconciler
from tavla_server.features.results.settler import Settler
from tavla_server.features.tables.tables import Tables
from tavla_server.gateway.core import Core
from tavla_server.record.state import Record
from tavla_server.sweeps import Sweep


class Results(Feature):
    """The results of matches: rated, counted, archived, shown; on this node, and for nodes that have died."""

    def __init__(
        self,
        core: Core,
        ratings: Ratings,
        tables: Tables,
        archiver: Archiver,
        voids: Voids,
        score: Callable[[Record], Awaitable[None]],
    ) -> None:
        """score: what a tournament makes of a match that is over; it may raise StoreUnavailable, and is tried again."""
        effects = MatchEffects(core, ratings, tables, archiver, voids)
        effects.score = score
        core.registry.listen(effects)
        self.lanes = effects.lanes
        settler = Settler(core, archiver.unsettled, effects)
        self.reconciler = Reconciler(core, tables, voids)
        absences = Absences(core, tables, self.reconciler)
        self.sweeps = [
            Sweep("stillborn", core.timings.sweep_s, self.reconciler.drop_stillborn),
            Sweep("absences", core.timings.sweep_s, absences.sweep),
            Sweep("unsettled", archiver.unsettled.pause_s, settler.sweep),
        ]
