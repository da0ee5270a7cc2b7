"""A server from its start to a signal: one process, or several that share the port."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from importlib import import_module
from typing import TypeVar

import click
import msgspec
import structlog
import uvloop

from tavla_server.errors import StartError
from tavla_server.gateway.known_hosts import KnownHosts
from tavla_server.gateway.tls import Certificate
from tavla_server.options import Options
from tavla_server.own_addresses import check_port
from tavla_server.own_store import open_store
from tavla_server.process.greeting import greeting
from tavla_server.process.supervisor import SERVING, Supervisor, shared_port
from tavla_server.telemetry.garbage import rare_collections
from tavla_server.telemetry.metrics import Snapshot
from tavla_server.telemetry.probe import probing
from tavla_server.telemetry.snapshots import snapshot
from tavla_server.timings import Timings

log = structlog.get_logger()

T = TypeVar("T")


def run(options: Options, timings: Timings) -> None:
    """Serve, by as many processes as were asked for, until a signal to stop. Raises: StartError."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(options, timings) if options.workers == 1 else serve_by_workers(options))


async def serve(options: Options, timings: Timings) -> None:
    """Serve until a signal to stop. Raises: StartError."""
    asyncio.get_running_loop().set_exception_handler(_log_unhandled)
    certificate = _certificate(options)
    stop = _asked_to_stop(None if certificate is None else certificate.reload)
    if options.worker:
        _follow_parent(stop)
    async with contextlib.AsyncExitStack() as stack:
        if not options.worker:  # their parent does it for all of them
            check_port(options.host, options.port)
            await _export(stack, options, snapshot)
        if options.probe:
            await stack.enter_async_context(probing())
        await stack.enter_async_context(rare_collections())  # to import and to begin leaves hardly any
        port = await _unless(stop, _begin(stack, options, timings, certificate))
        if stop.is_set():
            return
        if options.analysis and not options.worker:  # their parent does it for all of them
            await _analyse(stack, options)
        if options.worker:
            log.info("worker_serving", pid=os.getpid())
            print(SERVING, flush=True)
        else:
            log.info("serving", url=f"{options.scheme}://{options.host}:{port}", store=_store(options))
            _greet(options, port or 0)
        await stop.wait()
        log.info("stopping")
    log.info("stopped")


async def _begin(
    stack: contextlib.AsyncExitStack, options: Options, timings: Timings, certificate: Certificate | None
) -> int:
    """Listen until the stack is closed; the port. What serves is imported while an embedded store starts: each takes
    some tenths of a second.
    """
    url = options.redis or await open_store(stack, options, partial(import_module, "tavla_server.app"))
    from tavla_server.app import running

    return await stack.enter_async_context(running(options, timings, certificate=certificate, store_url=url))


async def _analyse(stack: contextlib.AsyncExitStack, options: Options) -> None:
    from tavla_server.features.analysis.analyst import analysing  # few servers do

    await stack.enter_async_context(analysing(options.archive_url, options.judge))


def _certificate(options: Options) -> Certificate | None:
    """The certificate of the port. Raises: StartError."""
    if options.tls_cert is not None and options.tls_key is not None:
        return Certificate(options.tls_cert, options.tls_key)
    if options.tls_cert is not None or options.tls_key is not None:
        raise StartError("--tls-cert and --tls-key belong together: give both, or none")
    return None


async def _export(stack: contextlib.AsyncExitStack, options: Options, take: Callable[[], Awaitable[Snapshot]]) -> None:
    """Let Prometheus have metrics until the stack is closed, if there is a port for it. Raises: StartError."""
    if options.metrics_port is not None:
        from tavla_server.process.exporter import exporting  # takes 0.1 s and some memory

        known_hosts = KnownHosts((*options.host_name, options.metrics_host))
        port = await stack.enter_async_context(exporting(options.metrics_host, options.metrics_port, take, known_hosts))
        log.info("metrics", url=f"http://{options.metrics_host}:{port}/metrics")


def _log_unhandled(_: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
    """Log exceptions that were not caught."""
    what, error = context.get("message", ""), context.get("exception")  # uvloop has no words for a fault of a protocol
    if what == "Fatal error on SSL protocol":  # a store that hangs up at a bad moment: who uses the connection knows
        log.info("tls_lost", error=str(error))
    else:
        log.error("unhandled_exception", what=what, exc_info=error)


async def serve_by_workers(options: Options) -> None:
    """Serve by several processes until a signal to stop. Raises: StartError."""
    from tavla_server.connections import check_store  # a single process has it with all else

    stop = _asked_to_stop(None)
    certificate = _certificate(options)
    with shared_port(options.host, options.port) as kept:
        port = kept.getsockname()[1]
        async with contextlib.AsyncExitStack() as stack:
            await check_store(options)
            url = options.redis or await open_store(stack, options)
            workers = Supervisor(options._replace(port=port, redis=url, archive=options.archive_url))
            await _export(stack, options, workers.metrics)
            stack.push_async_callback(workers.stop)
            if certificate is not None:
                asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, workers.reload)
            await _unless(stop, workers.start())
            if stop.is_set():
                return
            if options.analysis:
                await _analyse(stack, options)
            address = f"{options.scheme}://{options.host}:{port}"
            log.info("serving", url=address, store=_store(options), workers=options.workers)
            _greet(options, port)
            await stop.wait()
            log.info("stopping")
    log.info("stopped")


async def _unless(stop: asyncio.Event, start: Coroutine[None, None, T]) -> T | None:
    """The started server; None after a signal to stop: a start may have to wait for its store."""
    starting, stopping = asyncio.create_task(start), asyncio.create_task(stop.wait())
    await asyncio.wait([starting, stopping], return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if not starting.done():
        starting.cancel()
        await asyncio.wait([starting])
    return None if starting.cancelled() else starting.result()


def _asked_to_stop(reload: Callable[[], object] | None) -> asyncio.Event:
    """Set by SIGTERM, Ctrl-C, and SIGHUP: the terminal in which it was started is gone.

    reload: what SIGHUP does instead, where there is something to reload.
    """
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, reload or stop.set)
    return stop


def _follow_parent(stop: asyncio.Event) -> None:
    """Stop when the parent has died: our stdin ends with it. What it writes there asks for metrics."""
    loop, stdin = asyncio.get_running_loop(), sys.stdin.fileno()
    telling: set[asyncio.Task[None]] = set()

    def said() -> None:
        if os.read(stdin, 1024):
            task = loop.create_task(_tell_metrics())
            telling.add(task)
            task.add_done_callback(telling.discard)
        else:
            loop.remove_reader(stdin)
            stop.set()

    loop.add_reader(stdin, said)


async def _tell_metrics() -> None:
    print(msgspec.json.encode(await snapshot()).decode(), flush=True)  # less than a pipe holds


def _greet(options: Options, port: int) -> None:
    """People who look on are told what to type next; a log is not."""
    if sys.stderr.isatty():
        click.echo(greeting(options.host, port, options.web == "on", options.tls_cert is not None), err=True)


def _store(options: Options) -> str:
    return "redis" if options.redis else str(options.data)
