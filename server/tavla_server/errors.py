"""The errors of this server, in one tree. Each says whose move it is then.

ServerError
├── Refused                 a player asked for what cannot be: the client is told its code and sentence
├── Busy                    passwords: try again in a moment
├── StoreUnavailable        the store cannot be reached, or does not answer: it may have done what was asked, or not
│   └── StoreRefused        it answers, and does not do it
├── JournalUnreadable       the journal of one match makes no sense: the operator is told
├── ArchiveUnavailable      the archive cannot be reached: what ends waits in the store
│   └── ArchiveDamaged       its file is damaged: so it is until the operator has it repaired
├── OtherMatch              the archive has another match of the same id: this one stays in the store
└── StartError              the server cannot start: the operator is told
    └── StoreError          the embedded store cannot run

Elsewhere, since they are others': `tavla_engine.errors.IllegalAction` (the rules refuse) and `tavla_protocol.codec`'s
`BadFrame` and `BadMessage` (a client breaks the protocol). A fault of our own is an `assert` with a message. What
redis-py, hiredis and sockets raise becomes a `StoreUnavailable` at the edge of `store/`, what databases raise an
`ArchiveUnavailable` at the edge of `archive/`; no other module catches theirs.
"""

import math
from typing import TYPE_CHECKING

from tavla_protocol.codes import ErrorCode

if TYPE_CHECKING:
    from tavla_protocol.messages import Sanctioned


class ServerError(Exception):
    """The root of the server's errors, neither raised nor caught."""


class Refused(ServerError):
    """The server, not the rules, refuses a request. Nothing has changed. The rest: as in the message `error`."""

    def __init__(self, code: str, text: str, retry_after: float = 0.0, sanction: "Sanctioned | None" = None) -> None:
        super().__init__(text)
        self.code = code
        self.retry_after = retry_after
        self.sanction = sanction


def too_often(text: str, wait_s: float) -> Refused:
    """A limit of so many times a second is reached."""
    return Refused(ErrorCode.TOO_MANY, f"{text}: wait {math.ceil(wait_s)} s", math.ceil(10 * wait_s) / 10)


class Busy(ServerError):
    """A server too busy with passwords that wait to be looked at: try again in a moment."""


class StoreUnavailable(ServerError):
    """An unavailable store: it cannot be reached, or does not answer.

    What was asked may have been done: ask again, if it may be done twice. str(error): why, or empty.
    """


class StoreRefused(StoreUnavailable):
    """The store answers with an error. str(error): its own words; the first one is its code, such as READONLY.

    As a reply to a command it is a value; `await` of the reply raises it.
    """


class JournalUnreadable(ServerError):
    """An unreadable journal of a match: it cannot be read, or makes no sense."""

    def __init__(self, match: str, why: Exception) -> None:
        super().__init__(f"match {match}: {type(why).__name__}: {why}")
        self.match = match


class ArchiveUnavailable(ServerError):
    """An unavailable archive: it cannot be reached, or does not answer. str(error): why, in a line."""


class ArchiveDamaged(ArchiveUnavailable):
    """The archive's file is damaged, and stays so until the operator repairs it. str(error): the database's words."""


class OtherMatch(ServerError):
    """The archive has another match of the same id, and keeps it."""


class StartError(ServerError):
    """The server cannot start. str(error): one line that says why, and what to do."""


class StoreError(StartError):
    """The embedded store cannot run. str(error): one line that says why, and what to do."""
