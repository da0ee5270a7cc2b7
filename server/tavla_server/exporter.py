"""Metrics for Prometheus, on an address of their own: `--metrics-port`."""

import asyncio
import contextlib
import http
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from itertools import accumulate
from typing import Any

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from tavla_server.delivery.bad_requests import METHOD, METHODS
from tavla_server.delivery.socket import Socket
from tavla_server.gateway.admission import Admission
from tavla_server.gateway.known_hosts import KnownHosts
from tavla_server.options import cannot_listen
from tavla_server.telemetry.metrics import METRICS, Gauge, Histogram, Metric, Snapshot

TAKE_S = 5.0  # for all metrics to be there; Prometheus waits 10
ANSWER_S = 10.0  # from the connection to the end of the answer
SILENT_LIMIT = 16  # connections that have not asked yet; of more, the oldest is cut


@contextlib.asynccontextmanager
async def exporting(
    host: str, port: int, take: Callable[[], Awaitable[Snapshot]], known_hosts: KnownHosts
) -> AsyncIterator[int]:
    """Serve metrics until the context ends; gives the port.

    Raises: StartError when the port cannot be had.
    """
    exporter = _Exporter(take, known_hosts)
    try:
        server = await serve(
            _nobody,
            host,
            port,
            create_connection=exporter.accept,  # type: ignore[arg-type] # as the type would
            process_request=exporter.answer,
            compression=None,
            server_header=None,
            open_timeout=ANSWER_S,
            ping_interval=None,
            close_timeout=1.0,
        )
    except OSError as error:
        raise cannot_listen(host, port, error) from None
    try:
        yield int(server.sockets[0].getsockname()[1])
    finally:
        server.close()
        await asyncio.sleep(0)  # for those that have just come: they have no transport before
        exporter.silent.close()
        await server.wait_closed()


async def _nobody(_: ServerConnection) -> None:
    """No WebSocket is opened here."""


class _Exporter:
    """Answers one at a time; who says nothing takes no thread and no place of those who ask."""

    def __init__(self, take: Callable[[], Awaitable[Snapshot]], known_hosts: KnownHosts) -> None:
        self._take, self._known_hosts, self._turn = take, known_hosts, asyncio.Lock()
        self.silent = Admission(0, 0, SILENT_LIMIT)

    def accept(self, *given: Any, **options: Any) -> Socket:
        """Somebody has connected."""
        socket = Socket(*given, **options)
        socket.on_heard = self.silent.heard
        self.silent.wait_for(socket)
        return socket

    async def answer(self, socket: ServerConnection, request: Request) -> Response:
        """The metrics, or why there are none."""
        assert isinstance(socket, Socket), "made so"
        if request.method not in METHODS:
            return socket.refusal(METHOD)
        if why := self._known_hosts.why_unknown(request.headers.get_all("Host")):
            return socket.respond(http.HTTPStatus.MISDIRECTED_REQUEST, f"{why}\n")
        if request.path.partition("?")[0] != "/metrics":
            return socket.respond(http.HTTPStatus.NOT_FOUND, "metrics are at /metrics\n")
        encode, kind = choose_encoder(", ".join(request.headers.get_all("Accept")))
        async with self._turn, asyncio.timeout(TAKE_S):
            taken = await self._take()
            text = await asyncio.to_thread(encode, _Taken(taken))  # takes some milliseconds
        headers = Headers({"Connection": "close", "Content-Type": kind, "Content-Length": str(len(text))})
        return Response(200, "OK", headers, b"" if request.method == "HEAD" else text)


class _Taken(Collector):
    """Metrics at one moment."""

    def __init__(self, taken: Snapshot) -> None:
        self._taken = taken

    def collect(self) -> Iterable[Family]:
        """All of them, as the library has them."""
        return (_family(metric, self._taken.get(metric.name, {})) for metric in METRICS)


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
