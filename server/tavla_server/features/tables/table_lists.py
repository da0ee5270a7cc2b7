"""Lists of tables in the lobby: those that wait for a player, and the matches under way."""

from tavla_protocol.messages import Table

from tavla_server.cluster.feed import TABLES
from tavla_server.features.lists.listings import Listings
from tavla_server.features.lists.live_list import Veil
from tavla_server.features.tables.tables import unpack


def add_table_lists(listings: Listings) -> None:
    """Have the lobby's lists show tables."""
    listings.add("tables", TABLES, _open_table, lambda row: Veil(ignored=frozenset(unpack(row).hidden_from)))
    listings.add("matches", TABLES, _live_match)


def _open_table(row: bytes) -> Table | None:
    note = unpack(row)
    return note.table if note.listed and note.open else None


def _live_match(row: bytes) -> Table | None:
    note = unpack(row)
    return note.table if note.listed and not note.open else None
