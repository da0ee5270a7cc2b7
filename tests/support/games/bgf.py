"""A file as BGBlitz writes it (`.bgf`), without a judge's figures.

A line of JSON, then a tree of values in Smile, a binary JSON. Points are numbered by red; green, seat 0, is -1.
"""

from itertools import chain, repeat
from typing import Any

from tavla_cli.records.record import Record
from tavla_engine import events as e
from tavla_engine.apply import apply
from tavla_engine.events import Ending
from tavla_engine.match import Match
from tavla_engine.rules import STARTS, Variant

HEAD = b'{"format":"BGF","version":"1.0","compress":false,"useSmile":true}\n'
MAGIC = b":)\n\x00"  # no feature is used
NOTHING = [-1, -1, -1, -1]
DOUBLE, TAKE, DROP = 1, 2, 3  # in place of red's die


def bgf_of(record: Record) -> bytes:
    """A match as a file. Set-up positions and beavers are not written."""
    return HEAD + MAGIC + smile(tree_of(record))


def tree_of(record: Record) -> dict[str, Any]:
    """The values of a file."""
    games: list[dict[str, Any]] = []
    match = record.start
    for event in record.events:
        if isinstance(event, e.GameStarted):
            games.append(game_at(match, event.crawford))
        elif games:
            write(games[-1], match, event)
        match = apply(match, event)
    about = {"nameGreen": record.names[0], "nameRed": record.names[1], "matchlen": record.start.rules.length}
    final = {"finalGreen": match.score[0], "finalRed": match.score[1]}
    return {**about, **final, "useCrawford": True, "date": "2026.11.20", "games": games}


def game_at(match: Match, crawford: bool) -> dict[str, Any]:
    """A game before its first roll."""
    green = red = STARTS[Variant.STANDARD]
    points = [green[24 - at] - red[at + 1] for at in range(24)]
    score = {"scoreGreen": match.score[0], "scoreRed": match.score[1], "isCrawford": crawford}
    return {**score, "initial": {"points": [*points, 0, 0], "cube": 1, "cubeOwner": 0}, "moves": [], "wonPoints": 0}


def write(game: dict[str, Any], match: Match, event: e.Event) -> None:
    """Add what an event shows; match: the state before it."""
    match event:
        case e.Moved(seat, ()):
            (high, low) = match.dice or (0, 0)
            game["moves"].append(
                turn(seat) | {"from": [high, *NOTHING[1:]], "to": [low, *NOTHING[1:]], "dancingEquity": 0}
            )
        case e.Moved(seat, moves):
            rows = (list(row) for row in zip(*moves, strict=True))
            sources, targets = (list(chain(row, repeat(-1, 4 - len(row)))) for row in rows)
            high, low = match.dice or (0, 0)
            game["moves"].append(turn(seat) | {"from": sources, "to": targets, "red": high, "green": low})
        case e.Doubled(seat):
            game["moves"] += [cube(seat, DOUBLE, True), cube(1 - seat, TAKE, True)]
        case e.GameEnded(_, points, _, ending):
            game |= {"wonPoints": points, "wasResignation": ending is Ending.RESIGNATION}
            if ending is Ending.DROP:
                game["moves"][-2:] = [cube(match.turn, DOUBLE, False), cube(1 - match.turn, DROP, False)]


def turn(seat: int) -> dict[str, Any]:
    return {"player": 1 if seat else -1, "ply": 2}


def cube(seat: int, act: int, accepted: bool) -> dict[str, Any]:
    said = {"hasDoubled": True, "hasAccepted": accepted, "stateOnMove": "DOUBLE", "stateOther": "ACCEPT"}
    return turn(seat) | {"red": act, "from": NOTHING, "to": NOTHING, "equity": {"cubeDecision": said}}


def smile(value: Any) -> bytes:
    """A value in Smile; numbers are integers, texts have at most 64 bytes, or 33 if they are no ASCII."""
    match value:
        case None:
            return b"\x21"
        case bool():
            return b"\x23" if value else b"\x22"
        case int():
            return b"\x24" + vint(value)
        case str():
            text = value.encode()
            kinds = ((0x40, 1), (0x60, 33)) if value.isascii() else ((0x80, 2),)
            first, shortest = kinds[len(text) > 32]
            return bytes([first + len(text) - shortest]) + text if value else b"\x20"
        case list():
            return b"\xf8" + b"".join(map(smile, value)) + b"\xf9"
        case _:
            pairs = (bytes([0x7F + len(name)]) + name.encode() + smile(item) for name, item in value.items())
            return b"\xfa" + b"".join(pairs) + b"\xfb"


def vint(value: int) -> bytes:
    """A number as groups of bits, the sign in the lowest: the last byte has 6 bits and a mark, the others 6 of 7."""
    zigzag = (value << 1) ^ (value >> 63)
    groups = [zigzag & 0x3F | 0x80]
    while zigzag := zigzag >> 6:
        groups.insert(0, zigzag & 0x3F)
    return bytes(groups)
