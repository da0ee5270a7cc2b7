"""`tavla verify`: a match that was exported follows from the seeds that everybody had committed to."""

import sys

import click
from rich.text import Text
from tavla_engine.chain import link_number
from tavla_engine.events import GameStarted, OpeningRolled, Rolled

from tavla_cli.commands.options import Options, common
from tavla_cli.commands.records import CODE, WHAT, is_file, load
from tavla_cli.input.common_options import GroupedCommand
from tavla_cli.input.terminal import new_console
from tavla_cli.records.record import Record
from tavla_cli.text.cleaning import clean
from tavla_cli.text.phrases import plural


@click.command(cls=GroupedCommand)
@WHAT
@CODE
@common
async def verify(options: Options, what: str, code: str) -> None:
    """Check the dice and the plays of a match that is over.

    Of a FILE that was exported as JSON, without asking any server; or of what the server says of MATCH.
    """
    record = await load(options, what, code)
    if record.told is None:
        raise click.ClickException(
            f"{what} has no seeds: the JSON of a match at a server has them, tavla export MATCH -o FILE.json"
        )
    if not (record.over and record.view.seed) and not record.faults:
        if record.over:
            raise click.ClickException(f"{clean(record.id)} is no match that is over, with its dice")
        raise click.ClickException(f"the dice of {clean(record.id)} can be checked when the match is over")
    if record.unknown:
        raise click.ClickException(
            f"{what} is neither sound nor wrong: this tavla does not know the event {clean(record.unknown)}: update it"
        )
    console = new_console(options.ascii_only, wrap=False)
    for fault in record.faults:
        console.print(Text(f"WARNING: {clean(fault)}", "bold red"))
    if record.faults:
        sys.exit(1)
    proven, others = _counts(record)
    where, whose = ("in this file", "the file's") if is_file(what) else ("that the server shows", "the server's")
    text = f"{plural(proven, 'roll')}: all follow from the seeds {where}, and the match from them"
    console.print(Text(text, "green"))
    if others:
        console.print(Text(f"{plural(others, 'roll')} of a game that is void: no seed is shown for it", "yellow"))
    console.print(Text(f"That it was played, by whom, when and how it was ruled on is {whose} word."))


def _counts(record: Record) -> tuple[int, int]:
    """The number of rolls for which the server's seed is shown, and of those after them."""
    newest = link_number(bytes.fromhex(record.view.seed), record.view.commitment) or 0
    game, counts = 0, [0, 0]
    for event in record.events:
        game += isinstance(event, GameStarted)
        counts[game > newest] += isinstance(event, OpeningRolled | Rolled)
    return counts[0], counts[1]
