"""`tavla`, the terminal client: the command line and its commands."""

import click

from tavla_cli import crash
from tavla_cli.commands import (
    account,
    analyse,
    arena,
    bot_run,
    challenges,
    friends,
    lobby,
    moderation,
    play,
    puzzles,
    records,
    rules,
    settings,
    tables,
    tournament,
    verify,
)
from tavla_cli.input.streams import prepare_streams


def main() -> None:
    """Run the command line. Exit codes: 0 fine, 1 an error that one line on stderr tells, 2 a wrong command line."""
    prepare_streams()
    crash.guarded(lambda: cli(prog_name="tavla"))


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tavla")
def cli() -> None:
    """Play backgammon in a terminal.

    `tavla play` finds you an opponent, `tavla lobby` shows who is here. Or open a table with `tavla create`; a friend
    sits down with `tavla join NAME`. In a match type `help`.
    """


_MODULES = (
    *(play, tables, lobby, friends, challenges, rules, account, records, analyse, verify, puzzles, settings),
    *(moderation, bot_run, arena, tournament),
)
for _module in _MODULES:
    for _command in _module.COMMANDS:
        cli.add_command(_command)
