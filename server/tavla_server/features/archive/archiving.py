"""The feature of the archive: what moves there, what is found lost, the dice of all matches, and its gauges."""

import asyncio
import contextlib

from tavla_server.errors import StoreUnavailable
from tavla_server.feature import Feature
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.archiver import Archiver
from tavla_server.features.archive.comparison import Comparison
from tavla_server.features.archive.rolls import REFRESH_S
from tavla_server.features.archive.scan import HELD_S, Scan
from tavla_server.gateway.core import Core
from tavla_server.store import keys
from tavla_server.sweeps import Sweep
from tavla_server.telemetry import metrics
from tavla_server.telemetry.metrics import Metric
from tavla_server.telemetry.snapshots import Readings

DAY_S = 24 * 3600
STORE_S = 1.0  # for its answer; a gauge that it does not give is missing


class Archiving(Feature):
    """The archiving of matches that are over. archive: None = they stay in the store."""

    def __init__(self, core: Core, archive: Archive | None) -> None:
        self.archiver = Archiver(core, archive, DAY_S * core.options.archive_grace)
        self._archive = archive
        scan = Scan(core, self.archiver.unsettled)
        self.sweeps = [Sweep("scan", HELD_S / 4, scan.sweep)]
        if archive is not None:
            core.registry.ask_for_ends(self.archiver.bring_back)
            comparison = Comparison(core, self.archiver, archive)
            self.sweeps += [
                Sweep("archive", self.archiver.unsettled.pause_s, self.archiver.sweep),
                Sweep("comparison", HELD_S / 4, comparison.sweep),
                Sweep("dice", REFRESH_S, archive.rolls.refresh),
            ]
            self.paths = archive.rolls.paths

    def trouble(self) -> str:
        """Say that the archive is away."""
        return "" if self._archive is None else self._archive.trouble

    async def read_gauges(self) -> Readings:
        """Count the results that wait for ratings, and the matches that wait for the archive."""
        found: dict[Metric, float] = {}
        if self._archive is not None:  # else they wait for the day that there is one
            found[metrics.ARCHIVE_AWAY] = bool(self.archiver.away)
        with contextlib.suppress(StoreUnavailable, TimeoutError):
            async with asyncio.timeout(STORE_S):
                found[metrics.RESULTS] = await self.archiver.unsettled.count(keys.ENDED)
                if self._archive is not None:
                    found[metrics.BACKLOG] = await self.archiver.unsettled.count(keys.UNARCHIVED)
        return found
