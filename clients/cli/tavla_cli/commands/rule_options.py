"""Options of the shell for the rules of a match. Those that are not given stay as the preset has them."""

from collections.abc import Callable
from functools import partial

import click
from tavla_engine.rules import CLOCKS, PRESETS, Opening, Variant

from tavla_cli.commands.options import F, with_options

_number = partial(click.option, type=click.IntRange(min=0))


def _switch(name: str, text: str) -> Callable[[F], F]:
    """An option that is on, off, or as the preset has it."""
    return click.option(f"--{name}/--no-{name}", default=None, help=text)


_OPTIONS = {
    "preset": click.option(
        "--preset",
        type=click.Choice(list(PRESETS)),
        default="tournament",
        show_default=True,
        help="The rules to begin with.",
    ),
    "length": _number("--length", help="Points to win the match; 0 for money play."),
    "variant": click.option(
        "--variant", type=click.Choice([variant.value for variant in Variant]), help="How the checkers start."
    ),
    "cube": _switch("cube", "Play with the doubling cube."),
    "cube_cap": _number("--cube-cap", help="The highest value of the cube, a power of two; 0 for none."),
    "crawford": _switch("crawford", "No cube in the game after one comes within a point."),
    "jacoby": _switch("jacoby", "Gammons count only after a double."),
    "beavers": _number("--beavers", help="How many redoubles may follow a double at once."),
    "automatic_doubles": _number("--automatic-doubles", help="How many opening ties turn the cube."),
    "opening": click.option(
        "--opening", type=click.Choice([opening.value for opening in Opening]), help="Who starts a game."
    ),
    "forfeit_multiplier": _number("--forfeit-multiplier", help="A forfeit costs so many cubes; 0 for the match."),
    "resignations": _switch("resignations", "Whether one may offer to resign a game."),
    "hints": _switch("hints", "Whether players may ask for their legal plays."),
    "clock": click.option("--clock", type=click.Choice(list(CLOCKS)), help="Free seconds a turn, and a reserve."),
    "backgammons": _switch("backgammons", "Whether a backgammon counts three; else two."),
    "cap_kept": _switch("cap-kept", "Whether the cube stays with the taker at its cap."),
    "hit_and_run": _switch("hit-and-run", "Whether a checker that has hit at home may move on."),
    "rated": click.option("--rated/--unrated", default=None, help="Whether the result counts for the ratings."),
}
_OFTEN_CHOSEN = ("length", "clock", "rated", "preset", "variant", "cube")


def all_rules(command: F) -> F:
    """Every option of the rules: for a table of one's own."""
    return with_options(command, list(_OPTIONS.values()))


def often_chosen_rules(command: F) -> F:
    """Rules that people choose: for quick matches and challenges."""
    return with_options(command, [_OPTIONS[name] for name in _OFTEN_CHOSEN])
