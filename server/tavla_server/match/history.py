"""What a session remembers of the latest entries.

It serves clients that come back, requests that are sent again, and a store that has lost its last writes.
"""

from collections import OrderedDict
from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from tavla_protocol.view import checksum

from tavla_server.match.events import Entry, decode_entry, encode_entry
from tavla_server.match.projection import view_of
from tavla_server.match.state import Record, apply_entry

MILESTONE = 16  # updates between two records that are kept whole: each takes as much memory as an update
RECENT = 64  # updates kept for those who come back: more than a player misses while a connection is renewed


class Have(NamedTuple):
    """The version of a match that a client has, and the checksum of its view, if it has told that."""

    epoch: int = 0
    seq: int = 0
    checksum: int | None = None


HAVE_NOTHING = Have()


class Shown(NamedTuple):
    """An update that was sent out, as a frame, and the entry that it shows, as the journal keeps it.

    record: the match after it; kept of one in MILESTONE.
    """

    seq: int
    frame: bytes
    data: bytes
    record: Record | None


class History:
    """The latest entries of one session: those that it has shown, and a few that were there before it."""

    def __init__(self, seq: int, known: Sequence[Entry] = ()) -> None:
        """known: the last entries up to `seq`, oldest first."""
        numbered = list(enumerate(known, seq - len(known) + 1))
        self._shown: OrderedDict[tuple[str, int], Shown] = OrderedDict()  # by player and request
        self._known = {number: encode_entry(entry) for number, entry in numbered}
        self._acted = {(entry.player, entry.action): number for number, entry in numbered}

    @property
    def newest(self) -> Shown | None:
        """The last update that was shown here, if any was."""
        return next(reversed(self._shown.values()), None)

    @property
    def entries(self) -> dict[int, bytes]:
        """All entries that are known, by number, as the journal keeps them."""
        return self._known | {shown.seq: shown.data for shown in self._shown.values()}

    def add(self, entry: Entry, shown: Shown) -> None:
        """One more update was shown; the oldest is dropped beyond RECENT."""
        self._shown[entry.player, entry.action] = shown
        if len(self._shown) > RECENT:
            self._shown.popitem(last=False)

    def is_milestone(self, seq: int) -> bool:
        """Whether the record at this version, the next one, is kept whole."""
        return not self._shown or seq % MILESTONE == 0

    def seq_of(self, player: str, request: int) -> int | None:
        """The version that a request led to; None if it has not acted, as far as is known here."""
        shown = self._shown.get((player, request))
        return self._acted.get((player, request)) if shown is None else shown.seq

    def has_acted(self, player: str) -> bool:
        """Whether a player has done anything of what was shown here."""
        return any(who == player for who, _ in self._shown)

    def updates_after(self, have: Have, seq: int, record: Record) -> list[bytes] | None:
        """The frames of all updates after what a client has; None when they are not buffered, or would not fit.

        seq, record: the match as it is now.
        """
        missed = [shown.frame for shown in self._shown.values() if shown.seq > have.seq]
        if have.epoch != record.epoch or len(missed) != seq - have.seq:
            return None
        if have.checksum is not None:  # a store that lost changes may be as far again by others, under the same epoch
            then = record if have.seq == seq else self.record_at(have.seq)
            if then is None or checksum(view_of(then)) != have.checksum:
                return None
        return missed

    def record_at(self, seq: int) -> Record | None:
        """The record at a recent seq, or None if no longer buffered."""
        later: list[bytes] = []
        for shown in reversed(self._shown.values()):
            if shown.seq > seq:
                continue
            if shown.record is not None:
                return reduce(apply_entry, map(decode_entry, reversed(later)), shown.record)
            later.append(shown.data)
        return None
