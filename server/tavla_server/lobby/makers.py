"""Tells the makers of open tables that somebody has sat down, in all their windows."""

from tavla_protocol import messages as m

from tavla_server.lobby.feed import TABLES
from tavla_server.lobby.presence import Presence
from tavla_server.lobby.tables import unpack


class Makers:
    """Those with a connection to this node."""

    def __init__(self, presence: Presence) -> None:
        self._presence = presence

    def row_changed(self, name: str, match: str, before: bytes | None, after: bytes | None) -> None:
        """A row of the lobby has changed."""
        if name != TABLES or before is None or after is None:
            return
        was, note = unpack(before), unpack(after)
        if not was.open or note.open or note.table is None:
            return
        for maker in was.players:
            seat = note.players.index(maker)
            seated = m.Seated(match=match, table=note.table.name, name=note.table.players[1 - seat] or "")
            for recipient in self._presence.connections_of(maker):
                recipient.send(seated)
