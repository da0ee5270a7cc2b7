"""`tavla`, the terminal client: the command line and its commands."""

import os
from importlib import import_module

import click
from tavla_protocol import __version__

from tavla_cli import crash
from tavla_cli.input.common_options import common_first, common_options
from tavla_cli.input.streams import prepare_streams

COMMANDS = {  # by their modules, each with its line of `tavla --help`, the first of its docstring; "" = hidden
    "play": {"play": "Play whoever wants the same: quick match."},
    "tables": {
        "create": "Open a table and wait for an opponent.",
        "join": "Sit down at a table, by its name or match id.",
        "watch": "Watch a match, by the table's name or the match id.",
        "resume": "Come back to a match of yours.",
    },
    "lobby": {"lobby": "See who is here, join, watch, challenge and talk.", "matches": "List your matches."},
    "friends": {"friends": "List, add or remove players whom you follow."},
    "challenges": {
        "challenge": "Challenge someone who is online, and wait for the answer.",
        "accept": "Accept a challenge, and play.",
    },
    "rules": {"rules": "Read the rules of backgammon, or what a preset is."},
    "account": {
        "register": "Keep your name for good: become an account, with a password.",
        "login": "Be here who you are elsewhere.",
        "password": "Change your password.",
        "logout": "Be nobody on this machine again.",
        "whoami": "Show who you are here, your rating, and what came to nothing.",
        "profile": "Show how someone has played.",
        "top": "List the highest ratings, and how many matches are void.",
        "unregister": "Close your account for good.",
        "forget": "Throw away all that this computer remembers of a server.",
    },
    "records": {
        "history": "List your finished matches, or someone else's.",
        "replay": "Step through a match, live or over.",
        "export": "Write a match to a file.",
        "dice": "Show how this server's dice have fallen so far.",
    },
    "collection": {"collection": "List, add or remove matches in files that you keep."},
    "analyse": {"analyse": "Judge how well a match was played."},
    "verify": {"verify": "Check the dice and the plays of a match that is over."},
    "page": {
        "check": "Compare the page that a server sends with the installed one.",
        "page": "Serve the installed page here, to play with it at a server.",
    },
    "puzzles": {
        "daily": "Solve the position of the day.",
        "puzzles": "Solve your own mistakes, or puzzles by theme and level.",
    },
    "settings": {"settings": "Show the settings, or switch one: tavla settings confirm on."},
    "moderation": {"report": "Tell the moderators of somebody, and why.", "mod": ""},
    "bot_run": {"bot": "Let a program play."},
    "arena": {"arena": "Let bots play each other."},
    "tournament": {"tournament": "Play in tournaments, or direct one."},
}
_MODULES = {command: module for module, commands in COMMANDS.items() for command in commands}


def main() -> None:
    """Run the command line. Exit codes: 0 fine, 1 an error that one line on stderr tells, 2 a wrong command line."""
    prepare_streams()
    crash.run_guarded(lambda: cli(prog_name="tavla"))


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for: all of them take half a second."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options of `tavla` itself, wherever they stand in the line."""
        return super().parse_args(ctx, common_first(args))

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return sorted(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, which its module has under the same name; None without one."""
        if cmd_name not in _MODULES:
            return None
        module = import_module(f"tavla_cli.commands.{_MODULES[cmd_name]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of a line; one that is none is told with what may have been meant."""
        if args[0] not in _MODULES and args[0][:1].isalpha():
            from tavla_cli.text.phrases import did_you_mean  # which nobody waits for who makes no mistake

            ctx.fail(f"there is no command {args[0]}{did_you_mean(args[0], _MODULES)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the line of each command, none of which is imported."""
        lines = {command: line for commands in COMMANDS.values() for command, line in commands.items()}
        with formatter.section("Commands"):
            formatter.write_dl([(command, line) for command, line in sorted(lines.items()) if line])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
@common_options
def cli(plain: bool, **_: object) -> None:
    """Play backgammon: `tavla play` finds an opponent. In a match type `help`."""
    if plain:
        os.environ["TERM"] = "dumb"  # as rich, prompt-toolkit and we ourselves look at it
