"""Options of the shell for the rules of a match. Those that are not given stay as the preset has them."""

import click
from tavla_engine.rules import CLOCKS, PRESETS, Opening, Variant

from tavla_cli.commands.options import F, with_options

_NUMBER = click.IntRange(min=0)
_OPTIONS = {
    "preset": click.option(
        "--preset",
        type=click.Choice(list(PRESETS)),
        default="tournament",
        show_default=True,
        help="The rules to begin with.",
    ),
    "length": click.option("--length", type=_NUMBER, help="Points to win the match; 0 for money play."),
    "variant": click.option(
        "--variant", type=click.Choice([variant.value for variant in Variant]), help="How the checkers start."
    ),
    "cube": click.option("--cube/--no-cube", default=None, help="Play with the doubling cube."),
    "cube_cap": click.option(
        "--cube-cap", type=_NUMBER, help="The highest value of the cube, a power of two; 0 for none."
    ),
    "crawford": click.option(
        "--crawford/--no-crawford", default=None, help="No cube in the game after one comes within a point."
    ),
    "jacoby": click.option("--jacoby/--no-jacoby", default=None, help="Gammons count only after a double."),
    "beavers": click.option("--beavers", type=_NUMBER, help="How many redoubles may follow a double at once."),
    "automatic_doubles": click.option("--automatic-doubles", type=_NUMBER, help="How many opening ties turn the cube."),
    "opening": click.option(
        "--opening", type=click.Choice([opening.value for opening in Opening]), help="Who starts a game."
    ),
    "forfeit_multiplier": click.option(
        "--forfeit-multiplier", type=_NUMBER, help="A forfeit costs so many cubes; 0 for the match."
    ),
    "resignations": click.option(
        "--resignations/--no-resignations", default=None, help="Whether one may offer to resign a game."
    ),
    "hints": click.option("--hints/--no-hints", default=None, help="Whether players may ask for their legal plays."),
    "clock": click.option("--clock", type=click.Choice(list(CLOCKS)), help="Free seconds a turn, and a reserve."),
    "backgammons": click.option(
        "--backgammons/--no-backgammons", default=None, help="Whether a backgammon counts three; else two."
    ),
    "cap_kept": click.option(
        "--cap-kept/--no-cap-kept", default=None, help="Whether the cube stays with the taker at its cap."
    ),
    "hit_and_run": click.option(
        "--hit-and-run/--no-hit-and-run", default=None, help="Whether a checker that has hit at home may move on."
    ),
    "rated": click.option("--rated/--unrated", default=None, help="Whether the result counts for the ratings."),
}
_OFTEN_CHOSEN = ("length", "clock", "rated", "preset", "variant", "cube")


def all_rules(command: F) -> F:
    """Every option of the rules: for a table of one's own."""
    return with_options(command, list(_OPTIONS.values()))


def often_chosen_rules(command: F) -> F:
    """Rules that people choose: for quick matches and challenges."""
    return with_options(command, [_OPTIONS[name] for name in _OFTEN_CHOSEN])
