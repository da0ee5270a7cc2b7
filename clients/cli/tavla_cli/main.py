"""`tavla`, the terminal client: the command line and its commands."""

import keyword
from importlib import import_module

import click
from tavla_protocol import __version__

from tavla_cli import crash
from tavla_cli.input.streams import prepare_streams

COMMANDS = {  # by their modules
    "play": ("play",),
    "tables": (
        "create",
        "join",
        "watch",
        "resume",
    ),
    "lobby": (
        "lobby",
        "matches",
    ),
    "friends": ("friends",),
    "challenges": (
        "challenge",
        "accept",
        "decline",
    ),
    "rules": ("rules",),
    "account": (
        "register",
        "login",
        "password",
        "logout",
        "whoami",
        "profile",
        "top",
        "account",
    ),
    "records": (
        "history",
        "replay",
        "export",
        "import",
        "dice",
    ),
    "analyse": ("analyse",),
    "verify": ("verify",),
    "puzzles": (
        "daily",
        "puzzles",
    ),
    "settings": ("settings",),
    "moderation": (
        "report",
        "mod",
    ),
    "bot_run": ("bot",),
    "arena": ("arena",),
    "tournament": ("tournament",),
}
_MODULES = {command: module for module, commands in COMMANDS.items() for command in commands}


def main() -> None:
    """Run the command line. Exit codes: 0 fine, 1 an error that one line on stderr tells, 2 a wrong command line."""
    prepare_streams()
    crash.run_guarded(lambda: cli(prog_name="tavla"))


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for: all of them take half a second."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return sorted(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, which its module has under the same name; None without one."""
        if cmd_name not in _MODULES:
            return None
        module = import_module(f"tavla_cli.commands.{_MODULES[cmd_name]}")
        command: click.Command = getattr(module, f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name)
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def cli() -> None:
    """Play backgammon in a terminal.

    `tavla play` finds you an opponent, `tavla lobby` shows who is here. Or open a table with `tavla create`; a friend
    sits down with `tavla join NAME`. In a match type `help`.
    """
