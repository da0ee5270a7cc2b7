"""`tavla analyse`: how well a match was played, each match of a folder, or what is best in a position."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import click
from rich.text import Text
from tavla_engine.analysis import Analysis, Finding, plain
from tavla_engine.errors import BadText
from tavla_engine.match import Match
from tavla_engine.xgid import xgid

from tavla_cli.bots.analysing import JUDGES, analyse_position, analyse_record
from tavla_cli.bots.counting import judging
from tavla_cli.commands.options import Options, common
from tavla_cli.commands.records import CODE, is_file, load
from tavla_cli.input import completion
from tavla_cli.input.common_options import GroupedCommand
from tavla_cli.input.terminal import new_console
from tavla_cli.records.files import BadFile, read, sound
from tavla_cli.records.marks import dice_of_turns, is_play, judgement
from tavla_cli.records.positions import position_in
from tavla_cli.records.record import Record
from tavla_cli.text.analysis import WORST, caution, position_lines, summary, worst
from tavla_cli.text.cleaning import clean

MOST_POSITION_BYTES = 100_000  # of a file with a position


@click.command(cls=GroupedCommand)
@click.argument("what", metavar="MATCH|FILE|FOLDER|POSITION", shell_complete=completion.matches)
@CODE
@click.option("--json", "as_json", is_flag=True, help="Everything, each decision too, as one JSON object a match.")
@click.option("--judge", type=click.Choice(JUDGES), default=JUDGES[0], show_default=True, help="Who judges.")
@common
async def analyse(options: Options, what: str, code: str, as_json: bool, judge: str) -> None:
    """Judge how well a match was played.

    By Sage or GNU Backgammon, where it is installed and knows the game, else by the house bot's evaluator. Of a FOLDER
    each match, a line each. POSITION is an XGID, a GNU ID, an OGID, or a text that has one, as eXtreme Gammon copies
    it: its plays are ranked, or its cube is judged. Ctrl-C gives up.
    """
    console = new_console(options.ascii_only, wrap=False)
    if (match := _position(what)) is not None:
        verdict = await analyse_position(match, judge)
        if as_json:
            found = {"by": verdict.by, "plays": verdict.plays, "cube": verdict.cube}
            click.echo(json.dumps({"position": xgid(match), **found}))
            return
        console.print(Text(f"{xgid(match)}, judged by {verdict.by}\n", "bold"))
        for text in position_lines(match, verdict.plays, verdict.cube):
            console.print(Text(text))
    elif (files := _files_of(what)) is not None:
        for file in files:
            line = await _line_of(file, judge, as_json)
            click.echo(line) if as_json else console.print(Text(line))
    else:
        record = sound(await load(options, what, code))
        analysis = await _analysis(record, judge)
        if as_json:
            click.echo(_as_json(record, analysis))
            return
        console.print(Text(f"{' - '.join(map(clean, record.names))}, judged by {analysis.by}\n", "bold"))
        costly = worst(analysis.worst(WORST), record.names)
        for text in (*caution(analysis), *summary(analysis, record.names), "", *costly, *_kept(record)):
            console.print(Text(text))


def _position(what: str) -> Match | None:
    """The position that is asked about; None for a match. Raises: click.ClickException, for one that cannot be."""
    try:
        if (match := position_in(what)) is not None or not is_file(what):
            return match
        file = Path(what)
        if not file.is_file() or file.stat().st_size > MOST_POSITION_BYTES:
            return None
        try:
            read(file)
        except BadFile:
            return position_in(file.read_text(encoding="utf-8", errors="replace"))
    except BadText as error:
        raise click.ClickException(clean(str(error))) from None
    except OSError:  # it is said what is wrong with a file when it is read
        pass
    return None


def _files_of(what: str) -> list[Path] | None:
    """The files of a folder by name; None for what is none. Raises: click.ClickException."""
    if not (is_file(what) and os.path.isdir(what)):
        return None
    try:
        return sorted(one for one in Path(what).iterdir() if one.is_file() and not one.name.startswith("."))
    except OSError as error:
        raise click.ClickException(f"cannot read {what}: {error.strerror}") from None


async def _analysis(record: Record, judge: str) -> Analysis:
    with judging() as progress:
        return await analyse_record(record, progress, judge)


async def _line_of(file: Path, judge: str, as_json: bool) -> str:
    """A line on a file of a folder: both players and ratings, or why there are none."""
    try:
        record = sound(read(file))
        analysis = await _analysis(record, judge)
    except click.ClickException as error:
        why = clean(error.message).removeprefix(f"{file}: ")
        return json.dumps({"file": file.name, "error": why}) if as_json else f"{clean(file.name)}: {why}"
    if as_json:
        return _as_json(record, analysis, {"file": file.name})
    pr = (
        f"{clean(name)} {'-' if rating is None else f'{rating:.2f}'}"
        for name, rating in zip(record.names, (analysis.all(seat).rating for seat in (0, 1)), strict=True)
    )
    kept = clean(judgement(record))
    return f"{clean(file.name)}: {analysis.by}: {', '.join(pr)}" + (f"; in the file, {kept}" if kept else "")


def _as_json(record: Record, analysis: Analysis, about: dict[str, str] | None = None) -> str:
    own = {"by": judgement(record), "findings": [one._asdict() for one in record.findings]}
    kept = {"kept": own} if record.findings or own["by"] else {}
    return json.dumps({**(about or {}), "match": record.id, "players": record.names, **plain(analysis), **kept})


def _kept(record: Record) -> Iterator[str]:
    """The verdicts that were kept with the match, by another judge: beside ours, and in no figure of it."""
    if told := clean(judgement(record)):
        yield from ("", f"PR kept with the match, by {told}")
        costly = sorted(record.findings, key=lambda one: -one.loss)[:WORST]
        rolls = dice_of_turns(record)
        kept = (Finding(*one[:3], rolls.get(one[:2]) if is_play(one) else None, *one[3:6], True) for one in costly)
        yield from worst([*kept], record.names) if costly else ()
