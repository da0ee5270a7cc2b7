"""`tavla-server`: its command line. What a command needs it imports: `--help` and `--version` show at once."""

import contextlib
import os
import re
import resource
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import click
from tavla_protocol import __version__

from tavla_server.commands.admin import admin
from tavla_server.errors import StartError
from tavla_server.options import Options
from tavla_server.process.values import HOST_NAME, ORIGIN, TimeRange
from tavla_server.timings import DEFAULTS

F = TypeVar("F", bound=Callable[..., object])

LOG_LEVELS = ("debug", "info", "warning", "error")
SETTINGS = {"auto_envvar_prefix": "TAVLA", "show_default": True, "help_option_names": ["-h", "--help"]}
# Variables of clients, of HAProxy's file and of tests: a server has nothing to say about them.
OTHERS = re.compile("TAVLA_(SERVER|NAME|CONFIG_DIR|EXTERNAL|BIND|NODE_.+|(TEST|FUZZ)_.+)")
PATH, PORT = click.Path(path_type=Path), click.IntRange(0, 65535)


def _option(name: str, words: str = "", **attributes: Any) -> Callable[[F], F]:
    """An option of the server, with the default of its field in `Options`."""
    attributes.setdefault("default", Options._field_defaults[name.removeprefix("--").replace("-", "_")])
    return click.option(name, help=words or None, show_envvar=True, **attributes)


def _of_server(command: F) -> F:
    """Options that say where the store and the archive are; before the word these hold as well."""
    for name, words in (("--archive", "URL of the archive."), ("--redis", "URL of the store.")):
        command = click.option(name, help=words)(command)
    return click.option("--data", type=PATH, help="Folder of the embedded store.")(command)


@click.group(invoke_without_command=True, context_settings=SETTINGS)
@_option("--host", "Address to listen on.")
@_option("--port", "Port to listen on; 0 = any.", type=PORT)
@_option("--data", "Folder of the embedded store.", type=PATH)
@_option(
    "--redis",
    "URL of a Redis or Valkey to use instead of the embedded store: redis://, redis+sentinel:// or redis+cluster://.",
)
@_option(
    "--require-durable",
    "Do not start on a Redis without an append-only file, or one that deletes what does not fit.",
    is_flag=True,
)
@_option(
    "--archive",
    "URL of the database that keeps finished matches: sqlite:///PATH or postgresql://. "
    "Without it: a file in --data, or with --redis none.",
)
@_option(
    "--archive-grace",
    "How long a match stays in the store after it was archived.",
    type=TimeRange(0, 3650),
    metavar="DAYS",
)
@_option(
    "--analysis",
    "Judge how well archived matches were played, for everyone to see; costs some seconds of CPU for each game.",
    is_flag=True,
)
@_option(
    "--judge",
    "Who judges, where it is installed and knows the game; else the house bot's evaluator.",
    type=click.Choice(["sage", "gnubg", "house"]),
)
@_option(
    "--seed-key",
    "Keys that seal the seeds of dice, the same for all on one Redis.  [default: seed.key in --data]",
    type=PATH,
    metavar="FILE",
)
@_option(
    "--workers",
    "Processes that share the port; about one for each core, less one for the store.",
    type=click.IntRange(1, 256),
)
@click.option("--worker", is_flag=True, hidden=True, allow_from_autoenv=False)  # a letter less than TAVLA_WORKERS
@_option("--log-format", "auto = console on a terminal, else JSON.", type=click.Choice(["auto", "console", "json"]))
@_option(
    "--behind-proxy", "Clients come through a proxy: count tries by the last address in X-Forwarded-For.", is_flag=True
)
@_option(
    "--max-connections",
    "Connections to each process; a tenth is for players who come back to their match.",
    type=click.IntRange(1),
)
@_option("--max-per-address", "Connections of one address to each process.", type=click.IntRange(1))
@_option(
    "--tls-cert",
    "Serve wss:// and https:// with this certificate, in PEM, and those between it and an authority.",
    type=PATH,
    metavar="FILE",
)
@_option("--tls-key", "Its key, in PEM, without a password. SIGHUP reads both again.", type=PATH, metavar="FILE")
@_option(
    "--web", "Whether browsers are served the page to play in, on the same port.", type=click.Choice(["on", "off"])
)
@_option(
    "--allow-origin",
    "Pages of another host that may connect, such as https://club.example; may be given several times.",
    multiple=True,
    type=ORIGIN,
    metavar="ORIGIN",
)
@_option(
    "--host-name",
    "A name that this server is asked by, such as play.example; may be given several times. * = any. "
    "Addresses and names without a dot need not be told, nor any with --tls-cert.",
    multiple=True,
    type=HOST_NAME,
    metavar="NAME",
)
@_option(
    "--contact", "Said to those whom a moderator keeps out: whom they may ask, such as a mail address.", metavar="TEXT"
)
@_option(
    "--tournament",
    "A file of tournaments that come again, the same for all servers of a Redis.",
    type=PATH,
    metavar="FILE.TOML",
)
@_option(
    "--drain",
    "When stopped: time over which clients are sent to other servers on the same Redis, if there are any.",
    default=1.5,
    type=TimeRange(0, 600),
    metavar="SECONDS",
)
@_option("--log-level", type=click.Choice(LOG_LEVELS))
@_option("--probe", "Log how late the event loop is, and what made it so; costs some CPU.", is_flag=True)
@_option("--metrics-port", "Port for Prometheus, at /metrics; 0 = any. Without it there is none.", type=PORT)
@_option("--metrics-host", "Address to listen on for Prometheus.")
@click.version_option(__version__, allow_from_autoenv=False)
@click.pass_context
def main(context: click.Context, /, **given: Any) -> None:
    """Serve backgammon over WebSockets. Without --redis, matches are kept in the folder --data."""
    os.umask(0o077)  # for all that any command writes: passwords' hashes and seeds are in it
    if context.invoked_subcommand is not None:
        return
    from tavla_server.process.serving import run
    from tavla_server.telemetry.log import configure_log

    options, timings = Options(**given), context.obj or DEFAULTS
    configure_log(options.log_format, options.log_level)
    if not options.worker:
        _warn_of_unknown_variables(context)
    _allow_open_files()
    try:
        run(options, timings)
    except StartError as error:
        if options.worker:
            print(error, flush=True)  # for the parent, which speaks for all of them
        else:
            click.echo(f"tavla-server: {error}", err=True)
        sys.exit(1)


