"""Metrics for Prometheus, on an address of their own: `--metrics-port`."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from http import HTTPStatus
from itertools import accumulate

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector
from websockets.datastructures import Headers
from websockets.http11 import Response

from tavla_server.delivery.bad_requests import METHOD, METHODS
from tavla_server.delivery.handshake import Handshake
from tavla_server.delivery.listener import Listener
from tavla_server.delivery.port import Port
from tavla_server.gateway.admission import Admission
from tavla_server.gateway.known_hosts import KnownHosts
from tavla_server.own_addresses import cannot_listen
from tavla_server.telemetry.metrics import METRICS, Gauge, Histogram, Metric, Snapshot

TAKE_S = 5.0  # for all metrics to be there; Prometheus waits 10
ANSWER_S = 10.0  # from the connection to the end of the answer
HANG_UP_S = 1.0  # from there to its end
SILENT_LIMIT = 16  # connections that have not asked yet; of more, the oldest is cut


@contextlib.asynccontextmanager
async def exporting(
    host: str, port: int, take: Callable[[], Awaitable[Snapshot]], known_hosts: KnownHosts
) -> AsyncIterator[int]:
    """Serve metrics until the context ends; gives the port. Raises: StartError when the port cannot be had."""
    exporter = _Exporter(take, known_hosts)
    listener = Listener(Port(silent=Admission(0, 0, SILENT_LIMIT), open_s=ANSWER_S, close_s=HANG_UP_S), exporter.serve)
    try:
        number = await listener.listen(host, port)
    except OSError as error:
        raise cannot_listen(host, port, error) from None
    try:
        yield number
    finally:
        await listener.close()


class _Exporter:
    """Answers one at a time; a silent client takes no thread and no place of those who ask."""

    def __init__(self, take: Callable[[], Awaitable[Snapshot]], known_hosts: KnownHosts) -> None:
        self._take, self._known_hosts, self._turn = take, known_hosts, asyncio.Lock()

    async def serve(self, handshake: Handshake) -> None:
        """Answer with the metrics, or why there are none. No WebSocket is opened here."""
        handshake.respond(await self._answer(handshake))

    async def _answer(self, handshake: Handshake) -> Response:
        request = handshake.request
        assert request is not None, "it has come"
        if request.method not in METHODS:
            return handshake.refusal(METHOD)
        if why := self._known_hosts.why_unknown(request.headers.get_all("Host")):
            return handshake.reply(HTTPStatus.MISDIRECTED_REQUEST, why)
        if request.path.partition("?")[0] != "/metrics":
            return handshake.reply(HTTPStatus.NOT_FOUND, "metrics are at /metrics")
        encode, kind = choose_encoder(", ".join(request.headers.get_all("Accept")))
        async with self._turn, asyncio.timeout(TAKE_S):
            taken = await self._take()
            text = await asyncio.to_thread(encode, _Taken(taken))  # takes some milliseconds
        headers = Headers({"Connection": "close", "Content-Type": kind, "Content-Length": str(len(text))})
        return Response(200, "OK", headers, text)


class _Taken(Collector):
    """Metrics at one moment."""

    def __init__(self, taken: Snapshot) -> None:
        self._taken = taken

    def collect(self) -> Iterable[Family]:
        """All of them, as the library has them."""
        return (_family(metric, self._taken.get(metric.name, {})) for metric in METRICS)


def _family(metric: Metric, samples: dict[str, list[float]]) -> Family:
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
