"""How an entry is added to a journal: by one command, whose reply tells what became of it."""

import enum
from collections.abc import Sequence
from typing import Any, Protocol

from tavla_server.store import keys, scripts
from tavla_server.store.connection import SIZES, part, size_of
from tavla_server.store.pipeline import Pipeline
from tavla_server.store.slots import tags


class Appended(enum.Enum):
    """What became of an append."""

    DONE = enum.auto()
    CONFLICT = enum.auto()  # the stream does not end with entry n - 1: read it, it may even hold this entry
    REFUSED = enum.auto()  # Redis will not store anything now


DONE, CONFLICT = Appended.DONE, Appended.CONFLICT  # a look into an enum costs as much as a call before Python 3.12
APPEND_LAST = "append_last"  # the script of an entry from which something follows; to be loaded as APPEND is
_LAST = b"*12\r\n$7\r\nEVALSHA\r\n$40\r\n" + scripts.sha(APPEND_LAST) + b"\r\n$1\r\n4\r\n"
_NUMBERS = [part(b"%d" % seq) for seq in range(1024)]  # as parts of a command: to write one costs as much as a call


class Address:
    """Where the entries of a match go, and how the command is written that appends one.

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
        """The same for an entry from which something follows: the match is over by it, or has one more result."""
        ended = keys.ENDED(tags(len(self.pipelines))[self.slot]).encode()
        number, time, match = b"%d" % seq, b"%d" % time_ms, self.match.encode()
        before, after = part(ended) + part(number) + size_of(data), part(time) + part(match)
        return b"".join((_LAST, self._keys, before, data, self._end, after))


class Appending(Protocol):
    """Who is told what becomes of an append."""

    def appended(self, append: Any, outcome: Appended) -> None: ...
