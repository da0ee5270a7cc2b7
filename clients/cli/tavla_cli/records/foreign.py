"""Matches of eXtreme Gammon (`.xg`), BGBlitz (`.bgf`) and OpenGammon (`.ogxm`): read by a process of its own.

What the package `gammonview` finds is decided anew by the rules, as each file of another program is.
"""

import subprocess
import sys
from collections.abc import Iterator
from typing import Annotated, NamedTuple

import msgspec
from tavla_engine.errors import BadText
from tavla_engine.mat_text import Cell, Game, Kind, Sheet
from tavla_engine.notation import format_moves
from tavla_engine.position import BAR
from tavla_engine.setup import MIDDLE, Setup
from tavla_engine.transcript import MatRecord, record_of
from tavla_protocol.messages import Finding

from tavla_cli.text.cleaning import clean

LIMIT_S = 30.0  # for one file; a match of a hundred games takes 2
MOST_BYTES = 4 << 20  # of a file; real ones have 90 KB
NAMES = {b"RGMH": "eXtreme Gammon's own format (.xg)", b"OGXM": "OpenGammon's format (.ogxm)"}
BGF = "BGBlitz's own format (.bgf)"
JUDGES = {"xg": "eXtreme Gammon", "bgblitz": "BGBlitz", "gnubg": "GNU Backgammon", "bgsage": "Sage"}
VARIANTS = ("", "Nackgammon", "HyperGammon", "LongGammon")
DICE, GAME_OVER, SET, OWNER_NOBODY = range(21), range(24, 31), 31, 2
CUBE = {21: Kind.DOUBLE, 22: Kind.TAKE, 23: Kind.DROP, 32: Kind.BEAVER, 33: Kind.BEAVER, 37: Kind.DROP}
_PR_FACTOR = 500

Point = Annotated[int, msgspec.Meta(ge=0, le=25)]
Die = Annotated[int, msgspec.Meta(ge=1, le=6)]
Seat = Annotated[int, msgspec.Meta(ge=0, le=1)]
Count = Annotated[int, msgspec.Meta(ge=0, lt=10**6)]


class Reading(NamedTuple):
    """Reading of a file: its match, with its own verdicts, or its remarks, a line each, in which there may be some."""

    match: MatRecord
    verdicts: tuple[Finding, ...]
    remarks: str


class _GameRead(msgspec.Struct):
    """A game. plies: [seat, kind, dice, moves, text]."""

    winner: int | None
    points: Count
    plies: list[tuple[Seat, int, tuple[Die, Die] | None, list[tuple[Point, Point]], str]]


class _Judge(msgspec.Struct):
    """The file's own judge. sums: by seat, the decisions that count, and the equity lost in them."""

    by: str
    sums: tuple[tuple[int, float], tuple[int, float]]


class _MatchRead(msgspec.Struct):
    """A match, as `foreign_script.py` tells it.

    score: before the first game, after the Crawford game or not. tags, remarks: what notes to the match and to single
    turns say. verdicts: decisions that have cost something, by the file's own judge.
    """

    length: Count
    names: tuple[str, str]
    rules: dict[str, bool]
    variant: Annotated[int, msgspec.Meta(ge=0, lt=len(VARIANTS))]
    event: str
    site: str
    judge: _Judge | None
    score: tuple[Count, Count]
    crawford_done: bool
    tags: dict[str, str]
    remarks: list[str]
    verdicts: list[Finding]
    games: list[_GameRead]


def foreign_name(data: bytes) -> str:
    """The name of the format that these bytes begin as; "" for a text or any other."""
    is_bgf = data[:200].lstrip().startswith(b"{") and b'"BGF"' in data[:200]
    return BGF if is_bgf else NAMES.get(data[:4], "")


def read_foreign(data: bytes) -> Reading:
    """The match of such a file, up to the first play that is none, and what is said of it there. Raises: BadText."""
    name = foreign_name(data)
    if len(data) > MOST_BYTES:
        raise BadText(f"this is {name}, but too large for a match: {len(data)} bytes, of at most {MOST_BYTES}")
    command = [sys.executable, "-P", "-m", "tavla_cli.records.foreign_script"]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        raise BadText(f"this is {name}, but reading it takes more than {LIMIT_S:.0f} s") from None
    if b"No module named 'gvformat'" in done.stderr:
        raise BadText(f"this is {name}: to read it, pip install gammonview")
    return match_of(done.stdout, name)


