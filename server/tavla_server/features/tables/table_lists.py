"""Lists of tables in the lobby: those that wait for a player, and the matches under way."""

from functools import partial

from tavla_protocol.messages import Table

from tavla_server.cluster.feed import TABLES
from tavla_server.features.lists.listings import Listings
from tavla_server.features.lists.live_list import Veil
from tavla_server.features.tables.tables import unpack


def add_table_lists(listings: Listings) -> None:
    """Have the lobby's lists show tables."""
    open_table, live_match = partial(_table, is_open=True), partial(_table, is_open=False)
    listings.add("tables", TABLES, open_table, lambda row: Veil(ignored=frozenset(unpack(row).hidden_from)))
    listings.add("matches", TABLES, live_match)


def _table(row: bytes, is_open: bool) -> Table | None:
    note = unpack(row)
    return note.table if note.listed and note.open == is_open else None
