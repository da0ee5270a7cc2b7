"""Skeletons of names: two names with the same one are confusable. Source: Unicode Technical Standard 39."""

import re

from tavla_server.store import keys
from tavla_server.store.client import Client, text

# The rows of confusables.txt whose two sides are of A-Z a-z 0-9 - _. They are 0 and O; 1, I and l; m and rn. Names have
# no case: i is I.
CONFUSABLE = {"0": "o", "1": "l", "i": "l", "m": "rn"}
AT_ONCE = 500  # keys that the store scans in one step
_BETWEEN = re.compile(r"(?<![0-9])-+|-+(?![0-9])")  # but not what parts two numbers


def skeleton(name: str) -> str:
    """The skeleton of a name, the same for alice, aIice and alice_."""
    plain = _BETWEEN.sub("", name.lower().replace("_", "-"))
    return "".join(CONFUSABLE.get(letter, letter) for letter in plain)


async def backfill_skeletons(redis: Client) -> int:
    """Reserve the skeletons of names that an earlier version stored, for as long as each name; how many were added.

    Raises: StoreUnavailable.
    """
    added = 0
    async for found in redis.slices(keys.NAME("*"), AT_ONCE):
        names = [text(key) for key in found]
        asked = [(word, key) for key in names for word in ("GET", "PTTL")]
        answers = await redis.all_of(asked)
        for key, id_, left_ms in zip(names, answers[::2], answers[1::2], strict=True):
            if id_:  # else it has just gone
                look, px = keys.LOOK(skeleton(keys.NAME.part(key))), left_ms if left_ms > 0 else None
                added += bool(await redis.set(look, id_, nx=True, px=px))
    return added
