"""Options of the shell for the rules of a match. Those that are not given stay as the preset has them."""

from collections.abc import Callable

import click
from tavla_engine.rules import CLOCKS, PRESETS, Variant

from tavla_cli.commands.options import F, with_options
from tavla_cli.input.arguments import NearChoice
from tavla_cli.input.rules_arguments import OPTIONS, RARE_RULES
from tavla_cli.text.rules import clock_times


def _switch(name: str, text: str) -> Callable[[F], F]:
    """An option that is on, off, or as the preset has it."""
    return click.option(f"--{name}/--no-{name}", default=None, help=text)


_OFTEN_CHOSEN = (
    click.option("--length", type=click.IntRange(min=0), help="Points to win the match; 0 for money play."),
    click.option(
        "--clock",
        type=NearChoice(list(CLOCKS)),
        help=f"Free seconds a turn, and seconds for each point: {clock_times()}.",
    ),
    click.option("--rated/--unrated", default=None, help="Whether the result counts for the ratings."),
    click.option(
        "--preset",
        type=NearChoice(list(PRESETS)),
        default="tournament",
        show_default=True,
        help="The rules to begin with.",
    ),
    click.option("--variant", type=NearChoice([one.value for one in Variant]), help="How the checkers start."),
    _switch("cube", "Play with the doubling cube."),
)
_MORE = (
    _switch("hints", "Whether players may ask for their legal plays."),
    click.option(
        "--rules",
        type=RARE_RULES,
        metavar="OPTION=VALUE,...",
        help=f"Rules that few change, as opening=winner,cube_cap=64. {OPTIONS}",
    ),
)


def all_rules(command: F) -> F:
    """Every option of the rules: for a table of one's own."""
    return with_options(command, (*_OFTEN_CHOSEN, *_MORE))


def often_chosen_rules(command: F) -> F:
    """Rules that people choose: for quick matches and challenges."""
    return with_options(command, _OFTEN_CHOSEN)
