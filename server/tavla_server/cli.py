"""`tavla-server`: its command line, its log, and its signals."""

import asyncio
import contextlib
import logging
import os
import resource
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec
import structlog
import uvloop

from tavla_server.app import running
from tavla_server.archive.analyst import analysing
from tavla_server.commands.admin import admin
from tavla_server.commands.backup import backup, restore
from tavla_server.commands.inspect import inspect
from tavla_server.commands.rebuild import rebuild
from tavla_server.commands.repair import repair
from tavla_server.connections import check_store
from tavla_server.errors import StartError
from tavla_server.gateway.known_hosts import KnownHosts
from tavla_server.gateway.tls import Certificate
from tavla_server.greeting import greeting
from tavla_server.moderation.penalties import NO_CONTACT
from tavla_server.options import ADDRESS_CONNECTIONS_LIMIT, CONNECTIONS_LIMIT, Options, open_store
from tavla_server.supervisor import SERVING, Supervisor, shared_port
from tavla_server.telemetry import metrics, trace
from tavla_server.telemetry.garbage import rarely_collected
from tavla_server.telemetry.metrics import Snapshot
from tavla_server.telemetry.probe import probing
from tavla_server.timings import DEFAULTS, Timings

LOG_LEVELS = ("debug", "info", "warning", "error")

log = structlog.get_logger()

T = TypeVar("T")


_option = partial(click.option, show_envvar=True)
_data = click.option("--data", default=None, type=click.Path(path_type=Path), help="Folder of the embedded store.")
SETTINGS = {"auto_envvar_prefix": "TAVLA", "show_default": True, "help_option_names": ["-h", "--help"]}


@click.group(invoke_without_command=True, context_settings=SETTINGS)
@_option("--host", default="0.0.0.0", help="Address to listen on.")
@_option("--port", default=8765, type=click.IntRange(0, 65535), help="Port to listen on; 0 = any.")
@_option("--data", default="data", type=click.Path(path_type=Path), help="Folder of the embedded store.")
@_option(
    "--redis",
    default=None,
    help="URL of a Redis or Valkey to use instead of the embedded store: redis://, redis+sentinel:// or redis+cluster://.",
)
@_option(
    "--require-durable",
    is_flag=True,
    help="Do not start on a Redis without an append-only file, or one that deletes what does not fit.",
)
@_option(
    "--archive",
    default=None,
    help="URL of the database that keeps finished matches: sqlite:///PATH or postgresql://. "
    "Without it: a file in --data, or with --redis none.",
)
@_option(
    "--archive-grace",
    default=7.0,
    type=click.FloatRange(0, 3650),
    metavar="DAYS",
    help="How long a match stays in the store after it was archived.",
)
@_option(
    "--analysis",
    is_flag=True,
    help="Judge how well archived matches were played, for everyone to see; costs some seconds of CPU for each game.",
)
@_option(
    "--seed-key",
    default=None,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Keys that seal the seeds of dice, the same for all on one Redis.  [default: seed.key in --data]",
)
@_option(
    "--workers",
    default=1,
    type=click.IntRange(1, 256),
    help="Processes that share the port; about one for each core, less one for the store.",
)
@click.option("--worker", is_flag=True, hidden=True)
@_option(
    "--log-format",
    default="auto",
    type=click.Choice(["auto", "console", "json"]),
    help="auto = console on a terminal, else JSON.",
)
@_option(
    "--behind-proxy",
    is_flag=True,
    help="Clients come through a proxy: count tries by the last address in X-Forwarded-For.",
)
@_option(
    "--max-connections",
    default=CONNECTIONS_LIMIT,
    type=click.IntRange(1),
    help="Connections to each process; a tenth is for players who come back to their match.",
)
@_option(
    "--max-per-address",
    default=ADDRESS_CONNECTIONS_LIMIT,
    type=click.IntRange(1),
    help="Connections of one address to each process.",
)
@_option(
    "--tls-cert",
    default=None,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Serve wss:// and https:// with this certificate, in PEM, and those between it and an authority.",
)
@_option(
    "--tls-key",
    default=None,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Its key, in PEM, without a password. SIGHUP reads both again.",
)
@_option(
    "--web",
    default="on",
    type=click.Choice(["on", "off"]),
    help="Whether browsers are served the page to play in, on the same port.",
)
@_option(
    "--allow-origin",
    multiple=True,
    metavar="ORIGIN",
    help="Pages of another host that may connect, such as https://club.example; may be given several times.",
)
@_option(
    "--host-name",
    multiple=True,
    metavar="NAME",
    help="A name that this server is asked by, such as play.example; may be given several times. * = any. "
    "Addresses and names without a dot need not be told, nor any with --tls-cert.",
)
@_option(
    "--contact",
    default=NO_CONTACT,
    metavar="TEXT",
    help="Said to those whom a moderator keeps out: whom they may ask, such as a mail address.",
)
@_option(
    "--drain",
    default=1.5,
    type=click.FloatRange(0, 600),
    metavar="SECONDS",
    help="When stopped: time over which clients are sent to other servers on the same Redis, if there are any.",
)
@_option("--log-level", default="info", type=click.Choice(LOG_LEVELS))
@_option("--probe", is_flag=True, help="Log how late the event loop is, and what made it so; costs some CPU.")
@_option(
    "--metrics-port",
    default=None,
    type=click.IntRange(0, 65535),
    help="Port for Prometheus, at /metrics; 0 = any. Without it there is none.",
)
@_option("--metrics-host", default="127.0.0.1", help="Address to listen on for Prometheus.")
@click.version_option(package_name="tavla")
@click.pass_context
def main(context: click.Context, /, **given: Any) -> None:
    """Serve backgammon over WebSockets. Without --redis, matches are kept in the folder --data."""
    if context.invoked_subcommand is not None:
        _configure_log("console", "error")
        return
    options, timings = Options(**given), context.obj or DEFAULTS
    _configure_log(options.log_format, options.log_level)
    _allow_open_files()
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve(options, timings) if options.workers == 1 else _serve_by_workers(options))
    except StartError as error:
        if options.worker:
            print(error, flush=True)  # for the parent, which speaks for all of them
        else:
            click.echo(f"tavla-server: {error}", err=True)
        sys.exit(1)


