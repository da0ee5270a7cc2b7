"""Options that every command of `tavla` has. They are those of `tavla` itself, and may stand anywhere in a line."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from tavla_cli.input.arguments import player_name

DEFAULT_SERVER = "ws://localhost:8765"
WORDS = {"--server": 2, "--as": 2, "--ascii": 1, "--plain": 1}  # how many an option takes, its own name among them
GROUPS = {  # by the names of options: the title below which help shows them; all others stand below "Options"
    "Table": ("side", "private", "spectators"),
    "The computer": ("vs", "level"),
    "Rules": ("length", "rated", "preset", "variant", "cube", "hints", "rules"),
    "Clock": ("clock",),
}

F = TypeVar("F", bound=Callable[..., Any])


def server_url(_: click.Context | None, __: click.Parameter | None, value: str) -> str:
    """A full address from what people type: a host alone, or a page's address."""
    scheme, separator, rest = value.strip().rpartition("://")
    scheme = {"": "ws", "http": "ws", "https": "wss"}.get(scheme, scheme)
    return f"{scheme}://{rest.rstrip('/')}" if rest or separator else value


def common_options(command: F) -> F:
    """The options themselves, for `tavla`."""
    options = (
        click.option(
            "--server",
            envvar="TAVLA_SERVER",
            default=DEFAULT_SERVER,
            callback=server_url,
            metavar="URL",
            help=f"The server; else $TAVLA_SERVER, else {DEFAULT_SERVER}.",
        ),
        click.option(
            "--as",
            "player",
            envvar="TAVLA_NAME",
            callback=player_name,
            metavar="NAME",
            help="Your name there; else $TAVLA_NAME, or the one used last.",
        ),
        click.option("--ascii", "ascii_only", is_flag=True, help="Plain ASCII characters, without colour."),
        click.option("--plain", is_flag=True, help="Line by line, nothing drawn: for screen readers, too."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def common_first(line: list[str]) -> list[str]:
    """The words of a line, the common options before all others. What stands behind `--` stays there."""
    first, others, rest = list[str](), list[str](), [*line]
    while rest:
        if rest[0] == "--":
            return [*first, *others, *rest]
        name, equals, _ = rest[0].partition("=")
        to = first if name in WORDS else others
        count = 1 if equals else WORDS.get(name, 1)
        to += rest[:count]
        del rest[:count]
    return [*first, *others]


def of_tavla(name: str) -> Any:
    """The value of a common option: server, player or ascii_only."""
    return click.get_current_context().find_root().params[name]


def server_option(command: F) -> F:
    """A command that is handed the server."""

    @wraps(command)
    def run(**values: Any) -> None:
        command(server=of_tavla("server"), **values)

    return run  # type: ignore[return-value] # only click calls it


class GroupedCommand(click.Command):
    """A command whose help shows its options in groups, the common ones last; the shell completes these, too."""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The options that begin so."""
        common = click.Command.shell_complete(ctx.find_root().command, ctx.find_root(), incomplete)
        return [*super().shell_complete(ctx, incomplete), *(item for item in common if item.value in WORDS)]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups, each with its title."""
        titles = {name: title for title, names in GROUPS.items() for name in names}
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)) is not None:
                groups.setdefault(titles.get(param.name or "", "Options"), []).append(record)
        root = ctx.find_root()
        common = [param.get_help_record(root) for param in root.command.params if WORDS.keys() & param.opts]
        groups["Connection and looks"] = [record for record in common if record is not None]
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
