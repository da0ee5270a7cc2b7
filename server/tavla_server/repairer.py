"""`tavla-server repair`: a damaged store of a data folder, made readable again."""

from pathlib import Path

from tavla_server.errors import StartError, StoreUnavailable
from tavla_server.match.census import count
from tavla_server.options import embedded_store
from tavla_server.store.client import connected


async def repair(data: Path) -> list[str]:
    """Cut off what cannot be read of the embedded store's file, keep a copy, and count what is left; in lines.

    Raises: StartError, with what is wrong.
    """
    store = embedded_store(data)
    try:
        cut = await store.repair()
        await store.start()
        async with connected(store.url) as client:
            matches, entries = await count(client)
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
