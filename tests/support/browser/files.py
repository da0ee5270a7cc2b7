"""A match in a file, as the page reads it and as the terminal does."""

from typing import Any

from tavla_cli.records.record import Record
from tavla_engine import events as e
from tavla_engine.apply import apply

from tests.support.browser.node import ask_modules


def in_page(data: bytes) -> dict[str, Any]:
    """What the page has read: players, rules, score, steps, and where it is cut."""
    found: dict[str, Any] = ask_modules("file", [data.hex()])[0]
    return found


def course(record: Record) -> list[Any]:
    """The match after each event that changes it, as the terminal has it."""
    match, states = record.start, list[Any]()
    for event in record.events:
        match = apply(match, event)
        match event:
            case e.Moved(seat, moves) if moves:
                states.append(["moved", seat, [[*row] for row in match.board]])
            case e.Doubled(seat) | e.Taken(seat):
                states.append([type(event).__name__.lower(), seat])
            case e.GameEnded(winner, points, _, ending):
                states.append(["game_ended", winner, points, ending.value])
            case e.MatchEnded(winner):
                states.append(["match_ended", winner])
    return states


def course_in_page(told: list[Any]) -> list[Any]:
    """The same as the page has it."""
    states = list[Any]()
    for what, facts, rows in told:
        if what == "moved" and facts[1]:
            states.append([what, facts[0], rows])
        elif what in ("doubled", "taken", "match_ended"):
            states.append([what, facts[0]])
        elif what == "game_ended":
            states.append([what, facts[0], facts[1], facts[3]])
    return states
