"""`tavla-server inspect`: what a match's journal says, read from the store; nothing there is changed."""

from pathlib import Path

from tavla_server.errors import StartError, StoreUnavailable
from tavla_server.match.journal import Journal
from tavla_server.match.report import report
from tavla_server.options import running_store
from tavla_server.store import keys
from tavla_server.store.client import Client, connected, text
from tavla_server.store.router import Router
from tavla_server.store.topology import find_topology


async def inspect(match: str, redis: str | None, data: Path) -> list[str]:
    """The journal of a match, by id or by the name of its table, in lines.

    redis: the store's URL; without it, the embedded one of the folder `data`, which a server may be using.
    Raises: StartError, with what is wrong.
    """
    async with running_store(redis, data) as url:
        try:
            async with connected(url) as client:
                return await _lines(client, url, match)
        except (StoreUnavailable, ValueError) as error:
            raise StartError(f"cannot read the store: {error}") from None


async def _lines(client: Client, url: str, match: str) -> list[str]:
    named = await client.hget(keys.TABLE_NAMES(), match.lower())
    journal = Journal(client, Router(await find_topology(url), []), "")
    for id_ in (match, text(named) if named else ""):
        if id_ and (entries := await journal.read(id_, 0)):
            return list(report(id_, entries))
    raise StartError(f"there is no match {match}: give its id, or the name of a table that is not over")
