"""`tavla bot`: a bot goes to a server and plays, or waits for GNU Backgammon to ask it."""

import asyncio
import json
import logging
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

import click
from click.core import ParameterSource
from tavla_client import (
    Bot,
    Failures,
    Finder,
    Result,
    Summary,
    against,
    at_table,
    available,
    human_pace,
    in_pool,
    in_tournament,
)

from tavla_cli.bots import loading, supervisor, ubgi
from tavla_cli.bots.counting import Bar, counting, failure_lines, failure_rows
from tavla_cli.bots.running import Job, log_result, run_side_by_side
from tavla_cli.console import warn
from tavla_cli.input.arguments import player_name, table_name
from tavla_cli.input.common_options import GroupedCommand, of_tavla, server_option
from tavla_cli.input.rules_arguments import OPTIONS, RULES, Rules
from tavla_cli.output import CleanStream
from tavla_cli.text.cleaning import clean
from tavla_cli.text.phrases import plural


@click.group()
def bot() -> None:
    """Let a program play."""


@bot.command(cls=GroupedCommand)
@click.argument("names", metavar="FILE.PY:CLASS...", nargs=-1, required=True)
@server_option
@click.option("--name", "player", callback=player_name, help="The bot's name at the server; it must be free.")
@click.option("--matches", type=click.IntRange(min=1), help="Stop after so many; by default play on.")
@click.option("--max-concurrent", type=click.IntRange(min=1), default=1, show_default=True, help="Matches at a time.")
@click.option("--table", callback=table_name, help="Sit down at this table; open it, if there is none.")
@click.option("--pool", type=RULES, help=f"Look for quick matches by rules: 5, or length=5,clock=fast. {OPTIONS}")
@click.option(
    "--challenge", callback=player_name, metavar="NAME", help="Challenge this player, and after each match again."
)
@click.option("--tournament", metavar="NAME", help="Play in this tournament, by name or id, until it is over.")
@click.option("--available", "is_available", is_flag=True, help="Play those who ask for the computer.")
@click.option("--fast", is_flag=True, help="With --available: decide at once, not in the time that people take.")
@click.option(
    "--rules",
    type=RULES,
    default="1",
    show_default=True,
    help="Of a table that the bot opens, or a challenge, as with --pool.",
)
@click.option("--keep", is_flag=True, help="In a process of its own, which is started again whenever it dies.")
@click.option("--json", "as_json", is_flag=True, help="A summary on stdout at the end, as JSON.")
def run(
    names: tuple[str, ...],
    server: str,
    player: str | None,
    matches: int | None,
    max_concurrent: int,
    table: str | None,
    pool: Rules | None,
    challenge: str | None,
    tournament: str | None,
    is_available: bool,
    fast: bool,
    rules: Rules,
    keep: bool,
    as_json: bool,
) -> None:
    """Run a bot: a class in a file of the current folder, as cautious.py:Cautious, or one that ships with Tavla by its
    name. Several run side by side.

    It comes back after a lost connection, and goes on with the matches of an earlier run. It leaves a match whose dice
    or plays are wrong. Exit code 0: every match was played to its end, by honest dice and the bot's own decisions.
    """
    if click.get_current_context().find_root().get_parameter_source("player") is ParameterSource.COMMANDLINE:
        player = player or of_tavla("player")
    bots = [] if keep else _load(names)
    finders = [_finder(table, pool, challenge, tournament, is_available, rules) for _ in names]
    if (table or challenge or tournament) and max_concurrent > 1:
        text = "with one opponent, or in a tournament, there is one match at a time: leave out --max-concurrent"
        raise click.UsageError(text)
    if player and len(names) > 1:
        raise click.UsageError("one name is for one bot: leave out --name, and each is called after its class")
    if keep:
        _log_to(sys.stderr)
        sys.exit(supervisor.supervise([argument for argument in sys.argv[1:] if argument != "--keep"]))
    players = [player or _default_name(name) for name, _ in bots]
    pace = human_pace if is_available and not fast else None
    with counting([f"{name}: won 0 of" for name, _ in bots], matches) as bars:
        _log_to(sys.stderr)  # which may be lines above the bars now
        jobs = [
            Job(server, called, player is not None, new_bot, finder, matches, max_concurrent, _telling(name, bar), pace)
            for called, (name, new_bot), finder, bar in zip(players, bots, finders, bars, strict=False)
        ]
        results = asyncio.run(run_side_by_side(jobs))
    for job, (summary, fault) in zip(jobs, results, strict=True):
        _report(job, summary, fault, as_json)
    sys.exit(1 if any(fault or not _is_well(summary) for summary, fault in results) else 0)


