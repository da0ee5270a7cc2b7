"""A hash tag for each slot of a cluster: what many keys of one slot are listed in has to be in that slot itself."""

import functools
import itertools

from redis.crc import key_slot

from tavla_server.store import keys


@functools.cache
def tags(slots: int) -> list[str]:
    """Of each slot, what stands for <slot> in the keys of its lists: the smallest number that falls into it.

    slots: how many there are; one where there is no cluster.
    """
    found, left, numbers = [""] * slots, slots, map(str, itertools.count())
    while left:
        number = next(numbers)
        slot = key_slot(keys.ENDED(number).encode()) if slots > 1 else 0
        if not found[slot]:
            found[slot], left = number, left - 1
    return found