def match_of(answer: bytes, name: str) -> Reading:
    """The match that the reader has found. name: of the format. Raises: BadText."""
    try:
        found = msgspec.json.decode(answer, type=_MatchRead)
    except msgspec.DecodeError:
        raise BadText(f"this is {name}, but it is damaged{_why(answer)}") from None
    record = record_of(_sheet(found))
    record = record._replace(notes=(*record.notes, *_fitted(found)))
    return Reading(record, tuple(found.verdicts), "\n".join(found.remarks))


def _fitted(match: _MatchRead) -> Iterator[str]:
    """Notes on plays that cannot be made as the file writes them, and were read as others that lead to the same."""
    for number, game in enumerate(match.games, 1):
        for line, (_, _, dice, moves, text) in enumerate(game.plies, 1):
            steps = [word.rstrip("*").split("/") for word in text.split()]
            pips = {int(step[0]) - int(step[1]) for step in steps if len(step) == 2 and all(map(str.isdecimal, step))}
            if dice and len(steps) > 1 and dice[0] != dice[1] and not pips <= set(dice):
                roll = "{}-{}".format(*dice)
                yield f"game {number}, entry {line}: {clean(text)} is no play of {roll}, read as {format_moves(moves)}"


def _why(answer: bytes) -> str:
    try:
        why = msgspec.json.decode(answer, type=dict[str, str])["error"]
        return f": {clean(why)}" if why else ""
    except (msgspec.DecodeError, KeyError):
        return ": its reader has ended"


def _sheet(match: _MatchRead) -> Sheet:
    """The match as cells, each numbered as the file numbers its entries."""
    length = 0 if match.length >= 99999 else match.length  # eXtreme Gammon's number for money play
    switches = {name.capitalize(): "On" if is_on else "Off" for name, is_on in match.rules.items()}
    tags = switches | {"Event": match.event, "Site": match.site, "Variation": VARIANTS[match.variant]} | match.tags
    if match.judge is not None:
        tags["Judgement"] = _judgement(match)
    score, games = match.score, list[Game]()
    crawford = not match.crawford_done if any(score) else None
    for number, game in enumerate(match.games, 1):
        names = (match.names[0], match.names[1])
        games.append(Game(0, number, names, score, list(_cells(game)), crawford))
        gains = [game.points * (game.winner == seat) for seat in (0, 1)]
        score = (score[0] + gains[0], score[1] + gains[1])
    if not games:
        raise BadText("this file has no game")
    tags = {name: value for name, value in tags.items() if value}
    return Sheet(length, tags, games, unit="entry", is_cut_at_fault=True)


def _cells(game: _GameRead) -> Iterator[Cell]:
    for line, (seat, kind, dice, moves, _) in enumerate(game.plies, 1):
        if kind in DICE and dice is not None:
            play = format_moves(moves)
            yield Cell(line, seat, Kind.ROLL, dice, play)
        elif kind in CUBE:
            yield Cell(line, seat, CUBE[kind])
        elif kind == SET and len(moves) >= BAR:
            if dice is not None:  # an illegal play of them has led there
                yield Cell(line, seat, Kind.ROLL, dice)
            yield Cell(line, seat, Kind.SET, setup=_setup(seat if dice is None else 1 - seat, moves))
        elif kind not in GAME_OVER:
            raise BadText(f"entry {line}: a position is set up here, or a thing that is not known")
    if game.winner in (0, 1):
        yield Cell(len(game.plies), game.winner, Kind.WIN, number=game.points)


def _setup(seat: int, pairs: list[tuple[int, int]]) -> Setup:
    """A position that was set up, and its cube if there is one."""
    first, second = (bytes([0, *row]) for row in zip(*pairs[:BAR], strict=True))
    power, owner = pairs[BAR] if len(pairs) > BAR else (0, OWNER_NOBODY)
    return Setup((first, second), seat, 1 << power, MIDDLE if owner == OWNER_NOBODY else owner)


def _judgement(match: _MatchRead) -> str:
    """The words of the file's own judge, as a remark that stays with the match."""
    assert match.judge is not None, "it has judged"
    both = (
        f"{name.replace(chr(34), '')} {_PR_FACTOR * lost / count:.2f}" if count else f"{name} -"
        for name, (count, lost) in zip(match.names, match.judge.sums, strict=True)
    )
    return f"{JUDGES.get(match.judge.by, match.judge.by)}: {', '.join(both)}"
