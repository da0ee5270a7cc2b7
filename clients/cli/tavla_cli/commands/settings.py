"""`tavla settings`: what can be switched on and off in the terminal client."""

import click

from tavla_cli.input.arguments import NearChoice
from tavla_cli.input.common_options import GroupedCommand, of_tavla
from tavla_cli.input.terminal import new_console
from tavla_cli.screens.grids import pairs
from tavla_cli.settings import SettingsFile
from tavla_cli.text.settings import NAMES, setting_lines


@click.command(cls=GroupedCommand)
@click.argument("name", required=False, type=NearChoice(NAMES))
@click.argument("switch", required=False, type=click.Choice(["on", "off"]))
def settings(name: str | None, switch: str | None) -> None:
    """Show the settings, or switch one: tavla settings confirm on. In a match type: set confirm on."""
    file = SettingsFile()
    if name and not switch:
        raise click.UsageError(f"say tavla settings {name} on, or off")
    if name:
        try:
            file.switch(name, switch == "on")
        except OSError as error:
            raise click.ClickException(f"{error.strerror or error}: {error.filename}") from None
    new_console(of_tavla("ascii_only")).print(pairs(setting_lines(file.now)))
