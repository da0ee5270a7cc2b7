"""What a command leads to, while its entry is on its way to the journal."""

from tavla_server.match.appending import Address, Append, Appending
from tavla_server.match.commands import Command
from tavla_server.match.events import Entry
from tavla_server.match.state import Record


class Change(Append):
    """An append that changes a match. record: the match after it. since_s: when it was decided, by the monotonic clock,
    if it is one of those that are measured; 0 = it is not.
    """

    __slots__ = ("command", "data", "entry", "record", "since_s")

    def __init__(
        self,
        address: Address,
        seq: int,
        data: bytes,
        to: Appending,
        command: Command,
        entry: Entry,
        record: Record,
        since_s: float,
    ) -> None:
        # (What `Append` and `Sendable` set stands here, too: to call them costs as much as all of this.)
        self.packed, self.again, self.slot = address.command(seq, data), True, address.slot
        self.address, self.seq, self.to = address, seq, to
        self.command, self.entry, self.data, self.record, self.since_s = command, entry, data, record, since_s
