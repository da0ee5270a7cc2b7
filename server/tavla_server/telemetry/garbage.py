"""Garbage collection, made rare.

Connections, handshakes that fail, and matches without followers end by their reference count. A look at all
objects stops the server, 0.5 us for each, so 0.7 s with ten thousand clients; looks at the young ones alone, as Python
has them, cost a tenth of all CPU while thousands connect. One is left for cycles that were overlooked.
"""

import asyncio
import contextlib
import gc
import sys
import time
from collections.abc import AsyncIterator

from tavla_server.telemetry.metrics import GC

GROWTH = 2  # of the blocks of memory in use, each an object or a part of one: at most a half is garbage
LEAST = 10_000_000  # blocks, some GB: twenty thousand clients with their matches take less
LOOK_S = 10.0  # between two looks at how many there are; each takes some microseconds


@contextlib.asynccontextmanager
async def rare_collections() -> AsyncIterator[None]:
    """Keep for good what is there; from now on look for garbage when there is much more, not every few objects."""
    gc.freeze()
    gc.disable()
    collecting, pauses = asyncio.create_task(_collect_when_grown()), Pauses()
    gc.callbacks.append(pauses)
    try:
        yield
    finally:
        gc.callbacks.remove(pauses)
        collecting.cancel()
        gc.enable()


class Pauses:
    """Pauses for garbage: measures each look for garbage, while it is one of `gc.callbacks`."""

    def __init__(self) -> None:
        self._began = 0.0

    def __call__(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self._began = time.perf_counter()
        else:
            GC.observe(time.perf_counter() - self._began)


async def _collect_when_grown() -> None:
    kept = sys.getallocatedblocks()
    while True:
        await asyncio.sleep(LOOK_S)
        if sys.getallocatedblocks() > most_blocks(kept):
            gc.collect()
            kept = sys.getallocatedblocks()


def most_blocks(kept: int) -> int:
    """The number of blocks at which the next collection is due. kept: those that the last one has left."""
    return max(GROWTH * kept, kept + LEAST)
