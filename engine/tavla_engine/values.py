"""Values in events, actions and states."""

from typing import TypeVar

import msgspec

T = TypeVar("T")


class Value(msgspec.Struct, frozen=True, gc=False, array_like=True, forbid_unknown_fields=True):
    """A frozen value that equals values of its own type alone: `Doubled(1) != Taken(1)`, which tuples could not tell.

    A subclass repeats `frozen=True` for the type checker. As plain data it is the array of its fields, in their order.
    Small parts of a state (`Cube`, `Offer`, ...) are NamedTuples: their type follows from the field that holds them.
    gc=False: fields are numbers, text and tuples of them, which form no cycles.
    """


class State(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A frozen state of many fields, of which a turn changes a few: `msgspec.structs.replace` costs a tenth of a
    NamedTuple's `_replace`. As plain data it is the array of its fields, in their order.
    """


def with_one(pair: tuple[T, T], seat: int, value: T) -> tuple[T, T]:
    """A pair, by seat, with the value of one seat changed; the same object if it was that."""
    if pair[seat] == value:
        return pair
    return (value, pair[1]) if seat == 0 else (pair[0], value)
