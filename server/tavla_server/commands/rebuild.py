"""`tavla-server rebuild`: ratings, results and the leaderboard, made anew from the archive."""

from tavla_server.errors import ArchiveUnavailable, StartError, StoreUnavailable
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import Database
from tavla_server.features.ratings.rebuild import Rebuild
from tavla_server.options import Options
from tavla_server.own_store import running_store
from tavla_server.store.client import connection_to


async def rebuild(options: Options) -> list[str]:
    """Make everything anew that follows from rated matches; what was done, in lines.

    Raises: StartError, with what is wrong.
    """
    url = options.archive_url
    if url is None:
        raise StartError("there is no archive to rebuild from: give --archive")
    database = Database(url)
    try:
        async with running_store(options.redis, options.data) as store, connection_to(store) as redis:
            players, matches, restored = await Rebuild(redis, Archive(database)).run()
    except (ArchiveUnavailable, StoreUnavailable, ValueError) as error:
        raise StartError(f"cannot rebuild: {error}") from None
    finally:
        await database.close()
    return [f"{players} ratings made anew from {matches} rated matches; {restored} of their players were missing"]
