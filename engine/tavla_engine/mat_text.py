"""The text of a `.mat` file taken apart into games and cells; what they mean is said in `mat`."""

import enum
import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from tavla_engine.actions import Seat
from tavla_engine.dice import Dice
from tavla_engine.errors import BadText
from tavla_engine.setup import Setup, parse_set_pos, parse_snowie

MAX_TEXT = 500_000  # characters; a long match takes a tenth
MAX_DIGITS = 15  # of a number: the dearest game and the longest score have fewer
MAX_LINE = 500  # characters; rows take about 70
MAX_NAME = 200  # characters of a player's name; titles and clubs stand in it, too
WHOLE_MATCH = 1000  # points beyond the match's length: it was given up, not the game
_RIGHT_COLUMN = 15  # a cell that stands alone is the right player's from this column on; GNU Backgammon's number
_SAME_CELL = 6  # blanks; a word so near behind dice belongs to them: `54: Concedes`
_NO_DICE = "00"
_TAG = re.compile(r'[;#]\s*\[(\w[\w ]*?)\s+"(.*)"\]\s*')
_LENGTH = re.compile(r"\s*([0-9]{1,9}) point match\b.*", re.IGNORECASE)
_GAME = re.compile(r"\s*Game\s+([0-9]{1,9})\s*", re.IGNORECASE)
_SCORE = rf"\s*(\S.*?|)\s*:\s*([0-9]{{1,{MAX_DIGITS}}})"  # a closed account has no name
_SCORES = re.compile(rf"{_SCORE}(?:\s+|(?=\D)){_SCORE[3:]}\s*")
_RATING = re.compile(r",\s*[0-9][0-9.]*$")  # behind a name; GNU Backgammon takes it away, too
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
    LOSS = "loss"  # a resignation of so many points
    RESIGN = "resign"  # the win that follows says of how many
    SET = "set"  # a position was set up


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
    "loss": Kind.LOSS,
    "lose": Kind.LOSS,
    "resign": Kind.RESIGN,
    "concede": Kind.RESIGN,
}
_ENDS = (Kind.LOSS, Kind.RESIGN)
_CELL = re.compile(
    r"(?:(?<=[\s)])|^)(?:(?P<dice>[1-6][1-6]|00):(?:\s*illegal play\s*(?P<illegal>\([^)]*\)|))?"
    rf"|(?P<word>{'|'.join(_WORDS)})(?:e?s)?(?=\s|$))",
    re.IGNORECASE,
)


class Cell(NamedTuple):
    """A cell of a sheet: a player's turn or answer.

    play: the moves after a roll. number: of the cube, or the points won or lost.
    """

    line: int
    seat: Seat
    kind: Kind
    dice: Dice | None = None
    play: str = ""
    number: int | None = None
    setup: Setup | None = None


class Game(NamedTuple):
    """A game. score: before it. crawford: it is the Crawford game; None = not told."""

    line: int
    number: int
    names: tuple[str, str]
    score: tuple[int, int]
    cells: list[Cell]
    crawford: bool | None = None


class Sheet(NamedTuple):
    """A sheet: the text of a whole file.

    tags: the remarks of the form `; [Name "value"]`. notes: sentences about what was left out.

    unit: what a cell's number counts. is_cut_at_fault: read up to the first thing that breaks the rules.
    """

    length: int
    tags: dict[str, str]
    games: list[Game]
    notes: tuple[str, ...] = ()
    unit: str = "line"
    is_cut_at_fault: bool = False


def parse_sheet(text: str) -> Sheet:
    """The games of a `.mat` file. Raises: BadText, with the line."""
    if len(text) > MAX_TEXT:
        raise BadText(f"a match record has no more than {MAX_TEXT} characters, this one has {len(text)}")
    tags: dict[str, str] = {}
    lines = _lines(text, tags)
    length = _length(lines)
    games: list[Game] = []
    for line, content in lines:
        if number := _GAME.fullmatch(content):
            game = _header(line, int(number[1]), lines)
            if games and length and game.number == 1 and game.score == (0, 0):
                return _first_of_two(Sheet(length, tags, games), line)
            games.append(game)
        elif games and _LENGTH.fullmatch(content):
            return _first_of_two(Sheet(length, tags, games), line)
        elif not games:
            raise BadText(f"line {line}: expected Game 1, found {content.strip()[:60]!r}")
        else:
            games[-1].cells.extend(_cells(line, content))
    if not games:
        raise BadText("the record has no game")
    return Sheet(length, tags, games)


def _first_of_two(sheet: Sheet, line: int) -> Sheet:
    return sheet._replace(notes=(f"a second match begins at line {line}: only the first one is read",))


