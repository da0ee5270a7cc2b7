"""`tavla verify`: a match that was exported follows from the seeds that everybody had committed to."""

import sys

import click
from rich.console import Console
from rich.text import Text
from tavla_engine.chain import link_number
from tavla_engine.events import GameStarted, OpeningRolled, Rolled
from tavla_engine.proof import REMARKS, check_remarks

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

    Of a FILE that was exported, without asking any server; or of what the server says of MATCH. A JSON file proves
    most; a .mat, .sgf or .ogxm file has the seeds in its remarks, and tells what it cannot prove.
    """
    record = await load(options, what, code)
    console = new_console(options.ascii_only, wrap=False)
    if record.told is None:
        _verify_remarks(console, what, record)
        return
    if not (record.over and record.view.seed) and not record.faults:
        if record.over:
            raise click.ClickException(f"{clean(record.id)} is no match that is over, with its dice")
        raise click.ClickException(f"the dice of {clean(record.id)} can be checked when the match is over")
    if record.unknown:
        raise click.ClickException(
            f"{what} is neither sound nor wrong: this tavla does not know the event {clean(record.unknown)}: update it"
        )
    for fault in record.faults:
        console.print(Text(f"WARNING: {clean(fault)}", "bold red"))
    if record.faults:
        sys.exit(1)
    where, whose = ("in this file", "the file's") if is_file(what) else ("that the server shows", "the server's")
    _tell(console, *_counts(record), f"the seeds {where}, and the match from them")
    console.print(Text(f"That it was played, by whom, when and how it was ruled on is {whose} word."))


def _verify_remarks(console: Console, what: str, record: Record) -> None:
    """A match of which remarks alone tell the seeds. Its plays are legal: else it could not have been read."""
    if not all(name in record.tags for name in REMARKS):
        why = "a match of a server has them when it is over, tavla export MATCH -o FILE.json"
        raise click.ClickException(f"{what} has no seeds, so nobody can check its dice: {why}")
    found = check_remarks(record.tags, record.start, record.events)
    if found.fault:
        console.print(Text(f"WARNING: {clean(found.fault)}", "bold red"))
        console.print(Text("A match that a restore has put back has other rolls from there on: its .json tells."))
        sys.exit(1)
    _tell(console, found.rolls, found.others, "the seeds in the file's remarks; all plays are legal")
    console.print(Text("Its names, rules, clocks and ties, and that it was played at all, is the file's word."))
    console.print(Text("The .json of the match proves the rules, too, and its terms hold the names as hashes."))


def _tell(console: Console, proven: int, others: int, whence: str) -> None:
    console.print(Text(f"{plural(proven, 'roll')}: all follow from {whence}", "green"))
    if others:
        console.print(Text(f"{plural(others, 'roll')} of a game that is void: no seed is shown for it", "yellow"))


def _counts(record: Record) -> tuple[int, int]:
    """The number of rolls for which the server's seed is shown, and of those after them."""
    newest = link_number(bytes.fromhex(record.view.seed), record.view.commitment) or 0
    game, counts = 0, [0, 0]
    for event in record.events:
        game += isinstance(event, GameStarted)
        counts[game > newest] += isinstance(event, OpeningRolled | Rolled)
    return counts[0], counts[1]
