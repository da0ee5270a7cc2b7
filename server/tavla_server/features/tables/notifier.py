"""Tells players what concerns a match of theirs that they may not have before them: that it fills, and that it ends."""

from tavla_protocol import messages as m

from tavla_server.cluster.feed import TABLES
from tavla_server.features.tables.tables import Note, unpack
from tavla_server.gateway.core import Core


class Notifier:
    """A notifier for players with a connection to this node."""

    def __init__(self, core: Core) -> None:
        self._presence = core.presence
        core.feed.listen(TABLES, self._row_changed)

    def _row_changed(self, match: str, before: bytes | None, after: bytes | None) -> None:
        if before is not None:
            was = unpack(before)
            if after is not None and was.open:
                self._tell_makers(match, was, unpack(after))
            elif after is None and was.table is not None and not was.open:
                self._tell_absent(match, was)

    def _tell_makers(self, match: str, was: Note, note: Note) -> None:
        """Tell the makers, in all windows, that an opponent has sat down."""
        if note.open or note.table is None:
            return
        for maker in was.players:
            seat = note.players.index(maker)
            seated = m.Seated(match=match, table=note.table.name, name=note.table.players[1 - seat] or "")
            for recipient in self._presence.connections_of(maker):
                recipient.send(seated)

    def _tell_absent(self, match: str, was: Note) -> None:
        """Tell players of a finished match that they have open in no window."""
        for player in was.players:
            recipients = self._presence.connections_of(player)
            if not any(recipient.following.of(match) for recipient in recipients):
                for recipient in recipients:
                    recipient.send(m.Ended(match=match))
