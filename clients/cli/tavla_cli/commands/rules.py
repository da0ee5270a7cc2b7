"""`tavla rules`: the rules of backgammon, and what each preset changes, to be read."""

import shutil

import click
from tavla_engine.rules import PRESETS

from tavla_cli.input.arguments import NearChoice
from tavla_cli.input.common_options import GroupedCommand
from tavla_cli.input.terminal import is_interactive
from tavla_cli.text import rulebook

WIDEST = 78  # columns that are still easy to read


@click.command(cls=GroupedCommand)
@click.argument("name", required=False, type=NearChoice(["backgammon", *PRESETS]))
def rules(name: str | None) -> None:
    """Read the rules of backgammon, or what a preset is."""
    size = shutil.get_terminal_size()
    columns = max(20, min(WIDEST, size.columns - 2))
    if name is None:
        lines = rulebook.overview(columns)
    elif name == "backgammon":
        lines = rulebook.backgammon(columns)
    else:
        lines = rulebook.of_preset(name, columns)
    text = "\n".join(lines)
    if is_interactive() and len(lines) >= size.lines:
        click.echo_via_pager(text + "\n")
    else:
        click.echo(text)
