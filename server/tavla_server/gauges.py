"""The gauges of `telemetry/metrics`, read on demand."""

from collections import Counter
from contextlib import AbstractContextManager

from tavla_server.telemetry import certificates, metrics
from tavla_server.telemetry.snapshots import Readings, read_by
from tavla_server.wiring import Parts


def reading(parts: Parts) -> AbstractContextManager[None]:
    """Let metrics have the gauges of these parts, until the context ends."""

    async def read() -> Readings:
        found = {**_of_core(parts)}
        for feature in parts.features.all:
            found |= {gauge: value() for gauge, value in feature.gauges.items()}
            found |= await feature.read_gauges()
        return found

    return read_by(read)


def _of_core(parts: Parts) -> Readings:
    """Gauges of this server's core, and of all nodes as it sees them."""
    return {
        metrics.CONNECTIONS: dict.fromkeys(metrics.CONNECTIONS.values, 0)
        | Counter(connection.role for connection in parts.gateway.connections),
        metrics.ROOM: min(parts.http.room, parts.http.admission.most),
        metrics.SESSIONS: len(parts.core.registry.live),
        metrics.DRAINING: parts.http.draining,
        metrics.WORKERS: 1,
        metrics.CERTIFICATES: certificates.ends,
        metrics.NODES: len(parts.core.liveness.living),
        metrics.STORE_AWAY: len(parts.store.router.masters.away),
        metrics.QUEUES: {
            **parts.gateway.waiting,
            "actions": sum(len(session.queue) for session in parts.core.registry.live.values()),
            "store": sum(router.masters.pending_commands for router in (parts.store.router, parts.store.redis.router)),
            "passwords": parts.features.accounts.passwords.waiting,
            "effects": sum(map(len, parts.lanes)),
        },
    }
