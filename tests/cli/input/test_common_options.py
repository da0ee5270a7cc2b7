"""Options that every command has: they may stand anywhere, and help shows them last."""

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner
from tavla_cli.input.common_options import common_first
from tavla_cli.main import cli

LINES = [  # typed, as it is read
    ("lobby", "lobby"),
    ("lobby --ascii --as ada", "--ascii --as ada lobby"),
    ("create den --server=play.example --length 5 --plain", "--server=play.example --plain create den --length 5"),
    ("--as ada create --side white", "--as ada create --side white"),
    ("report bob -- --as he says", "report bob -- --as he says"),
    ("report bob --ascii -- --as", "--ascii report bob -- --as"),
    ("lobby --server", "--server lobby"),
    ("create --as=ada --astonishing", "--as=ada create --astonishing"),
]


@pytest.mark.parametrize(("typed", "read"), LINES)
def test_common_options_may_stand_anywhere_in_a_line(typed: str, read: str) -> None:
    assert common_first(typed.split()) == read.split()


def titles(*command: str) -> list[str]:
    said = CliRunner().invoke(cli, [*command, "--help"], env={"COLUMNS": "80"})
    assert said.exit_code == 0
    return [line[:-1] for line in said.output.splitlines() if line.endswith(":") and line[:1].isupper()]


def test_help_has_the_options_in_groups() -> None:
    last = "Connection and looks"
    assert titles("create") == ["Table", "The computer", "Rules", "Clock", "Options", last]
    assert titles("bot", "run") == ["Options", "Rules", last]
    assert titles("lobby") == ["Options", last]
    assert titles() == ["Options", "Commands"]


def commands(command: click.Command, context: click.Context) -> Iterator[click.Command]:
    """A command and all below it."""
    yield command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, click.Context(below, parent=context))


def test_nobody_has_to_read_more_than_a_hundred_options() -> None:
    options = [
        param
        for command in commands(cli, click.Context(cli))
        for param in command.params
        if isinstance(param, click.Option)
    ]
    assert len(options) <= 100
