"""`tavla analyse`: how well a match was played."""

import json

import click
from rich.text import Text
from tavla_engine.analysis import plain

from tavla_cli.bots.analysing import JUDGES, analyse_record
from tavla_cli.bots.counting import judging
from tavla_cli.commands.options import Options, common
from tavla_cli.commands.records import CODE, WHAT, load
from tavla_cli.input.common_options import GroupedCommand
from tavla_cli.input.terminal import new_console
from tavla_cli.records.files import sound
from tavla_cli.text.analysis import caution, summary, worst
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
        click.echo(json.dumps({"match": record.id, "players": record.names, **plain(analysis)}))
        return
    console = new_console(options.ascii_only, wrap=False)
    console.print(Text(f"{' - '.join(map(clean, record.names))}, judged by {analysis.by}\n", "bold"))
    if told := record.tags.get("Judgement"):
        console.print(Text(f"PR in the file, by {clean(told)}\n"))
    for text in (*caution(analysis), *summary(analysis, record.names), "", *worst(analysis, record.names)):
        console.print(Text(text))
