"""Snapshots of all metrics: of one process, which is a server, or of several that are one."""

import contextlib
import resource
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping

from tavla_server.telemetry.metrics import CPU, MEMORY, METRICS, Gauge, Metric, Snapshot, count_notes

Readings = Mapping[Metric, float] | Mapping[Metric, float | Mapping[str, float]]


async def _process() -> Readings:
    return {CPU: time.process_time(), MEMORY: _resident_bytes()}


def _resident_bytes() -> int:
    with contextlib.suppress(OSError), open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # the most so far, where there is no /proc


readers: list[Callable[[], Awaitable[Readings]]] = [_process]  # of gauges; parts of the server add theirs


@contextlib.contextmanager
def read_by(reader: Callable[[], Awaitable[Readings]]) -> Iterator[None]:
    """Read gauges by one more function, until the context ends."""
    readers.append(reader)
    try:
        yield
    finally:
        readers.remove(reader)


async def snapshot() -> Snapshot:
    """All metrics of this process. A gauge that cannot be read now is missing."""
    count_notes()
    taken: Snapshot = {metric.name: metric.samples() for metric in METRICS}
    for read in readers:
        for gauge, value in (await read()).items():
            values = value if isinstance(value, Mapping) else {"": value}
            taken[gauge.name] |= {label: [float(number)] for label, number in values.items()}
    return taken


def total(snapshots: Iterable[Snapshot]) -> Snapshot:
    """The sum of several processes' snapshots."""
    most = {metric.name for metric in METRICS if isinstance(metric, Gauge) and metric.of_all == "max"}
    added: Snapshot = {}
    for taken in snapshots:
        for name, samples in taken.items():
            known = added.setdefault(name, {})
            for label, numbers in samples.items():
                if label not in known:
                    known[label] = numbers
                elif name in most:
                    known[label] = [*map(max, known[label], numbers)]
                else:
                    known[label] = [one + other for one, other in zip(known[label], numbers, strict=True)]
    return added


def lasting(taken: Snapshot) -> Snapshot:
    """The part of a snapshot that outlives its process: counts, which must not go down."""
    gauges = {metric.name for metric in METRICS if isinstance(metric, Gauge)}
    return {name: samples for name, samples in taken.items() if name not in gauges}
