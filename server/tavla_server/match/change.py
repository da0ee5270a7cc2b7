"""What a command leads to, while its entry is on its way to the journal."""

from tavla_server.match.commands import Command
from tavla_server.match.events import Entry
from tavla_server.match.journal import Append
from tavla_server.match.state import Record


class Change(Append, frozen=True):
    """An append that changes a match. record: the match after it. since_s: when it was decided, by the monotonic clock,
    if it is one of those that are measured; 0 = it is not.
    """

    command: Command
    entry: Entry
    data: bytes
    record: Record
    since_s: float
