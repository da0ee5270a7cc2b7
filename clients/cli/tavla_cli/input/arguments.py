"""Arguments of the shell, as people type them: names and codes."""

import re
from collections.abc import Callable
from typing import Any

import click


class NearChoice(click.Choice[str]):
    """A choice of a few words; of another one it is told what may have been meant."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """The sentence of the error."""
        from tavla_cli.text.phrases import did_you_mean  # which nobody waits for who makes no mistake

        return super().get_invalid_choice_message(value, ctx) + did_you_mean(str(value), self.choices)


side_option = click.option(
    "--side", type=click.Choice(["either", "white", "black"]), default="either", show_default=True, help="Yours."
)


def _checked(longest: int) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    """A name as servers take it."""

    def check(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
        if value is None or re.fullmatch(f"[A-Za-z0-9_-]{{2,{longest}}}", value):
            return value
        raise click.BadParameter(f"a name has 2 to {longest} letters, digits, - or _")

    return check


player_name, table_name = _checked(20), _checked(30)


def table_code(_: click.Context, __: click.Parameter, value: str) -> str:
    """A private table's code, as people pass it on: in capitals, or with spaces around it."""
    code = value.strip().lower()
    if re.fullmatch(r"[a-z2-7]{0,8}", code):
        return code
    raise click.BadParameter("a code has at most 8 letters and digits from 2 to 7, such as k3x7")
