"""`tavla-server inspect`: what a match's journal says, read from the store or the archive; nothing there is changed."""

from tavla_server.errors import ArchiveUnavailable, StartError, StoreUnavailable
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import Database, is_there
from tavla_server.features.tables.table_names import TableNames
from tavla_server.match.journal import Journal
from tavla_server.options import Options
from tavla_server.own_store import running_store
from tavla_server.record.events import decode_entry
from tavla_server.record.report import report
from tavla_server.store.client import Client, connection_to
from tavla_server.store.router import Router
from tavla_server.store.topology import find_topology


async def inspect(match: str, options: Options) -> list[str]:
    """The journal of a match, by id or while it is not over by the name of its table, in lines.

    options: where the store and the archive are; a server may be using the embedded store of the folder `data`.
    Raises: StartError, with what is wrong.
    """
    async with running_store(options.redis, options.data) as url:
        try:
            async with connection_to(url) as client:
                lines = await _in_store(client, url, match)
        except (StoreUnavailable, ValueError) as error:
            raise StartError(f"cannot read the store: {error}") from None
    if lines := lines or await _in_archive(options.archive_url, match):
        return lines
    raise StartError(f"there is no match {match}: give its id, or the name of a table that is not over")


async def _in_store(client: Client, url: str, match: str) -> list[str]:
    journal = Journal(client, Router(await find_topology(url), []), "")
    for id_ in (match, await TableNames(client).find(match)):
        if id_ and (entries := await journal.read(id_, 0)):
            return list(report(id_, entries))
    return []


async def _in_archive(url: str | None, match: str) -> list[str]:
    if url is None or not is_there(url):
        return []
    database = Database(url)
    try:
        journal = await Archive(database).journal(match)
    except ArchiveUnavailable as error:
        raise StartError(f"the store has no match {match}, and the archive cannot be read: {error}") from None
    finally:
        await database.close()
    if journal is None:
        return []
    entries = list(enumerate(map(decode_entry, journal), 1))
    return [*report(match, entries), "", "this match has left the store; the archive has it"]
