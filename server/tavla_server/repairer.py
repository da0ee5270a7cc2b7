"""`tavla-server repair`: a damaged store of a data folder, made readable again."""

import asyncio
from pathlib import Path

from tavla_server.errors import StartError, StoreUnavailable
from tavla_server.options import embedded_store
from tavla_server.store import keys
from tavla_server.store.client import Client, connected

AT_ONCE = 1000  # journals that are asked for their length in one go


async def repair(data: Path) -> list[str]:
    """Cut off what cannot be read of the embedded store's file, keep a copy, and count what is left; in lines.

    Raises: StartError, with what is wrong.
    """
    store = embedded_store(data)
    try:
        cut = await store.repair()
        await store.start()
        async with connected(store.url) as client:
            matches, entries = await _count(client)
    except StoreUnavailable as error:
        raise StartError(f"cannot read the store: {error}") from None
    finally:
        await store.stop()
    has = f"the store has {matches} matches with {entries} entries"
    if cut is None:
        return [f"nothing to repair: {has}"]
    made = "the manifest was missing or damaged and is made anew; " if cut.manifest else ""
    return [
        f"{made}{cut.bytes} bytes were cut off the end of {cut.file}: {has}",
        f"the files as they were: {cut.copy}",
    ]


async def _count(client: Client) -> tuple[int, int]:
    """How many matches there are, and entries in their journals."""
    logs = [key async for key in client.scan_iter(match=keys.MATCH_LOG("*"), count=AT_ONCE)]
    entries = 0
    for start in range(0, len(logs), AT_ONCE):
        entries += sum(await asyncio.gather(*map(client.xlen, logs[start : start + AT_ONCE])))
    return len(logs), entries
