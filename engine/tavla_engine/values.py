"""What events, actions and states are made of."""

import msgspec


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