def _lines(text: str, tags: dict[str, str]) -> Iterator[tuple[int, str]]:
    """The numbered lines that say something; tags among the remarks are put aside, but not those of a second match."""
    found: dict[str, str] = {}
    has_length = False
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        content = line.rstrip()[: MAX_LINE + 1].expandtabs()
        if (
            content.startswith((";", "#")) and parse_set_pos(content) is None
        ):  # in the first column: one may be called #1
            if tag := _TAG.fullmatch(content):
                found[tag[1]] = tag[2]
        elif len(content) > MAX_LINE:
            raise BadText(f"line {number}: a line has no more than {MAX_LINE} characters")
        elif content:
            is_length = _LENGTH.fullmatch(content) is not None
            if not (is_length and has_length):
                tags |= found
            has_length = has_length or is_length
            found = {}
            yield number, content
    tags |= found


def _length(lines: Iterator[tuple[int, str]]) -> int:
    """The length of the match; what stands before it is somebody's title."""
    first = None
    for line, content in lines:
        if length := _LENGTH.fullmatch(content):
            return int(length[1])
        first = first or (line, content)
    if first is None:
        raise BadText("the record is empty: it should begin with the match length, as in '7 point match'")
    raise BadText(f"line {first[0]}: expected the match length, as in '7 point match', found {first[1].strip()[:60]!r}")


def _header(line: int, number: int, lines: Iterator[tuple[int, str]]) -> Game:
    """A game from the line after `Game 1`: the names and the score. The score may touch the second name."""
    line, content = next(lines, (line, ""))
    scores = _SCORES.fullmatch(content)
    if scores is None:
        raise BadText(f"line {line}: expected names and scores, as in 'White : 0  Black : 0', in game {number}")
    names = (_RATING.sub("", scores[1]) or "?", _RATING.sub("", scores[3]) or "?")
    return Game(line, number, names, (int(scores[2]), int(scores[4])), [])


def _cells(line: int, content: str) -> Iterator[Cell]:
    """The cells of one line. A cell alone is in the left or the right column, of two each is in its own."""
    if (setup := parse_set_pos(content)) is not None:
        yield Cell(line, 0, Kind.SET, setup=setup)
        return
    number = _ROW_NUMBER.match(content)
    begin = number.end() if number else 0
    found = list(_CELL.finditer(content, begin))
    before = content[begin : found[0].start() if found else None].strip()
    if before:
        raise BadText(f"line {line}: cannot read {before[:60]!r}")
    firsts = [index for index, one in enumerate(found) if not (index and _belongs(found[index - 1], one))]
    seat = int(len(firsts) == 1 and found[0].start() >= _RIGHT_COLUMN)
    for index, (start, after) in enumerate(zip_longest(found, found[1:])):
        seat = seat if index == 0 or index not in firsts else 1
        yield from _cell(line, seat, start, content[start.end() : after.start() if after else None].strip())


def _belongs(dice: re.Match[str], word: re.Match[str]) -> bool:
    """True if a player has given up with these dice: the word stands just behind them."""
    is_end = word["word"] and _WORDS[word["word"].lower()] in _ENDS
    return bool(dice["dice"] and is_end) and word.start() - dice.end() <= _SAME_CELL


def _cell(line: int, seat: Seat, start: re.Match[str], rest: str) -> Iterator[Cell]:
    if dice := start["dice"]:
        rest = rest.strip(" ?")  # eXtreme Gammon's mark for a resignation after the roll
        if dice == _NO_DICE:  # Backgammon Studio's for one before the roll
            yield Cell(line, seat, Kind.RESIGN)
            return
        play = "" if rest.lower() == "cannot move" else rest
        yield Cell(line, seat, Kind.ROLL, (int(dice[0]), int(dice[1])), play)
        if (board := start["illegal"]) is not None:
            yield Cell(line, seat, Kind.SET, setup=_after_illegal(line, board, seat))
        return
    kind, number = _WORDS[start["word"].lower()], _NUMBER.fullmatch(rest)
    if number is None or (number[2] and kind not in (Kind.WIN, *_ENDS)):  # a win may be "2 points and the match"
        raise BadText(f"line {line}: cannot read {rest[:60]!r}")
    yield Cell(line, seat, kind, number=int(number[1]) if number[1] else None)


def _after_illegal(line: int, board: str, seat: Seat) -> Setup:
    """The board that the opponent went on from."""
    try:
        return parse_snowie(board.strip("()"), seat)
    except BadText as error:
        raise BadText(f"line {line}: {error}") from None
