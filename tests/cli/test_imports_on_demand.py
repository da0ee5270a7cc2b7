"""Imports of `tavla`: a command brings what it needs, and the program itself next to nothing."""

import pkgutil
import subprocess
import sys

import click
import pytest
import tavla_cli.commands
from tavla_cli.main import COMMANDS, cli

HEAVY = (
    "asyncio",
    "rich",
    "prompt_toolkit",
    "platformdirs",
    "websockets",
    "msgspec",
    "numpy",
    "tavla_engine",
    "tavla_client",
)
FOR_OTHER_MODULES = {"options", "rule_options"}  # options alone, no command
PROGRAM = "import sys; from tavla_cli.start import main\ntry:\n    main()\nfinally:\n    print(*sys.modules)"


def imported(*arguments: str) -> set[str]:
    """The modules that are imported when `tavla` has done something."""
    program = [sys.executable, "-c", PROGRAM, *arguments]
    return set(subprocess.run(program, capture_output=True, text=True, check=True).stdout.splitlines()[-1].split())


@pytest.mark.slow
@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_version_and_help_are_shown_without_what_takes_long_to_import(argument: str) -> None:
    modules = imported(argument)
    assert "click" in modules
    assert [name for name in HEAVY if name in modules] == []


@pytest.mark.slow
def test_a_command_is_imported_without_the_others() -> None:
    commands = {name for name in imported("rules", "portes") if name.startswith("tavla_cli.commands.")}
    assert commands == {"tavla_cli.commands.rules"}


def test_each_module_of_commands_stands_in_the_table() -> None:
    modules = {module.name for module in pkgutil.iter_modules(tavla_cli.commands.__path__)}
    assert modules - FOR_OTHER_MODULES == set(COMMANDS)


def test_each_command_is_found_by_its_name() -> None:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        assert command.name == name
        line = "" if command.hidden else command.get_short_help_str(limit=80)
        assert line == next(commands[name] for commands in COMMANDS.values() if name in commands)
    assert cli.get_command(context, "none") is None
