"""Arguments of the shell, as people type them: names and codes."""

import re
from typing import Any

import click

LONGEST = 120  # characters of a name that reach the server, in which some are composed


class NearChoice(click.Choice[str]):
    """A choice of a few words; of another one it is told what may have been meant."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """The sentence of the error."""
        from tavla_cli.text.phrases import did_you_mean  # which nobody waits for who makes no mistake

        return super().get_invalid_choice_message(value, ctx) + did_you_mean(str(value), self.choices)


side_option = click.option(
    "--side", type=click.Choice(["either", "white", "black"]), default="either", show_default=True, help="Yours."
)


def player_name(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """A player's name as servers take it."""
    if value is None or re.fullmatch("[A-Za-z0-9_-]{2,20}", value):
        return value
    raise click.BadParameter("a name has 2 to 20 letters, digits, - or _")


def table_name(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """The name of a table or a tournament, or its id: of a name the server says what is wrong with it."""
    if value is None or (value.strip() and len(value) <= LONGEST):
        return value
    raise click.BadParameter("a name has 1 to 40 characters")


def table_code(_: click.Context, __: click.Parameter, value: str) -> str:
    """A private table's code, as people pass it on: in capitals, or with spaces around it."""
    code = value.strip().lower()
    if re.fullmatch(r"[a-z2-7]{0,8}", code):
        return code
    raise click.BadParameter("a code has at most 8 letters and digits from 2 to 7, such as k3x7")
