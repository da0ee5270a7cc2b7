"""A match as a plain player sees it."""

from tavla_protocol import messages as m
from tavla_protocol.view import View, checksum, from_fields, patch


class Seen:
    """A match as one player has seen it. views: every version of it, by seq.

    repeated: updates up to this one may come a second time: they were on their way when they were asked for.
    """

    repeated = 0

    def __init__(self, snapshot: m.Snapshot) -> None:
        self.views: dict[int, View] = {}
        self.epoch, self.seq = snapshot.epoch, 0
        self.load(snapshot)

    def load(self, snapshot: m.Snapshot) -> None:
        """Take a snapshot. If the store has forgotten what was seen before, that is worth nothing."""
        if snapshot.epoch != self.epoch or snapshot.seq < self.seq:
            self.views.clear()
        self.match, self.epoch, self.seq = snapshot.match, snapshot.epoch, snapshot.seq
        self.seat, self.online = snapshot.seat, snapshot.online
        self.view = from_fields(snapshot.view)
        known = self.views.setdefault(self.seq, self.view)
        assert known == self.view, f"version {self.seq} was another one before"

    def have(self) -> dict[str, int]:
        """The version to attach with."""
        return {"epoch": self.epoch, "seq": self.seq, "checksum": checksum(self.view)}

    def update(self, update: m.Update) -> None:
        """Take an update: the next one, always."""
        if update.seq <= min(self.seq, self.repeated):
            return
        assert update.seq == self.seq + 1, f"update {update.seq} came after {self.seq}"
        self.seq, self.view = update.seq, patch(self.view, update.diff)
        known = self.views.setdefault(self.seq, self.view)
        assert known == self.view, f"version {self.seq} was another one before"