@main.command("inspect")
@click.argument("match")
@_of_server
@click.pass_context
def _inspect(context: click.Context, /, match: str, **given: Any) -> None:
    """Print the journal of MATCH, by its id or the name of its table: what happened in it, and how it stands."""
    from tavla_server.commands.inspect import inspect

    _told(inspect(match, Options.of_command(context, **given)), "error")


@main.command("rebuild")
@_of_server
@click.pass_context
def _rebuild(context: click.Context, /, **given: Any) -> None:
    """Make ratings, results and the leaderboard anew from the archive. Servers may run meanwhile."""
    from tavla_server.commands.rebuild import rebuild

    _told(rebuild(Options.of_command(context, **given)), "error")


@main.command("repair")
@_of_server
@click.pass_context
def _repair(context: click.Context, /, **given: Any) -> None:
    """Make the damaged files of an embedded store and of an archive readable again, servers being stopped.

    What cannot be read is left out; copies are kept.
    """
    from tavla_server.commands.repair import repair

    _told(repair(Options.of_command(context, **given)))


@main.command("dump")
@click.argument("month")
@click.argument("file", type=PATH)
@_of_server
@click.pass_context
def _dump(context: click.Context, /, month: str, file: Path, **given: Any) -> None:
    """Write all public matches that ended in MONTH, such as 2026-11, to FILE: an .ogxms.zst stream.

    Servers may run meanwhile. What was cut goes on when it is run again.
    """
    from tavla_server.commands.dump import dump

    _told(dump(Options.of_command(context, **given), month, file))


@main.command("backup")
@click.argument("file", type=PATH)
@_of_server
@click.pass_context
def _backup(context: click.Context, /, file: Path, **given: Any) -> None:
    """Copy the embedded store, its archive and the seed key into FILE, while the server runs or not, and try the copy.

    --seed-key, if the server has it, stands before the word: tavla-server --seed-key KEYS backup FILE.
    """
    from tavla_server.commands.backup import backup

    _told(backup(Options.of_command(context, **given), file))


@main.command("restore")
@click.argument("file", type=PATH)
@click.option("--data", type=PATH, help="A folder that is new, or empty.")
@click.pass_context
def _restore(context: click.Context, file: Path, data: Path | None) -> None:
    """Make a data folder from a backup, for a server that is started with it then."""
    from tavla_server.commands.backup import restore

    _told(restore(file, Options.of_command(context, data=data).data))


def _warn_of_unknown_variables(context: click.Context) -> None:
    """Name each variable of the environment that looks like an option and is none, perhaps by a slip of the pen."""
    import difflib

    import structlog

    log = structlog.get_logger()
    options = [option for option in context.command.params if getattr(option, "allow_from_autoenv", False)]
    known = [str(option.name).upper() for option in options]
    for name in sorted(os.environ):
        prefix, _, rest = name.partition("TAVLA_")
        if not prefix and rest not in known and not OTHERS.fullmatch(name):
            near = difflib.get_close_matches(rest, known, n=1)
            log.warning("variable_unknown", name=name, **({"near": f"TAVLA_{near[0]}"} if near else {}))


def _told(command: Coroutine[None, None, list[str]], log_level: str = "warning") -> None:
    from tavla_server.commands.printing import print_lines
    from tavla_server.telemetry.log import configure_log

    configure_log("console", log_level)
    print_lines(command)


def _allow_open_files() -> None:
    """Raise the limit of open files to what the system allows: it begins with 1024, for the sake of old programs."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError):  # a Mac says "unlimited", and does not mean it
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


main.add_command(admin)


if __name__ == "__main__":
    main()
