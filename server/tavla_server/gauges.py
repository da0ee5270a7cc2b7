"""The gauges of `telemetry/metrics`, read on demand."""

import asyncio
import contextlib
from collections import Counter
from contextlib import AbstractContextManager

from tavla_server.archive.archiver import Archiver
from tavla_server.errors import StoreUnavailable
from tavla_server.store import keys
from tavla_server.telemetry import metrics
from tavla_server.telemetry.metrics import Metric
from tavla_server.telemetry.snapshots import Readings, read_by
from tavla_server.wiring import Parts

STORE_S = 1.0  # for its answer; a gauge that it does not give is missing


def reading(parts: Parts) -> AbstractContextManager[None]:
    """Let metrics have the gauges of these parts, until the context ends."""

    async def read() -> Readings:
        return {**_here(parts), **_of_all(parts), **await _results(parts), **await _backlog(parts.archiver)}

    return read_by(read)


def _here(parts: Parts) -> Readings:
    """Gauges of this server."""
    return {
        metrics.CONNECTIONS: dict.fromkeys(metrics.CONNECTIONS.values, 0)
        | Counter(connection.role for connection in parts.gateway.connections),
        metrics.ROOM: min(parts.health.room, parts.health.admission.most),
        metrics.SESSIONS: len(parts.services.registry),
        metrics.WAITING: parts.services.matchmaker.waiting,
        metrics.DRAINING: parts.health.draining,
        metrics.WORKERS: 1,
        metrics.QUEUES: {
            **parts.gateway.waiting,
            "actions": parts.services.registry.waiting,
            "store": parts.store.router.unanswered + parts.store.redis.unanswered,
            "passwords": parts.services.passwords.waiting,
            "effects": parts.effects.waiting,
        },
    }


def _of_all(parts: Parts) -> Readings:
    """Gauges of all servers together, as this one sees them."""
    unsettled = [note for _, note in parts.services.tables.unsettled()]
    opened = sum(note.open for note in unsettled)
    return {
        metrics.MATCHES: {
            "open": opened,
            "awaited": len(unsettled) - opened,
            "running": len(parts.services.tables) - len(unsettled),
        },
        metrics.TOURNAMENTS: parts.services.tournaments.registry.states(),
        metrics.TOURNAMENT_PLAYERS: parts.services.tournaments.registry.players(),
        metrics.NODES: len(parts.liveness.living),
        metrics.STORE_AWAY: len(parts.store.router.away),
    }


async def _results(parts: Parts) -> Readings:
    """The number of results that wait for ratings."""
    with contextlib.suppress(StoreUnavailable, TimeoutError):
        async with asyncio.timeout(STORE_S):
            return {metrics.RESULTS: await parts.archiver.unsettled.count(keys.ENDED)}
    return {}


async def _backlog(archiver: Archiver) -> Readings:
    away: dict[Metric, float] = {metrics.ARCHIVE_AWAY: bool(archiver.away)}
    if archiver.archive is None:  # they stay in the store, and wait for the day that there is one
        return {}
    with contextlib.suppress(StoreUnavailable, TimeoutError):
        async with asyncio.timeout(STORE_S):
            return {**away, metrics.BACKLOG: await archiver.backlog()}
    return away
