"""Entries that are on their way to the journal. (Structs: to make one costs a fifth of a class's object.)"""

from typing import ClassVar

import msgspec
import structlog

from tavla_server.errors import StoreRefused
from tavla_server.match.appending import CONFLICT, DONE, Address, Appended, Appending
from tavla_server.match.command import Command
from tavla_server.record.events import Entry
from tavla_server.record.state import Record
from tavla_server.store.connection import Reply
from tavla_server.telemetry.metrics import STORE_ERRORS

log = structlog.get_logger()


class Append(msgspec.Struct, eq=False, gc=False):
    """An entry that is to be added as number `seq`, if that is the next one; only once, however often it is sent.

    packed: the command, as `address` writes it. to: is told once, and once only, however often Redis goes away, what
    became of it.
    """

    again: ClassVar[bool] = True

    packed: bytes
    address: Address
    seq: int
    to: Appending

    @property
    def slot(self) -> int:
        """Of the journal's key."""
        return self.address.slot

    def answered(self, reply: Reply) -> None:
        """What the script says."""
        self.to.appended(self, DONE if reply == 1 else self._failed(reply))

    def _failed(self, reply: Reply) -> Appended:
        if not isinstance(reply, StoreRefused):
            return CONFLICT
        # (A master that is new, or cut off, may have too few replicas for a moment.)
        STORE_ERRORS.add("refused")
        report = log.warning if str(reply).startswith("NOREPLICAS") else log.error
        report("append_refused", match=self.address.match, seq=self.seq, error=str(reply))
        return Appended.REFUSED


class Change(Append, eq=False, gc=False):
    """An append that changes a match. data: the entry as the journal keeps it. record: the match after it.

    since_s: when it was decided, by the monotonic clock, if it is one of those that are measured; 0 = it is not.
    """

    command: Command
    entry: Entry
    data: bytes
    record: Record
    since_s: float
