"""Titles of links to matches and tournaments, where they are shared. From what is in memory: no store is asked."""

from functools import lru_cache

from tavla_protocol.messages import Table

from tavla_server.cluster.feed import TABLES, Feed
from tavla_server.features.tables.tables import unpack
from tavla_server.features.tournaments.registry import TournamentRegistry
from tavla_server.features.tournaments.views import result_text

RESULTS = 64  # titles of tournaments that are kept: in one of 1,000 players the first three are not found at once


class Previews:
    """Previews: the titles of links to listed tournaments, and to matches and open tables that anyone may watch; of all
    others nothing is told.
    """

    def __init__(self, feed: Feed, tournaments: TournamentRegistry) -> None:
        self._tournaments = tournaments
        self._result = lru_cache(RESULTS)(lambda id_, seq: result_text(tournaments.sessions[id_].state))
        self._rows = feed.rows(TABLES)
        self._named: dict[str, str] = {}  # listed matches by the names of their tables, unless those are their ids
        feed.listen(TABLES, self._row_changed)

    def title(self, kind: str, name: str) -> str:
        """The title of `/m/NAME`, `/t/NAME` or `/tournaments/ID`; "" = nothing that anyone may know."""
        if kind == "tournaments":
            session = self._tournaments.sessions.get(name)
            return "" if session is None or session.state.plan.private else self._result(name, session.seq)
        row = self._rows.get(name) if kind in ("m", "t") else None
        if row is None and kind == "t":
            row = self._rows.get(self._named.get(name, ""))
        if row is None:
            return ""
        note = unpack(row)
        return title_of(note.table) if note.listed and note.table is not None and note.table.spectators else ""

    def _row_changed(self, key: str, before: bytes | None, after: bytes | None) -> None:
        old, new = _listed_as(before), _listed_as(after)
        if old != new and self._named.get(old) == key:
            del self._named[old]
        if new and new != key:
            self._named[new] = key


def _listed_as(row: bytes | None) -> str:
    """The name of a table that anybody may see; "" for any other."""
    note = None if row is None else unpack(row)
    return note.table.name if note is not None and note.listed and note.table is not None else ""


def title_of(table: Table) -> str:
    """A table in one line, such as `ada 3 - 2 bob, 7 points`."""
    white, black = table.players
    length = table.rules.get("length", 7)
    points = f"{length} point{'' if length == 1 else 's'}" if length else "money game"
    if white is None or black is None:
        return f"{white or black} waits for an opponent, {points}"
    one, other = table.score
    return f"{white} {one} - {other} {black}, {points}"
