"""Table of what a server that cheats is caught at: by which of our programs, and when.

Tests of each program hold its column; `docs/dice.md` shows the table, and a test compares the two.
"""

from enum import StrEnum
from typing import NamedTuple


class When(StrEnum):
    """A cell of the table."""

    PLAYING = "while playing"  # play stops, in words
    END = "at the end"  # the verdict on the match, or on its export
    NEVER = "-"


PLAYING, END, NEVER = When.PLAYING, When.END, When.NEVER


class Row(NamedTuple):
    """A way to cheat. does: the server. why: what a program that does not catch it cannot see."""

    does: str
    library: When
    bot: When
    terminal: When
    page: When
    verify: When
    script: When
    why: str = ""


def _row(does: str, players: When, verify: When, script: When, why: str = "") -> Row:
    """A row of which all who play say the same."""
    return Row(does, players, players, players, players, verify, script, why)


_SEEN = "only the players know what they were shown"
_SENT = "only the player knows what it sent"
_RULES = "the script knows no board"

CAUGHT: dict[str, Row] = {
    "skip": _row("skips numbers of the dice that it dislikes", PLAYING, END, END),
    "two_faced": _row("shows another pair for a number, and the right one later", PLAYING, END, END),
    "beyond": _row("shows fewer rolls at the end than there were", END, END, END),
    "wrong_dice": _row("shows dice that do not follow from the seeds", END, END, END),
    "added_roll": _row("gives one player two turns in a row", PLAYING, END, END),
    "roll_too_many": _row("rolls once more when the game is over", END, END, END),
    "early_flag": _row("ends the match on time when there is time left", END, END, NEVER, "the script runs no clock"),
    "no_commitments": _row("drops both commitments, and tries seeds", PLAYING, END, END),
    "changed_own": _row("puts a seed of its own in the place of a player's", PLAYING, NEVER, NEVER, _SENT),
    "late_commitment": _row("commits anew when it knows the players' seeds", PLAYING, NEVER, NEVER, _SEEN),
    "no_seed": _row("does not show its seed at the end", END, END, END),
    "void_blame": _row(
        "makes the match void, and blames the player who revealed",
        PLAYING,
        NEVER,
        NEVER,
        "a match that is void has no dice to check",
    ),
    "void_silent": _row(
        "closes the match when it knows all seeds, and gives no reason",
        PLAYING,
        NEVER,
        NEVER,
        "a match that is void has no dice to check",
    ),
    "other_rules": _row(
        "plays by other rules than were asked for", PLAYING, NEVER, NEVER, "only the player knows what it asked for"
    ),
    "other_opponent": _row(
        "shows another opponent than the one who has sat down", PLAYING, END, NEVER, "the script looks at no names"
    ),
    "wrong_starter": _row("starts the loser of the opening roll", END, END, END),
    "illegal_play": _row("lets one player make an illegal play", PLAYING, END, END),
    "as_forced": _row("plays a player's turns as if they were forced", PLAYING, END, NEVER, _RULES),
    "rolled_for": _row(
        "rolls for a player who might double", PLAYING, NEVER, NEVER, "a record does not say who asked for a roll"
    ),
    "wrong_score": _row("gives the points of a game to its loser", END, END, NEVER, _RULES),
    "wrong_cube": _row("shows the cube twice as high, and the opponent's", PLAYING, END, NEVER, _RULES),
    "record_differs": _row("tells of another play in the record", END, END, NEVER, _RULES),
    "record_sixes": _row("tells of better dice in the record", END, END, END),
}

HEAD = ("the server", "library", "bot", "terminal", "page", "`tavla verify`", "verify.py", "why not")


def markdown() -> str:
    """The table as documents show it."""
    lines = [HEAD, ("---",) * len(HEAD), *CAUGHT.values()]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
