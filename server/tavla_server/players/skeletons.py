"""Names from before it was noted what they look like: they get their looks, so that nobody else takes one like them."""

from typing import Any

from tavla_server.players.reserved_names import skeleton
from tavla_server.store import keys
from tavla_server.store.client import Client, text

AT_ONCE = 500  # keys at which the store looks in one step


async def give_looks(redis: Client) -> int:
    """Keep each name's look for its player, for as long as the name, if it is free; how many there were.

    Raises: StoreUnavailable.
    """
    given = 0
    async for found in redis.slices(keys.NAME("*"), AT_ONCE):
        names = [text(key) for key in found]
        asked = [(word, key) for key in names for word in ("GET", "PTTL")]
        answers: list[Any] = await redis.all_of(asked)
        for key, id_, left_ms in zip(names, answers[::2], answers[1::2], strict=True):
            if id_:  # else it has just gone
                look, px = keys.LOOK(skeleton(keys.NAME.part(key))), left_ms if left_ms > 0 else None
                given += bool(await redis.set(look, id_, nx=True, px=px))
    return given
