"""Metrics for Prometheus, on an address of their own: `--metrics-port`."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from itertools import accumulate

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from tavla_server.metrics import METRICS, Gauge, Histogram, Metric, Snapshot
from tavla_server.options import cannot_listen

TAKE_S = 5.0  # for all metrics to be there; Prometheus waits 10


@contextlib.asynccontextmanager
async def exporting(host: str, port: int, take: Callable[[], Awaitable[Snapshot]]) -> AsyncIterator[int]:
    """Answer whoever asks for metrics until the context ends; gives the port.

    A thread of its own does so; what is counted is read in the loop that runs now, by `take`.
    Raises: StartError when the port cannot be had.
    """
    registry = CollectorRegistry()
    registry.register(_Collector(asyncio.get_running_loop(), take))
    try:
        server, _ = start_http_server(port, host, registry)
    except OSError as error:
        raise cannot_listen(host, port, error) from None
    try:
        yield server.server_port
    finally:
        await asyncio.to_thread(server.shutdown)
        server.server_close()


class _Collector(Collector):
    def __init__(self, loop: asyncio.AbstractEventLoop, take: Callable[[], Awaitable[Snapshot]]) -> None:
        self._loop, self._take = loop, take

    def describe(self) -> Iterator[Family]:
        """Nothing: else all would be collected once to see whether another collector has the same names."""
        return iter(())

    def collect(self) -> Iterator[Family]:
        """Called in the thread that answers."""
        taking = asyncio.run_coroutine_threadsafe(self._taken(), self._loop)
        taken = taking.result(TAKE_S)
        return (_family(metric, taken.get(metric.name, {})) for metric in METRICS)

    async def _taken(self) -> Snapshot:
        return await self._take()


def _family(metric: Metric, samples: dict[str, list[float]]) -> Family:
    """A metric as the library has it."""
    labels = [metric.label] if metric.label else []
    if isinstance(metric, Histogram):
        family = HistogramMetricFamily(metric.name, metric.what, labels=labels)
        for total, *counts in samples.values():
            bounds = [*map(str, metric.bounds), "+Inf"]
            family.add_metric([], list(zip(bounds, accumulate(counts), strict=True)), total)
        return family
    single = GaugeMetricFamily if isinstance(metric, Gauge) else CounterMetricFamily
    values = single(metric.name, metric.what, labels=labels)
    for value, (number,) in samples.items():
        values.add_metric([value] if labels else [], number)
    return values
