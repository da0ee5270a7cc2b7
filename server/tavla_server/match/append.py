"""The append of an entry to a journal: one command, and its outcome.

Holds bench/ceilings.toml: with an append as a dataclass an action would take 1,760 instructions more, with outcomes
looked up at their enumeration 1,800, and with the number of the entry formatted each time 3,050.
"""

import enum
from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import msgspec
import structlog

from tavla_server.errors import StoreRefused
from tavla_server.match.command import MatchCommand
from tavla_server.record.events import Entry
from tavla_server.record.state import Record
from tavla_server.store import keys, scripts
from tavla_server.store.connection import SIZES, Reply, part, size_of
from tavla_server.store.pipeline import Pipeline
from tavla_server.store.slots import tags
from tavla_server.telemetry.metrics import STORE_ERRORS

log = structlog.get_logger()


class AppendOutcome(enum.Enum):
    """The outcome of an append."""

    DONE = enum.auto()
    CONFLICT = enum.auto()  # the stream does not end with entry n - 1: read it, it may even hold this entry
    REFUSED = enum.auto()  # Redis will not store anything now


DONE, CONFLICT = AppendOutcome.DONE, AppendOutcome.CONFLICT
APPEND_LAST = "append_last"  # the script of an entry from which something follows; to be loaded as APPEND is
_LAST = b"*12\r\n$7\r\nEVALSHA\r\n$40\r\n" + scripts.sha(APPEND_LAST) + b"\r\n$1\r\n4\r\n"
_NUMBERS = [part(b"%d" % seq) for seq in range(1024)]  # as parts of a command


class Address:
    """The journal of a match as an address: the command that appends an entry, and the pipeline for it.

    pipelines: of all slots; the one of `slot` is the way there, as of now.
    """

    __slots__ = ("_begin", "_end", "_keys", "match", "pipelines", "slot")

    def __init__(
        self, match: str, begin: bytes, keys: bytes, end: bytes, pipelines: Sequence[Pipeline], slot: int
    ) -> None:
        """begin, end: of the command, the same for all matches. keys: those of this one, which stand between its begin
        and the entry's number.
        """
        self.match, self.slot = match, slot
        self._begin, self._keys, self._end, self.pipelines = begin, keys, end, pipelines

    def command(self, seq: int, data: bytes) -> bytes:
        """The command that adds an entry as number `seq`."""
        try:
            number, size = _NUMBERS[seq], SIZES[len(data)]
        except IndexError:
            number, size = part(b"%d" % seq), size_of(data)
        return b"".join((self._begin, self._keys, number, size, data, self._end))

    def last_command(self, seq: int, data: bytes, time_ms: int) -> bytes:
        """The command for an entry with effects elsewhere: the match is over by it, or has one more result."""
        ended = keys.ENDED(tags(len(self.pipelines))[self.slot]).encode()
        number, time, match = b"%d" % seq, b"%d" % time_ms, self.match.encode()
        before, after = part(ended) + part(number) + size_of(data), part(time) + part(match)
        return b"".join((_LAST, self._keys, before, data, self._end, after))


class Appender(Protocol):
    """An appender: the caller of an append; it is told the outcome."""

    def on_append(self, append: Any, outcome: AppendOutcome) -> None: ...


class Append(msgspec.Struct, eq=False, gc=False):
    """An append of an entry that is to be added as number `seq`, if that is the next one; only once, however often it
    is sent.

    packed: the command, as `address` writes it. to: is told once, and once only, however often Redis goes away, what
    became of it.
    """

    again: ClassVar[bool] = True

    packed: bytes
    address: Address
    seq: int
    to: Appender

    @property
    def slot(self) -> int:
        """Of the journal's key."""
        return self.address.slot

    def on_reply(self, reply: Reply) -> None:
        """Pass on the reply of the script."""
        self.to.on_append(self, DONE if reply == 1 else self._failed(reply))

    def _failed(self, reply: Reply) -> AppendOutcome:
        if not isinstance(reply, StoreRefused):
            return CONFLICT
        # (A master that is new, or cut off, may have too few replicas for a moment.)
        STORE_ERRORS.add("refused")
        report = log.warning if str(reply).startswith("NOREPLICAS") else log.error
        report("append_refused", match=self.address.match, seq=self.seq, error=str(reply))
        return AppendOutcome.REFUSED


class PendingAppend(Append, eq=False, gc=False):
    """An append that changes a match. data: the entry as the journal keeps it. record: the match after it.

    since_s: when it was decided, by the monotonic clock, if it is one of those that are measured; 0 = it is not.
    """

    command: MatchCommand
    entry: Entry
    data: bytes
    record: Record
    since_s: float
