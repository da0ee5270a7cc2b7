"""GNU Backgammon's Position ID, and the Base64 that its other ID is written in.

Source: the GNU Backgammon manual, "A technical description of the Position ID" (www.gnu.org/software/gnubg/manual).

A Position ID is 14 characters, 10 bytes: first the player *not* on roll, then the player on roll; for each, own points
1 to 24 and the bar: a 1 for each checker there, then a 0. What is borne off follows from the number of checkers.
"""

import base64
import binascii

from tavla_engine.errors import BadText
from tavla_engine.position import BAR, OFF, Position

CHECKERS = 15
_BYTES = 10
_LENGTH = 14  # characters


def position_id(position: Position) -> str:
    """The Position ID, `4HPwATDgc/ABMA` for the standard start."""
    bits = "".join("1" * count + "0" for row in (position.theirs, position.mine) for count in row[1:])
    return base64_of(int(bits[::-1], 2), _BYTES)


def parse_position_id(text: str, checkers: int = CHECKERS) -> Position:
    """The position of an ID. checkers: of each player, 3 in hypergammon. Raises: BadText."""
    number = number_of(text, _LENGTH, "Position ID")
    rows: list[bytes] = []
    for _ in range(2):
        row = bytearray(26)
        for point in range(1, BAR + 1):
            while number & 1:
                row[point] += 1
                number >>= 1
            number >>= 1
        if sum(row) > checkers:
            raise BadText(f"Position ID {text!r}: a player has {sum(row)} checkers, more than {checkers}")
        row[OFF] = checkers - sum(row)
        rows.append(bytes(row))
    if number:
        raise BadText(f"Position ID {text!r} goes on after the last checker")
    theirs, mine = rows
    if any(mine[point] and theirs[BAR - point] for point in range(1, BAR)):
        raise BadText(f"Position ID {text!r}: both players have checkers on one point")
    return Position(mine, theirs)


def base64_of(number: int, size: int) -> str:
    """The bits of a number, from the least significant one, as `size` bytes in Base64 without padding."""
    return base64.b64encode(number.to_bytes(size, "little")).decode().rstrip("=")


def number_of(text: str, length: int, name: str) -> int:
    """The bits of an ID of so many characters as one number. name: of the kind of ID. Raises: BadText."""
    text = text.strip()
    if len(text) != length:
        raise BadText(f"a {name} has {length} characters, this one has {len(text)}")
    try:
        data = base64.b64decode(text + "=" * (-length % 4), validate=True)
    except (binascii.Error, ValueError):
        raise BadText(f"{name} {text!r}: only letters, digits, + and / can stand in it") from None
    number = int.from_bytes(data, "little")
    if base64_of(number, len(data)) != text:
        raise BadText(f"{name} {text!r}: the last character has bits that mean nothing")
    return number
