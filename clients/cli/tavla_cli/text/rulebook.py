"""The rules of backgammon, and of each preset, to be read in a terminal. Pure.

Source: bkgm.com/rules.html, in our own words; what this server does by itself is said where it does.
"""

import textwrap
from collections.abc import Iterator

from tavla_engine.rules import PRESETS, USUAL_CLOCK, Preset, Rules

from tavla_cli.text.rules import clock_times, rules_text

BACKGAMMON = f"""
# The aim

Two players move fifteen checkers each around a board of 24 points, in opposite directions. Whoever first brings all of
them home and bears them off wins the game.

# The board

The points are numbered from 24 to 1 as each player sees them: your 24 point is the opponent's 1 point. You move from
high numbers to low ones. Points 6 to 1 are your home board. The bar in the middle holds checkers that were hit.

At the start each player has two checkers on the 24 point, five on the 13 point, three on the 8 point and five on the 6
point. (Nackgammon, hypergammon and long gammon differ in that alone.)

# Moving

To begin, each player rolls one die, and the higher one plays both numbers; equal ones are rolled again. From then on
each rolls two dice in turn.

Each number moves one checker so many points down, onto a point that is open: one with fewer than two of the opponent's
checkers. Both numbers may move the same checker, one after the other, if the point between is open, too. A double is
played four times.

You must play as many of your numbers as you can: both if there is any way to, and if only one of them can be played,
the higher one. If you can play none, you pass; the server does that for you.

# Hitting and entering

A single checker is a blot. If one of the opponent's lands on it, it is hit, and goes to the bar. Before anything else,
its owner has to enter it in the opponent's home board: with a 3 on the 22 point, and so on, if that point is open. Who
cannot enter passes.

# Bearing off

With all your checkers in your home board you may bear off: a 4 takes a checker from the 4 point off the board. With
none there, the number has to move one from a higher point; with none there either, it takes one from the highest point
on which you have any. A checker that is hit has to come home again first.

# What a game is worth

A single game counts once the value of the cube. If the loser has borne off no checker, it is a gammon (mars), and
counts twice; if besides one of the loser's checkers is on the bar or in the winner's home board, it is a backgammon,
and counts three times.

# The doubling cube

The cube shows what the game is worth, at first 1, and is in the middle: either player may use it. Before rolling, on
turn, you may double. The opponent drops, and loses the game at the value before, or takes: then the game is worth twice
as much, and only the one who took may double next.

In a match, a cube with which a player would win the match already is dead: that player cannot double.

# Matches and money play

A match is played to a number of points. In the first game after a player comes within one point of winning nobody may
double: that is the Crawford game.

Money play has no last game: after each, both say whether they play on, or one leaves. With the Jacoby rule gammons and
backgammons count only when the cube was turned. With beavers, who takes may double again at once and keep the cube.
With automatic doubles, equal dice in the opening roll turn the cube.

# Giving up, pausing, aborting

To resign is to offer the loss of this game, as a single game, a gammon or a backgammon; the opponent accepts or plays
on. To forfeit costs what the rules of the table say, and nobody is asked.

Who leaves may come back. With a clock the time goes on, and after a minute away the opponent may claim the match when
it waits for the one who left; without a clock that is so after three days.

If both want to abort, nobody wins: before the third turn, or in a match without a clock at any time.

# Clocks

The first seconds of each turn are free; what you take beyond them comes off your reserve. Who has used it up loses the
match. Free seconds, and reserve for each point of the match: {clock_times()}. Rated and quick matches have the clock
called {USUAL_CLOCK} unless you choose one.
"""  # a title behind each #


def overview(columns: int) -> list[str]:
    """Topics to read about."""
    lines = ["tavla rules backgammon   the whole rules of the game", ""]
    for name, preset in PRESETS.items():
        lines += [f"tavla rules {name}", *_wrapped(preset.text, columns, "    ")]
    return lines


def backgammon(columns: int) -> list[str]:
    """The whole rules."""
    lines = ["THE RULES OF BACKGAMMON"]
    for block in BACKGAMMON.strip().split("\n\n"):
        lines += ["", block[2:]] if block.startswith("# ") else _wrapped(block, columns, "  ")
    return lines


def of_preset(name: str, columns: int) -> list[str]:
    """Description of a preset: its differences from a tournament match, and its origin."""
    preset = PRESETS[name]
    lines = [name.upper(), *_wrapped(preset.text, columns, "  "), ""]
    lines += [*_wrapped(rules_text(preset.rules._asdict()), columns, "  "), ""]
    for sentence in _sentences(preset):
        lines += _wrapped(sentence, columns, "  - ")
    lines += ["", *_wrapped(f"After: {preset.source}", columns, "  ")]
    lines += _wrapped("All else is as in tavla rules backgammon.", columns, "  ")
    return [*lines, "", f"  tavla create --preset {name}", f"  tavla play --preset {name}"]


def _sentences(preset: Preset) -> Iterator[str]:
    """Each rule in which it is not a match as in tournaments."""
    rules, usual = preset.rules._asdict(), Rules()._asdict()
    for option, value in rules.items():
        if value == usual[option]:
            continue
        if option == "length" and not value:
            yield "Money play: game after game until someone leaves."
        elif option == "opening":
            yield _OPENING_TOLD[str(value)]
        else:
            yield _TOLD[option].format(value)


_TOLD = {
    "length": "{} points win the match.",
    "cube": "There is no doubling cube.",
    "cube_cap": "The cube goes to {} at most. At its cap nobody may double, and it is back in the middle.",
    "crawford": "There is no Crawford game.",
    "jacoby": "Gammons and backgammons count only when a double was taken (Jacoby).",
    "beavers": "Who takes may double again at once, {} times in a row, and keeps the cube (beaver).",
    "automatic_doubles": "Equal dice in the opening roll double the cube, {} times a game at most.",
    "forfeit_multiplier": "A forfeit costs the game at {} times the cube, and not the match.",
    "resignations": "Nobody can offer to resign a game.",
    "hints": "Players may ask for their legal plays.",
    "backgammons": "Nothing counts three: a backgammon is a gammon (mars), and counts two.",
    "cap_kept": "Yet the cube does not go back to the middle there: it stays with whoever took it.",
    "hit_and_run": "A checker that has hit on one's own points 1 to 6 does not move on in that turn (no hit-and-run).",
}
_OPENING_TOLD = {
    "seat_0": "White starts each game, with two dice.",
    "seat_0_cube": "White starts each game, with two dice, and may double before it rolls them.",
    "winner": "Who has won a game starts the next one, with two dice; the first game begins with one die each.",
}


def _wrapped(text: str, columns: int, indent: str) -> list[str]:
    rest = " " * len(indent)
    return textwrap.wrap(text, columns, initial_indent=indent, subsequent_indent=rest, break_on_hyphens=False)
