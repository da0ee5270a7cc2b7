"""Parts of sentences: names, numbers, dice, times. `you` is the reader's seat, None for a watcher."""

import math
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from tavla_protocol.view import View

from tavla_cli.text.cleaning import clean

KINDS = {1: "a single game", 2: "a gammon", 3: "a backgammon"}


def plural(count: int, word: str) -> str:
    """`1 point`, `2 points`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def name(view: View, seat: int) -> str:
    """A player's name."""
    return clean(view.players[seat] or "the opponent")


def player_text(name: str, kind: str | None, rating: int | None = None) -> str:
    """`ada 1500`, or `gnu (bot) 1800`."""
    return clean(name) + (" (bot)" if kind == "bot" else "") + ("" if rating is None else f" {rating}")


def word_for(name: str, id_: str) -> str:
    """A name as a command takes it, if it is one plain word; else the id, which no shell takes for more than a word."""
    return name if re.fullmatch("[A-Za-z0-9_][A-Za-z0-9_-]*", name) else id_


def rating_text(rating: float) -> str:
    """`1517.32`: with the places that one match moves."""
    return f"{rating:.2f}"


def says(view: View, seat: int, you: int | None, verb: str) -> str:
    """`you roll` or `ada rolls`."""
    if seat == you:
        return f"you {verb}"
    ending = "es" if verb.endswith(("s", "sh")) else "s"
    return f"{name(view, seat)} {verb}{ending}"


def dice_text(dice: tuple[int, ...]) -> str:
    """`5-3`."""
    return "-".join(map(str, dice))


def told_score(score: tuple[int, int], rules: Mapping[str, object]) -> tuple[int, int]:
    """A score as it is told: a match is won with its length, whatever the last game was worth."""
    length = rules.get("length", 7)
    return (min(score[0], length), min(score[1], length)) if isinstance(length, int) and length else score


def score(view: View) -> str:
    """`ada 2, grace 1, match to 3 points`."""
    length = int(view.rules.get("length", 0))
    white, black = told_score(view.score, view.rules)
    return f"{name(view, 0)} {white}, {name(view, 1)} {black}" + (
        f", match to {plural(length, 'point')}" if length else ""
    )


def wait_text(seconds: int) -> str:
    """`42 s`, `3 min`, `3 h` or `3 days`, rounded up: how long something is still to be waited for."""
    for unit_s, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds > 2 * unit_s:
            return f"{-(-seconds // unit_s)} {unit}"
    return f"{seconds} s"


def time_text(free: float, reserve: float) -> str:
    """A running time: `7 s, then 2:00`, and when the free time is used up `1:59`."""
    minutes, seconds = divmod(math.ceil(reserve), 60)
    left = f"{minutes}:{seconds:02}"
    return f"{math.ceil(free)} s, then {left}" if free > 0 else left


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Words that somebody may have meant by one that is none, to be said behind it; "" = nothing is like it."""
    names = {name.lower(): name for name in known}
    close = get_close_matches(word.lower(), names, n=1)
    return f" (did you mean {clean(names[close[0]])}?)" if close else ""
