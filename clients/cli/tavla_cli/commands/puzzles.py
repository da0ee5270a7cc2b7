"""`tavla daily`, `tavla puzzles`: positions to be solved."""

import json
import random
from collections.abc import AsyncIterator, Sequence
from typing import Final, Literal, get_args

import click
import msgspec
from rich.console import RenderableType
from rich.text import Text
from tavla_client import Client
from tavla_engine.decisions import THEMES, Theme
from tavla_engine.errors import BadText
from tavla_engine.match import Match
from tavla_engine.xgid import parse_xgid
from tavla_protocol import messages as m
from tavla_protocol.messages import Finding

from tavla_cli.bots.analysing import analyse_record
from tavla_cli.bots.counting import judging
from tavla_cli.commands.options import Options, common
from tavla_cli.commands.records import fetch
from tavla_cli.input.choices import choice_of
from tavla_cli.input.common_options import GroupedCommand
from tavla_cli.input.parsing import BadCommand
from tavla_cli.records.classics import CLASSICS
from tavla_cli.records.files import sound
from tavla_cli.records.marks import mistakes_of
from tavla_cli.records.record import Record
from tavla_cli.records.steps import view_of
from tavla_cli.records.streak import day_now, read_streak
from tavla_cli.screens.grids import grid
from tavla_cli.screens.puzzle_screen import SIDES, PuzzleScreen
from tavla_cli.text.puzzles import rating_text

ANY: Final = "any"
NEWEST = 50  # matches of one's own: as many as the page asks about


@click.command(cls=GroupedCommand)
@click.argument("choice", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="All that the server tells, as one JSON object.")
@common
async def daily(options: Options, choice: tuple[str, ...], as_json: bool) -> None:
    """Solve the position of the day.

    CHOICE is a play, such as 8/5 6/5, or roll, double, take, drop; without one you are asked. The first one that you
    make that day is counted, and you see what was best and what others have chosen.
    """
    async with options.client(shared=True, looks_on=True) as client:
        puzzle = await client.archive.daily()
        at, said = _position(puzzle), " ".join(choice)
        if at is None or (as_json and not said):
            _tell_all(puzzle, as_json)
            return
        screen = PuzzleScreen(options.ascii_only)
        try:
            said = choice_of(said, at) if said else await screen.ask(at)
        except BadCommand as error:
            raise click.ClickException(str(error)) from None
        if not said:
            return
        puzzle = await client.archive.daily(said)
        if as_json or puzzle.finding is None:
            _tell_all(puzzle, as_json)
            return
        counts = grid(("chosen today", "by"), ((one, str(count)) for one, count in puzzle.choices.items()), ("by",))
        await screen.tell(puzzle.day, at, said, puzzle.finding, puzzle.by, [counts, _replay(puzzle.match)])


@click.command(cls=GroupedCommand)
@click.option("--theme", type=click.Choice([ANY, *THEMES]), help="Puzzles from public matches, by what is asked.")
@click.option("--level", type=click.Choice(get_args(m.PuzzleLevel)), help="The same, by their rating.")
@common
async def puzzles(options: Options, theme: Theme | Literal["any"] | None, level: m.PuzzleLevel | None) -> None:
    """Solve your own mistakes, or puzzles by theme and level.

    Your own come in any order, then classic decisions. A puzzle from a public match has one right answer. With an
    account you and the puzzle have ratings: the next one is near to yours, and your first answer counts.

    A mistake of your own comes back after 1, 3, 10 and 30 days, and after a wrong answer from the beginning; what is
    due comes first. The others are those of your newest matches. A match that the server has not judged is judged here,
    as by tavla analyse.
    """
    screen = PuzzleScreen(options.ascii_only)
    async with options.client(shared=True, looks_on=True) as client:
        if theme or level:
            await _of_others(screen, client, "" if theme is None or theme == ANY else theme, level or "")
            return
        if client.me.name:
            async for record, at, finding, by in _own(client):
                key = _key(record, finding)
                if not await _solved(screen, key, at, finding, by, [_replay(record.id)], record.names):
                    return
    screen.show(Text("no other mistake of yours is known: here are classic decisions"))
    new = [xgid for xgid in CLASSICS if read_streak().asks(xgid, day_now())]
    for xgid in new or CLASSICS:
        at = parse_xgid(xgid)
        finding = Finding(1, 1, view_of(at).to_act[0], "", CLASSICS[xgid], 0.0)
        if not await _solved(screen, xgid, at, finding, "GNU Backgammon, 2-ply", []):
            return
    click.echo("there are no more of them")