@bot.command(cls=GroupedCommand, name="ubgi")
@click.argument("name", metavar="FILE.PY:CLASS")
def ubgi_engine(name: str) -> None:
    """Let a bot play as an engine of UBGI 0.2, over standard input and output, until `quit`."""
    _log_to(sys.stderr)
    asyncio.run(_answer_lines(ubgi.Engine(loading.load(name, Path.cwd())(), name, Failures())))


async def _answer_lines(engine: ubgi.Engine) -> None:
    while (line := await asyncio.to_thread(sys.stdin.readline)) and line.strip() != ubgi.QUIT:
        for text in await engine.answer(line):
            click.echo(text)  # which flushes


def _load(names: Sequence[str]) -> list[tuple[str, type[Bot]]]:
    """The bots of these names, without those that cannot play on this machine. Raises: NoBot, where none is left."""
    bots = list[tuple[str, type[Bot]]]()
    for name in names:
        new_bot = loading.load(name, Path.cwd())
        missing = new_bot.missing()
        if missing and len(names) == 1:
            raise loading.NoBot(missing)
        if missing:
            warn(f"{name} does not play: {missing}")
        else:
            bots.append((name, new_bot))
    return bots


def _is_well(summary: Summary) -> bool:
    """Every match was played to its end, by the bot's own decisions and honest dice."""
    return not (summary.failed or summary.failures or any(result.dice.is_fault for result in summary.results))


def _log_to(stream: TextIO) -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=CleanStream(stream))
    logging.getLogger("websockets").setLevel(logging.WARNING)


def _telling(name: str, bar: Bar) -> Callable[[Result], None]:
    """Function to call after each match: a line, and a step of the bar."""
    won = 0

    def tell(result: Result) -> None:
        nonlocal won
        won += result.won is True
        log_result(result)
        bar(f"{name}: won {won} of")

    return tell


def _finder(
    table: str | None,
    pool: Rules | None,
    challenge: str | None,
    tournament: str | None,
    is_available: bool,
    rules: Rules,
) -> Finder:
    ways = [table is not None, pool is not None, challenge is not None, tournament is not None, is_available]
    if sum(ways) != 1:
        raise click.UsageError(
            "say where it shall play: one of --table, --pool, --challenge, --tournament and --available"
        )
    if table is not None:
        return at_table(table, rules)
    if challenge is not None:
        return against(challenge, rules)
    if tournament is not None:
        return in_tournament(tournament)
    return in_pool(pool) if pool is not None else available()


def _default_name(name: str) -> str:
    """A player's name for a bot that was given none: `cautious:Cautious` is `bot-cautious`."""
    last = Path(name).stem if name.endswith(".py") else name.rpartition(":")[2]
    word = re.sub(r"[^A-Za-z0-9_-]+", "-", last).strip("-")
    return f"bot-{word.lower()}"[:20]


def _report(job: Job, summary: Summary, fault: str, as_json: bool) -> None:
    if as_json:
        rows = [result._asdict() for result in summary.results]
        total = {"bot": job.name, "matches": len(rows), "won": summary.wins, "failed": summary.failed, "error": fault}
        click.echo(json.dumps({**total, "failures": failure_rows(summary.failures), "results": rows}))
    else:
        click.echo(f"{plural(len(summary.results), 'match')}, {summary.wins} won".replace("matchs", "matches"))
    for line in failure_lines(summary.failures):
        click.echo(line, err=True)
    for result in summary.results:
        if result.dice.is_fault:
            warn(f"match {result.match}: {clean(result.dice.text)}")
    for match, text in summary.failed.items():
        click.echo(f"match {match}: {clean(text)}", err=True)
    if fault:
        click.echo(f"Error: {clean(fault)}", err=True)
