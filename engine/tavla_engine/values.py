"""What events and actions are: values whose type says as much as their fields."""

import msgspec


class Value(msgspec.Struct, frozen=True, gc=False, array_like=True, forbid_unknown_fields=True):
    """A frozen value that equals values of its own type alone: `Doubled(1) != Taken(1)`, which tuples could not tell.

    A subclass repeats `frozen=True` for the type checker. As plain data it is the array of its fields, in their order.
    State (`Match`, `Cube`, `Offer`, ...) stays in NamedTuples: its type follows from the field that holds it.
    gc=False: fields are numbers, text and tuples of them, which form no cycles.
    """
