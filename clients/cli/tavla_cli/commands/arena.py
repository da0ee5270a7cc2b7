"""`tavla arena`: bots against bots, and who wins how much.

Through a server, as whole matches, with a record of each; or with `--local` by the rules alone, where every deal is
played from both sides: the dice are shared, so that luck nearly cancels out.
"""

import asyncio
import json
import logging
import random
import secrets
import sys
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import click
from tavla_client import Bot, Client, ClientError, Failures, Pilot
from tavla_protocol.messages import Side

from tavla_cli.bots import loading, local_match
from tavla_cli.bots.counting import Bar, counting, failure_lines, failure_rows
from tavla_cli.bots.local_match import Score
from tavla_cli.input.common_options import GroupedCommand, of_tavla, server_option
from tavla_cli.input.rules_arguments import OPTIONS, RULES, Rules
from tavla_cli.input.terminal import new_console
from tavla_cli.output import CleanStream
from tavla_cli.records.files import BadFile, write
from tavla_cli.records.record import of_server
from tavla_cli.screens.grids import grid
from tavla_cli.text.cleaning import clean
from tavla_cli.text.rules import engine_rules


class Pairing(NamedTuple):
    """A pairing of two bots, and what the first one won: points in money play; in matches 1 for each that it won, -1
    for others.
    """

    first: str
    second: str
    score: Score


@click.command(cls=GroupedCommand)
@click.argument("names", metavar="BOT BOT...", nargs=-1, required=True)
@click.option("--games", type=click.IntRange(min=1), default=10, show_default=True, help="For each pair of bots.")
@click.option("--rules", type=RULES, help=f"5, or length=5,cube=false. {OPTIONS} [default: 1; local: 0]")
@click.option("--local", is_flag=True, help="Without a server: the same dice from both sides.")
@click.option("--seed", help="Of the local dice, to have them again.")
@server_option
@click.option("--mats", type=click.Path(path_type=Path, file_okay=False), help="Write each match there, as .mat.")
@click.option("--max-concurrent", type=click.IntRange(min=1), default=4, show_default=True, help="Matches at a time.")
@click.option("--json", "as_json", is_flag=True, help="The table as JSON.")
def arena(
    names: tuple[str, ...],
    games: int,
    rules: Rules | None,
    local: bool,
    seed: str | None,
    server: str,
    mats: Path | None,
    max_concurrent: int,
    as_json: bool,
) -> None:
    """Let bots play each other. Every pair of those that are named, with 95 % intervals."""
    if len(names) < 2:
        raise click.UsageError("name two bots or more")
    if local and mats:
        raise click.UsageError("matches are written through a server: leave out --local or --mats")
    if not local and rules and not engine_rules(rules).length:
        raise click.UsageError("money play through a server has no end: give the matches a length, or use --local")
    bots = {name: loading.load(name, Path.cwd()) for name in names}
    pairs = list(combinations(names, 2))
    seed = seed or secrets.token_hex(4)
    failures = Failures()
    try:
        with counting([f"{first} - {second}" for first, second in pairs], games) as bars:
            logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=CleanStream(sys.stderr))
            if local:
                pairings = asyncio.run(_locally(bots, pairs, bars, games, rules or {"length": 0}, seed, failures))
            else:
                setup = _Setup(server, rules or {"length": 1}, mats, asyncio.Semaphore(max_concurrent), failures)
                pairings = asyncio.run(_through_server(setup, bots, pairs, bars, games))
    except ClientError as error:
        raise click.ClickException(clean(str(error))) from None
    _report(pairings, {"seed": seed} if local else {"server": server}, failures, as_json)
    sys.exit(1 if failures else 0)


async def _locally(
    bots: dict[str, type[Bot]],
    pairs: list[tuple[str, str]],
    bars: list[Bar],
    games: int,
    rules: Rules,
    seed: str,
    failures: Failures,
) -> list[Pairing]:
    rules_ = engine_rules(rules)
    pairings = []
    for (first, second), bar in zip(pairs, bars, strict=True):
        sides = bots[first](), bots[second]()
        deals = max(1, games // 2)
        points = []
        for number in range(deals):
            points.append(await local_match.deal(*sides, rules_, f"{seed}:{number}", failures))
            for _ in "there", "and back":
                bar(f"{first} - {second}")
        pairings.append(Pairing(first, second, local_match.score(points, 2 * deals)))
    return pairings


class _Setup(NamedTuple):
    """Host of matches. slots: for those that run at a time. failures: of all bots."""

    server: str
    rules: Rules
    mats: Path | None
    slots: asyncio.Semaphore
    failures: Failures


async def _through_server(
    setup: _Setup, bots: dict[str, type[Bot]], pairs: list[tuple[str, str]], bars: list[Bar], games: int
) -> list[Pairing]:
    if setup.mats is not None:
        setup.mats.mkdir(parents=True, exist_ok=True)
    pairings = []
    for (first, second), bar in zip(pairs, bars, strict=True):
        names = (f"bot-arena-{random.randrange(16**8):08x}" for _ in range(2))
        clients = [Client(setup.server, name=name, bot=True) for name in names]
        async with clients[0] as ours, clients[1] as theirs:
            seats = [(ours, first, bots[first]), (theirs, second, bots[second])]
            points = await asyncio.gather(*(_one(setup, seats, bar, number) for number in range(games)))
        pairings.append(Pairing(first, second, local_match.score(points, games)))
    return pairings


async def _one(setup: _Setup, seats: list[tuple[Client, str, type[Bot]]], bar: Bar, number: int) -> float:
    """Play a match; returns what the first bot won. The sides change from match to match."""
    (ours, first, new_first), (theirs, second, new_second) = seats
    async with setup.slots:
        side: Side = "white" if number % 2 == 0 else "black"
        match = await ours.create(f"arena-{secrets.token_hex(6)}", setup.rules, side)
        joined = await theirs.join(match.id)
        pilots = Pilot(new_first(), match, setup.failures), Pilot(new_second(), joined, setup.failures)
        result, _ = await asyncio.gather(*(pilot.play() for pilot in pilots))
        if result.dice.is_fault:
            raise ClientError(f"match {match.id}: {result.dice.text}")
        bar(f"{first} - {second}")
        if setup.mats is not None:
            players = (first, second) if side == "white" else (second, first)
            record = of_server(await ours.archive.record(match.id))
            try:
                write(record._replace(names=players), setup.mats / f"{match.id}.mat")
            except BadFile as error:
                raise ClientError(f"match {match.id}: {error}") from None
    return 0.0 if result.won is None else 1.0 if result.won else -1.0


def _report(pairings: list[Pairing], facts: dict[str, str], failures: Failures, as_json: bool) -> None:
    for line in failure_lines(failures):
        click.echo(line, err=True)
    if as_json:
        scores = [{"first": one.first, "second": one.second, **one.score._asdict()} for one in pairings]
        click.echo(json.dumps({**facts, "pairings": scores, "failures": failure_rows(failures)}))
        return
    rows = [
        (one.first, one.second, f"{games}", f"{mean:+.3f}", f"± {plus_minus:.3f}")
        for one in pairings
        for mean, plus_minus, games in [one.score]
    ]
    new_console(of_tavla("ascii_only")).print(grid(("bot", "against", "games", "points a game", "95 %"), rows))
