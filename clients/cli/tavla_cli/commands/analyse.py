"""`tavla analyse`: how well a match was played."""

import json
from collections.abc import Iterator

import click
from rich.text import Text
from tavla_engine.analysis import Finding, plain

from tavla_cli.bots.analysing import JUDGES, analyse_record
from tavla_cli.bots.counting import judging
from tavla_cli.commands.options import Options, common
from tavla_cli.commands.records import CODE, WHAT, load
from tavla_cli.input.common_options import GroupedCommand
from tavla_cli.input.terminal import new_console
from tavla_cli.records.files import sound
from tavla_cli.records.marks import dice_of_turns, is_play, judgement
from tavla_cli.records.record import Record
from tavla_cli.text.analysis import WORST, caution, summary, worst
from tavla_cli.text.cleaning import clean


@click.command(cls=GroupedCommand)
@WHAT
@CODE
@click.option("--json", "as_json", is_flag=True, help="Everything, each decision too, as one JSON object.")
@click.option("--judge", type=click.Choice(JUDGES), default=JUDGES[0], show_default=True, help="Who judges.")
@common
async def analyse(options: Options, what: str, code: str, as_json: bool, judge: str) -> None:
    """Judge how well a match was played.

    By Sage or GNU Backgammon, where it is installed and knows the game, else by the house bot's evaluator. Ctrl-C gives
    up.
    """
    record = sound(await load(options, what, code))
    with judging() as progress:
        analysis = await analyse_record(record, progress, judge)
    if as_json:
        own = {"by": judgement(record), "findings": [one._asdict() for one in record.findings]}
        kept = {"kept": own} if record.findings or own["by"] else {}
        click.echo(json.dumps({"match": record.id, "players": record.names, **plain(analysis), **kept}))
        return
    console = new_console(options.ascii_only, wrap=False)
    console.print(Text(f"{' - '.join(map(clean, record.names))}, judged by {analysis.by}\n", "bold"))
    costly = worst(analysis.worst(WORST), record.names)
    for text in (*caution(analysis), *summary(analysis, record.names), "", *costly, *_kept(record)):
        console.print(Text(text))


def _kept(record: Record) -> Iterator[str]:
    """The verdicts that were kept with the match, by another judge: beside ours, and in no figure of it."""
    if told := clean(judgement(record)):
        yield from ("", f"PR kept with the match, by {told}")
        costly = sorted(record.findings, key=lambda one: -one.loss)[:WORST]
        rolls = dice_of_turns(record)
        kept = (Finding(*one[:3], rolls.get(one[:2]) if is_play(one) else None, *one[3:6], True) for one in costly)
        yield from worst([*kept], record.names) if costly else ()
