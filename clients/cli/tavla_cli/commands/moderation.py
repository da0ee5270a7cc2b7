"""`tavla report`; and `tavla mod`, for moderators."""

import click
from rich.text import Text

from tavla_cli.commands.options import Options, common, meaning
from tavla_cli.input import completion, moderation
from tavla_cli.input.arguments import player_name
from tavla_cli.input.common_options import GroupedCommand
from tavla_cli.input.parsing import BadCommand
from tavla_cli.input.terminal import new_console


@click.command(cls=GroupedCommand)
@click.argument("name", callback=player_name, shell_complete=completion.people)
@click.argument("reason", nargs=-1, required=True)
@common
async def report(options: Options, name: str, reason: tuple[str, ...]) -> None:
    """Tell the moderators of somebody, and why."""
    async with options.client(shared=True) as client, meaning(name, client, completion.known_names):
        said = await moderation.report(client, f"{name} {' '.join(reason)}")
    new_console(options.ascii_only).print(Text(said))


@click.command(cls=GroupedCommand, hidden=True, context_settings={"ignore_unknown_options": True})
@click.argument("typed", nargs=-1)
@common
async def mod(options: Options, typed: tuple[str, ...]) -> None:
    """For moderators: kick, mute, ban and more. Without anything behind it: what there is."""
    async with options.client(shared=True) as client:
        try:
            lines = await moderation.moderate(client, moderation.quotation(typed))
        except BadCommand as error:
            raise click.ClickException(str(error)) from None
    console = new_console(options.ascii_only)
    for line in lines:
        console.print(Text(line))
