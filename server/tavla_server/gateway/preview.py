"""What a link to a match is called where it is shared. Known from the lobby's rows in memory: no store is asked."""

from tavla_protocol.messages import Table

from tavla_server.lobby.feed import TABLES, Feed
from tavla_server.lobby.tables import unpack


class Previews:
    """The titles of links to matches and open tables that anyone may watch; of all others nothing is told."""

    def __init__(self, feed: Feed) -> None:
        self._rows = feed.rows(TABLES)
        self._tables: dict[str, str] = {}  # the names of those that are listed, by the ids of their matches
        self._named: dict[str, str] = {}  # the other way round
        feed.listen(self._row_changed)

    def title(self, kind: str, name: str) -> str:
        """The title of `/m/NAME` or `/t/NAME`; "" = nothing that anyone may know."""
        row = self._rows.get(name) if kind in ("m", "t") else None
        if row is None and kind == "t":
            row = self._rows.get(self._named.get(name, ""))
        if row is None:
            return ""
        note = unpack(row)
        return title_of(note.table) if note.listed and note.table is not None and note.table.spectators else ""

    def _row_changed(self, name: str, key: str, _: bytes | None, row: bytes | None) -> None:
        if name != TABLES:
            return
        if row is None:
            table = self._tables.pop(key, "")
            if self._named.get(table) == key:
                del self._named[table]
        elif key not in self._tables:  # a table keeps its name
            note = unpack(row)
            if note.listed and note.table is not None:
                self._tables[key] = note.table.name
                self._named[note.table.name] = key


def title_of(table: Table) -> str:
    """A table in one line, such as `ada 3 - 2 bob, 7 points`."""
    white, black = table.players
    length = table.rules.get("length", 7)
    points = f"{length} point{'' if length == 1 else 's'}" if length else "money game"
    if white is None or black is None:
        return f"{white or black} waits for an opponent, {points}"
    one, other = table.score
    return f"{white} {one} - {other} {black}, {points}"
