"""The text of a `.mat` file taken apart into games and cells; what they mean is said in `mat`."""

import enum
import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from tavla_engine.actions import Seat
from tavla_engine.dice import Dice
from tavla_engine.errors import BadText

MAX_TEXT = 500_000  # characters; a long match takes a tenth
MAX_DIGITS = 15  # of a number: the dearest game and the longest score have fewer
MAX_LINE = 500  # characters; rows take about 70
_RIGHT_COLUMN = 15  # a cell that stands alone is the right player's from this column on; GNU Backgammon's number
_TAG = re.compile(r'[;#]\s*\[(\w[\w ]*?)\s+"(.*)"\]\s*')
_LENGTH = re.compile(r"\s*([0-9]{1,9}) point match\b.*", re.IGNORECASE)
_GAME = re.compile(r"\s*Game\s+([0-9]{1,9})\s*", re.IGNORECASE)
_SCORE = rf"\s*(\S.*?)\s*:\s*([0-9]{{1,{MAX_DIGITS}}})"
_SCORES = re.compile(rf"{_SCORE}(?:\s+|(?=\D)){_SCORE[3:]}\s*")
_ROW_NUMBER = re.compile(r"\s*\d+\)")
_NUMBER = re.compile(rf"(?:(?:=>|to) *)?([0-9]{{1,{MAX_DIGITS}}})?(.*)", re.IGNORECASE)


class Kind(enum.Enum):
    """Kind of a cell."""

    ROLL = "roll"
    DOUBLE = "double"
    BEAVER = "beaver"  # a raccoon too
    TAKE = "take"
    DROP = "drop"
    WIN = "win"
    RESIGN = "resign"


_WORDS = {
    "double": Kind.DOUBLE,
    "redouble": Kind.DOUBLE,
    "beaver": Kind.BEAVER,
    "raccoon": Kind.BEAVER,
    "take": Kind.TAKE,
    "accept": Kind.TAKE,
    "drop": Kind.DROP,
    "pass": Kind.DROP,
    "reject": Kind.DROP,
    "win": Kind.WIN,
    "resign": Kind.RESIGN,
}
_CELL = re.compile(
    rf"(?:(?<=\s)|^)(?:(?P<dice>[1-6][1-6]):|(?P<word>{'|'.join(_WORDS)})(?:e?s)?(?=\s|$))", re.IGNORECASE
)


class Cell(NamedTuple):
    """A player's turn or answer. play: the moves after a roll. number: of the cube, or the points won."""

    line: int
    seat: Seat
    kind: Kind
    dice: Dice | None = None
    play: str = ""
    number: int | None = None


class Game(NamedTuple):
    """A game. score: before it."""

    line: int
    number: int
    names: tuple[str, str]
    score: tuple[int, int]
    cells: list[Cell]


class Sheet(NamedTuple):
    """A whole file. tags: the remarks of the form `; [Name "value"]`."""

    length: int
    tags: dict[str, str]
    games: list[Game]


def parse_sheet(text: str) -> Sheet:
    """The games of a `.mat` file. Raises: BadText, with the line."""
    if len(text) > MAX_TEXT:
        raise BadText(f"a match record has no more than {MAX_TEXT} characters, this one has {len(text)}")
    tags: dict[str, str] = {}
    lines = _lines(text, tags)
    length = _length(lines)
    games: list[Game] = []
    for line, content in lines:
        if game := _GAME.fullmatch(content):
            games.append(_header(line, int(game[1]), lines))
        elif not games:
            raise BadText(f"line {line}: expected Game 1, found {content.strip()[:60]!r}")
        else:
            games[-1].cells.extend(_cells(line, content))
    if not games:
        raise BadText("the record has no game")
    return Sheet(length, tags, games)


def _lines(text: str, tags: dict[str, str]) -> Iterator[tuple[int, str]]:
    """The numbered lines that say something; tags among the remarks are put aside."""
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        content = line.rstrip()[: MAX_LINE + 1].expandtabs()
        if len(content) > MAX_LINE:
            raise BadText(f"line {number}: a line has no more than {MAX_LINE} characters")
        if content.startswith((";", "#")):  # in the first column: a player may be called #1
            if tag := _TAG.fullmatch(content):
                tags[tag[1]] = tag[2]
        elif content:
            yield number, content


def _length(lines: Iterator[tuple[int, str]]) -> int:
    for line, content in lines:
        if length := _LENGTH.fullmatch(content):
            return int(length[1])
        raise BadText(f"line {line}: expected the match length, as in '7 point match', found {content.strip()[:60]!r}")
    raise BadText("the record is empty: it should begin with the match length, as in '7 point match'")


def _header(line: int, number: int, lines: Iterator[tuple[int, str]]) -> Game:
    """A game from the line after `Game 1`: the names and the score. The score may touch the second name."""
    line, content = next(lines, (line, ""))
    scores = _SCORES.fullmatch(content)
    if scores is None:
        raise BadText(f"line {line}: expected names and scores, as in 'White : 0  Black : 0', in game {number}")
    return Game(line, number, (scores[1], scores[3]), (int(scores[2]), int(scores[4])), [])


def _cells(line: int, content: str) -> Iterator[Cell]:
    """The cells of one line. A cell alone is in the left or the right column, of two each is in its own."""
    number = _ROW_NUMBER.match(content)
    begin = number.end() if number else 0
    found = list(_CELL.finditer(content, begin))
    before = content[begin : found[0].start() if found else None].strip()
    if before:
        raise BadText(f"line {line}: cannot read {before[:60]!r}")
    for index, (start, after) in enumerate(zip_longest(found, found[1:])):
        right = start.start() >= _RIGHT_COLUMN if len(found) == 1 else index > 0
        yield _cell(line, int(right), start, content[start.end() : after.start() if after else None].strip())


def _cell(line: int, seat: Seat, start: re.Match[str], rest: str) -> Cell:
    if dice := start["dice"]:
        rest = rest.strip(" ?")  # eXtreme Gammon's mark for a resignation after the roll
        return Cell(line, seat, Kind.ROLL, (int(dice[0]), int(dice[1])), "" if rest.lower() == "cannot move" else rest)
    kind, number = _WORDS[start["word"].lower()], _NUMBER.fullmatch(rest)
    if number is None or (number[2] and kind is not Kind.WIN):  # a win may be "2 points and the match"
        raise BadText(f"line {line}: cannot read {rest[:60]!r}")
    return Cell(line, seat, kind, number=int(number[1]) if number[1] else None)