@main.command("inspect")
@click.argument("match")
@_data
@click.option("--redis", default=None, help="URL of the store.")
@click.option("--archive", default=None, help="URL of the archive, for matches that have left the store.")
@click.pass_context
def _inspect(context: click.Context, /, match: str, **given: Any) -> None:
    """Print the journal of MATCH, by its id or the name of its table: what happened in it, and how it stands."""
    _told(inspect(match, Options.of_command(context, **given)), "error")


@main.command("rebuild")
@click.pass_context
def _rebuild(context: click.Context) -> None:
    """Make ratings, results and the leaderboard anew from the archive. Servers may run meanwhile.

    Options stand before the word: tavla-server --data DIR rebuild.
    """
    _told(rebuild(Options.of_command(context)), "error")


@main.command("repair")
@_data
@click.pass_context
def _repair(context: click.Context, data: Path | None) -> None:
    """Make the damaged files of an embedded store and of an archive readable again, servers being stopped.

    What cannot be read is left out; copies are kept. --archive and --redis, if in use, stand before the word.
    """
    _told(repair(Options.of_command(context, data=data)))


@main.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@_data
@click.pass_context
def _backup(context: click.Context, file: Path, data: Path | None) -> None:
    """Copy the embedded store, its archive and the seed key into FILE, while the server runs or not, and try the copy.

    --archive and --seed-key, if the server has them, stand before the word: tavla-server --seed-key KEYS backup FILE.
    """
    _told(backup(Options.of_command(context, data=data), file))


@main.command("restore")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--data", default=None, type=click.Path(path_type=Path), help="A folder that is new, or empty.")
@click.pass_context
def _restore(context: click.Context, file: Path, data: Path | None) -> None:
    """Make a data folder from a backup, for a server that is started with it then."""
    _told(restore(file, Options.of_command(context, data=data).data))


def _told(command: Coroutine[None, None, list[str]], log_level: str = "warning") -> None:
    """Run a command and print what it says; an error is one line, and the exit code 1."""
    _configure_log("console", log_level)
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            lines = runner.run(command)
    except StartError as error:
        click.echo(f"tavla-server: {error}", err=True)
        sys.exit(1)
    click.echo("\n".join(lines))


main.add_command(admin)


async def _serve(options: Options, timings: Timings) -> None:
    asyncio.get_running_loop().set_exception_handler(_log_unhandled)
    certificate = _certificate(options)
    stop = _asked_to_stop(None if certificate is None else certificate.reload)
    if options.worker:
        _follow_parent(stop)
    async with contextlib.AsyncExitStack() as stack:
        if not options.worker:  # their parent does it for all of them
            await _export(stack, options, metrics.snapshot)
        if options.probe:
            await stack.enter_async_context(probing())
        port = await _unless(stop, stack.enter_async_context(running(options, timings, certificate=certificate)))
        if stop.is_set():
            return
        if options.analysis and not options.worker:  # their parent does it for all of them
            await stack.enter_async_context(analysing(options.archive_url))
        await stack.enter_async_context(rarely_collected())
        if options.worker:
            log.info("worker_serving", pid=os.getpid())
            print(SERVING, flush=True)
        else:
            log.info("serving", url=f"{options.scheme}://{options.host}:{port}", store=_store(options))
            _greet(options, port or 0)
        await stop.wait()
        log.info("stopping")
    log.info("stopped")


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
        from tavla_server.exporter import exporting  # takes 0.1 s and some memory

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


async def _serve_by_workers(options: Options) -> None:
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
                await stack.enter_async_context(analysing(options.archive_url))
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
    print(msgspec.json.encode(await metrics.snapshot()).decode(), flush=True)  # less than a pipe holds


def _greet(options: Options, port: int) -> None:
    """People who look on are told what to type next; a log is not."""
    if sys.stderr.isatty():
        click.echo(greeting(options.host, port, options.web == "on", options.tls_cert is not None), err=True)


def _store(options: Options) -> str:
    return "redis" if options.redis else str(options.data)


def _allow_open_files() -> None:
    """Raise the limit of open files to what the system allows: it begins with 1024, for the sake of old programs."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError):  # a Mac says "unlimited", and does not mean it
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _has_colours() -> bool:
    """A file or a pipe gets none. Source: no-color.org."""
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR")


def _configure_log(log_format: str, log_level: str) -> None:
    as_text = log_format == "console" or (log_format == "auto" and sys.stderr.isatty())
    trace.on = log_level == "debug"
    processors: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        _counted,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if as_text:
        processors.append(
            structlog.dev.ConsoleRenderer(colors=_has_colours(), exception_formatter=structlog.dev.plain_traceback)
        )
    else:
        # Without the frames' variables: a request in one of them may hold a token.
        tracebacks = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        processors += [structlog.processors.ExceptionRenderer(tracebacks), structlog.processors.JSONRenderer()]
    structlog.configure(
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(log_level),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    # Handshakes that fail and clients that vanish are everyday life for a public port, not errors of ours.
    logging.getLogger("websockets").setLevel(logging.CRITICAL)


def _counted(_: object, method: str, line: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Count the lines that want to be read."""
    if (level := line["level"]) in metrics.LOG_LINES.counts:
        metrics.LOG_LINES.add(level)
    return line


if __name__ == "__main__":
    main()
