"""Set-up positions: boards that were placed by hand, in the words of records.

eXtreme Gammon writes 26 letters as in an XGID, Snowie numbers between semicolons. `sgf` reads those of SGF.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from tavla_engine.actions import Seat
from tavla_engine.errors import BadText
from tavla_engine.position import BAR, OFF
from tavla_engine.rules import MAX_CUBE_CAP

Board = tuple[bytes, bytes]
CHECKERS = 15  # of a player, at most
MIDDLE = -1
SET_POS = "; Set Pos="
_SET_POS = re.compile(
    rf"{SET_POS}([-A-Oa-o]{{26}})/(-?)([0-9]{{1,2}})(?: \(cube ([0-9]{{1,15}}), owner (-1|0|1), turn ([01])\))?"
)
_SNOWIE_FIELDS = 38  # in front of the board 12, then bar, points and bar, at last the dice
_SNOWIE_BOARD = 12


class Setup(NamedTuple):
    """The set-up of a position; None = as it stands.

    board: each seat's 26 counts, in its own numbering, without those that are off. owner: of the cube; MIDDLE = nobody.
    """

    board: Board | None = None
    turn: Seat | None = None
    cube: int | None = None
    owner: int | None = None


def with_off(board: Board, checkers: int) -> Board:
    """The board with what was borne off. checkers: of each player. Raises: BadText, where there are too many."""
    for row in board:
        if sum(row) > checkers:
            raise BadText(f"one player has {sum(row)} checkers, more than {checkers}")
    if any(board[0][point] and board[1][BAR - point] for point in range(1, BAR)):
        raise BadText("both players have checkers on one point")
    first, second = (bytes([checkers - sum(row[1:]), *row[1:]]) for row in board)
    return first, second


def is_board(rows: tuple[tuple[int, ...], tuple[int, ...]]) -> bool:
    """True if these rows can be a board."""
    return all(len(row) == BAR + 1 and min(row) >= 0 and sum(row) <= CHECKERS for row in rows)


def is_cube(value: int) -> bool:
    """True if a cube can show it."""
    return 0 < value <= MAX_CUBE_CAP and value & (value - 1) == 0


def parse_letters(text: str) -> Board:
    """The board of 26 letters: seat 0's are capitals, and it counts the points. Raises: BadText."""
    bottom, top = bytearray(26), bytearray(26)
    for point, letter in enumerate(text):
        if letter.isupper():
            bottom[point] = ord(letter) - ord("A") + 1
        elif letter.islower():
            top[BAR - point] = ord(letter) - ord("a") + 1
    for row, letters in ((bottom, "capital"), (top, "small")):
        if row[OFF]:
            raise BadText(f"{letters} letters cannot stand on the opponent's bar")
    return bytes(bottom), bytes(top)


def format_letters(board: Board) -> str:
    """A board as 26 letters."""
    bottom, top = board
    points = []
    for point in range(26):
        if point != OFF and bottom[point]:
            points.append(chr(ord("A") - 1 + bottom[point]))
        elif point != BAR and top[BAR - point]:
            points.append(chr(ord("a") - 1 + top[BAR - point]))
        else:
            points.append("-")
    return "".join(points)


def parse_set_pos(line: str) -> Setup | None:
    """The position of eXtreme Gammon's remark, as GNU Backgammon reads it; None for another remark.

    Behind the letters stands the cube as a power of two: /0 in the middle, /1 seat 1 owns it at 2, /-1 seat 0. Behind
    that we write all that it cannot tell: a cube that automatic doubles have turned, and who is on roll.
    Raises: BadText.
    """
    found = _SET_POS.fullmatch(line)
    if found is None:
        return None
    power = int(found[3])
    if found[4]:
        return Setup(parse_letters(found[1]), int(found[6]), int(found[4]), int(found[5]))
    return Setup(parse_letters(found[1]), None, 2**power, MIDDLE if not power else 0 if found[2] else 1)


def format_set_pos(board: Board, cube: int, owner: Seat | None, turn: Seat) -> str:
    """The remark for a set-up position."""
    power = 0 if owner is None else cube.bit_length() - 1
    more = f"(cube {cube}, owner {MIDDLE if owner is None else owner}, turn {turn})"
    return f"{SET_POS}{format_letters(board)}/{'-' * (owner == 0 and power > 0)}{power} {more}"


def parse_snowie(text: str, seat: Seat) -> Setup:
    """The board that Snowie's position text has behind a play of this seat. Raises: BadText.

    The player on roll comes first in it; of the rest GNU Backgammon believes nothing either: sites fill in what they
    like.
    """
    fields = [field.strip() for field in text.split(";")]
    numbers = fields[_SNOWIE_BOARD : _SNOWIE_BOARD + 26]
    if len(fields) < _SNOWIE_FIELDS or fields[4] not in ("0", "1") or not all(map(_is_count, numbers)):
        raise BadText("the file has an illegal play here, and no board to go on from")
    points = [int(number) for number in numbers]
    on_roll = bytes(max(0, count) for count in points)
    other = bytes(max(0, -count) for count in reversed(points))
    board = (on_roll, other) if fields[4] == "0" else (other, on_roll)
    if any(row[OFF] for row in board):
        raise BadText("the board after the illegal play has checkers on the opponent's bar")
    return Setup(board, turn=1 - seat)


def _is_count(text: str) -> bool:
    return re.fullmatch(r"-?[0-9]{1,2}", text) is not None


def row_of(points: Iterable[int]) -> bytes:
    """A row with a checker on each of these points."""
    row = bytearray(26)
    for point in points:
        row[point] += 1
    return bytes(row)
