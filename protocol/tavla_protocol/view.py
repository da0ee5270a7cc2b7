"""Public view of a match, the difference between two views, and how to apply it."""

import zlib
from itertools import compress
from operator import ne
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from msgspec.structs import astuple, replace

from tavla_protocol.messages import Point, Seat

_number = int.from_bytes  # holds bench/ceilings.toml: looked up each time, an action would take 1,140 instructions more
pack_sorted = msgspec.msgpack.Encoder(order="deterministic").encode  # keys in order

Points = Annotated[bytes, Meta(min_length=52, max_length=52)]
Die = Annotated[int, Meta(ge=1, le=6)]
Value = Annotated[int, Meta(ge=1, le=3)]  # of a resignation: single, gammon, backgammon
Count = Annotated[int, Meta(ge=0)]
Turn = Annotated[tuple[Point, ...], Meta(min_length=3, max_length=11)]


class View(msgspec.Struct, frozen=True, gc=False):
    """The view of a match. A field's number in this order, from 0, is its code in a diff. Pairs are indexed by seat.

    A client needs no rules to show it. Seat 0 plays white.
    """

    name: str = ""  # of the table
    rules: dict[str, bool | int | str] = {}
    players: tuple[str | None, str | None] = (None, None)
    phase: str = "open"  # open, ready, reveal, roll, cube, move, resign, over
    turn: Seat = 0  # the seat on roll
    dice: tuple[Die, ...] = ()  # to be played
    points: Points = bytes(52)  # seat 0's 26 counts, then seat 1's: off, points 1-24 from the owner's home, bar
    last: tuple[Turn, ...] = ()  # turns since a player played one, that first: seat, die, die, from, to, ...
    rolls: Count = 0  # pairs of dice drawn so far in the match
    cube: int = 1
    owner: Seat | None = None  # of the cube; None = in the middle
    offer: Seat | None = None  # the seat whose double waits for an answer
    resignation: tuple[Seat, Value] | None = None  # seat, value: waits for an answer
    score: tuple[Count, Count] = (0, 0)
    game: Count = 0
    crawford: bool = False
    ready: tuple[bool, bool] = (False, False)
    auto_roll: tuple[bool, bool] = (False, False)
    auto_play: tuple[bool, bool] = (False, False)
    outcome: tuple[Seat | None, Count, Count, str] | None = None  # winner, points, kind, ending: of the game or match
    commitment: str = ""  # to the server's seeds: link 0 of their chain, in hex
    seeds: tuple[str, str] = ("", "")  # the players', once revealed
    seed: str = ""  # the server's of the last game that is over, in hex
    clock: tuple[int, int, int] | None = None  # ms: each seat's reserve, and the free time, when `to_act` began to act
    kinds: tuple[str | None, str | None] = (None, None)  # of the players: guest, account, bot
    ratings: tuple[int | None, int | None] = (None, None)  # rounded; None for those who are not rated
    code: str = ""  # of a private table: with it one may join or watch
    spectators: bool = True  # others than the players may watch
    series: tuple[int, int] = (0, 0)  # matches won before this one, if it is a rematch
    commitments: tuple[str, str] = ("", "")  # SHA-256 of the players' seeds; empty while a seat is free
    unrevealed: tuple[Seat, ...] = ()  # the seats whose seeds a `reveal` waits for; over, it is void because of them
    aborts: tuple[int | None, int | None] = (None, None)  # `rolls` when each asked to abort it, see `asks_abort`
    used: tuple[int, int] | None = None  # ms that each seat has taken in all, if the time of a round decided the match
    salts: tuple[str, str] = ("", "")  # of the players' names in the terms; empty once an account was closed
    tournament: tuple[str, Count] | None = None  # its id and the pairing's number; a private one is told its players

    @property
    def to_act(self) -> tuple[int, ...]:
        """The seats that the match waits for."""
        match self.phase:
            case "roll" | "move":
                return (self.turn,)
            case "cube" if self.offer is not None:
                return (1 - self.offer,)
            case "resign" if self.resignation is not None:
                return (1 - self.resignation[0],)
            case "ready":
                return tuple(seat for seat in (0, 1) if not self.ready[seat])
            case _:
                return ()

    def asks_abort(self, seat: int) -> bool:
        """True if this seat's wish to abort the match stands: until the other one has played on."""
        asked = self.aborts[seat]
        return asked is not None and self.rolls <= asked + 1 and self.phase != "over"

    def row(self, seat: int) -> bytes:
        """A seat's 26 counts in its own numbering."""
        return self.points[26 * seat : 26 * seat + 26]


EMPTY = View()
FIELDS = View.__struct_fields__
POINTS = FIELDS.index("points")
CHECKED = FIELDS.index("seed") + 1  # fields added later stay out of the checksum: older clients do not know them


def diff(before: View, after: View) -> list[Any]:
    """Changes: [code, value, ...]. For `points` the value is bytes: index, count, index, count, ..."""
    changes: list[Any] = []
    old, new = astuple(before), astuple(after)
    for code in compress(range(len(FIELDS)), map(ne, old, new)):
        changes += (code, sparse(old[code], new[code]) if code == POINTS else new[code])
    return changes


def patch(view: View, changes: list[Any]) -> View:
    """The view after a diff. Codes that a later version added are passed over.

    Raises: ValueError for a diff that is not one of this protocol.
    """
    if len(changes) % 2:
        raise ValueError("a diff has a value for each code")
    values: dict[str, Any] = {}
    rest = iter(changes)
    for code, value in zip(rest, rest, strict=True):
        if type(code) is not int or code < 0:
            raise ValueError(f"{code!r} in a diff is not the code of a field")
        if code < len(FIELDS):
            values[FIELDS[code]] = dense(view.points, value) if code == POINTS else value
    checked = msgspec.convert(values, View)
    return replace(view, **{name: getattr(checked, name) for name in values})


def from_fields(fields: dict[str, Any]) -> View:
    """A view from fields by name, such as a snapshot's; those left out are as in the empty view.

    Names that a later version added are passed over.
    Raises: ValueError when a field is of the wrong type.
    """
    return msgspec.convert(fields, View, builtin_types=(bytes,))  # else text would be read as base64 bytes


def fields(view: View) -> dict[str, Any]:
    """The fields by name that differ from the empty view."""
    pairs = zip(FIELDS, astuple(view), astuple(EMPTY), strict=True)
    return {name: value for name, value, empty in pairs if value != empty}


def checksum(view: View) -> int:
    """CRC-32 of the msgpack encoding of the fields 0-22 as one array, with the keys of `rules` sorted."""
    return zlib.crc32(pack_sorted(astuple(view)[:CHECKED]))


def sparse(old: bytes, new: bytes) -> bytes:
    """The counts of a board's points that differ: index, count, index, count, ..."""
    changed = bytearray()
    differs = _number(old, "big") ^ _number(new, "big")
    for place in compress(range(len(new)), differs.to_bytes(len(new), "big")):
        changed.append(place)
        changed.append(new[place])
    return bytes(changed)


def dense(points: bytes, changes: object) -> bytes:
    """The counts with those that differ. Raises: ValueError for what `sparse` never gives."""
    if not isinstance(changes, bytes) or len(changes) % 2:
        raise ValueError("changed points are bytes: index, count, ...")
    counts = bytearray(points)
    for index, count in zip(changes[::2], changes[1::2], strict=True):
        if index >= len(counts):
            raise ValueError(f"there is no point {index}")
        counts[index] = count
    return bytes(counts)