async def _of_others(screen: PuzzleScreen, client: Client, theme: m.AnyTheme, level: m.AnyPuzzleLevel) -> None:
    """Puzzles of the server, until the user goes or there are no more."""
    while (at := _position(puzzle := await client.archive.puzzle(theme, level))) is not None:
        screen.show(Text(f"a puzzle rated {puzzle.rating}"))
        if not (choice := await screen.ask(at)):
            return
        told = await client.archive.answer_puzzle(puzzle.puzzle, choice)
        assert told.finding is not None, "to an answer"
        more = [Text(rating_text(told)), _replay(told.match)]
        await screen.tell(puzzle.puzzle, at, choice, told.finding, told.by, more, right=told.right)
        if not await screen.wants_more():
            return
    click.echo("there is no such puzzle that you have not answered: those of newly judged matches come tomorrow")


async def _solved(
    screen: PuzzleScreen,
    key: str,
    at: Match,
    finding: Finding,
    by: str,
    more: Sequence[RenderableType],
    names: tuple[str, str] = SIDES,
) -> bool:
    """Ask for one position, and tell what the answer was worth. False, when the user goes. names: of an own match."""
    if not (choice := await screen.ask(at, names)):
        return False
    await screen.tell(key, at, choice, finding, by, more, names is not SIDES)
    return await screen.wants_more()


def _position(puzzle: m.Puzzle) -> Match | None:
    try:
        return parse_xgid(puzzle.xgid) if puzzle.xgid else None
    except BadText as error:
        raise click.ClickException(f"{error}: perhaps this tavla is older than the server") from None


def _tell_all(puzzle: m.Puzzle, as_json: bool) -> None:
    if not as_json:
        why = "there is no position today: it comes from a match that the server has judged"
        raise click.ClickException(f"{why}; tavla puzzles has classic decisions")
    click.echo(json.dumps({name: getattr(puzzle, name) for name in puzzle.__struct_fields__ if name != "id"}))


def _replay(match: str) -> Text:
    return Text(f"the whole match: tavla replay {match}")


async def _own(client: Client) -> AsyncIterator[tuple[Record, Match, Finding, str]]:
    """Mistakes of one's own, those that are due first, and who has judged. A match is judged when its turn comes.

    Raises: click.ClickException, where there are none since no match could be judged.
    """
    newest: list[tuple[str, int]] = []
    async for match in client.archive.history():
        newest.append((match.match, match.seat))
        if len(newest) == NEWEST:
            break
    random.shuffle(newest)
    due = [(match, int(seat)) for match, seat, _ in (key.split(" ", 2) for key in read_streak().due(day_now()))]
    is_any, why = False, None
    for match_id, seat in dict.fromkeys([*due, *newest]):
        try:
            record, by = await _judged(sound(await fetch(client, match_id)))
        except click.ClickException as error:
            why = error
            continue
        is_any = True
        for at, finding in mistakes_of(record, seat):
            if read_streak().asks(_key(record, finding), day_now()):
                yield record, at, finding, by
    if why is not None and not is_any:
        raise why


def _key(record: Record, finding: Finding) -> str:
    """The key of an own mistake, which begins with its match and seat."""
    return f"{record.id} {finding.seat} {finding.game}.{finding.turn} {finding.done}"


async def _judged(record: Record) -> tuple[Record, str]:
    """A record with findings, and whose they are. Raises: click.ClickException."""
    told = record.told
    assert told is not None, "of a server"
    if told.analysis is not None and not told.analysis.error:
        return record, told.analysis.by
    with judging() as progress:
        analysis = await analyse_record(record, progress)
    findings = [
        Finding(one.game, one.turn, one.seat, one.done, one.best, one.loss, one.mark) for one in analysis.findings
    ]
    return record._replace(told=msgspec.structs.replace(told, findings=findings)), analysis.by
