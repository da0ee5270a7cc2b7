"""The record of a match, with which anybody can replay and check it."""

from typing import Any

from tavla_protocol.messages.analysis import Analysis, Finding
from tavla_protocol.messages.values import Code, Id, MatchId, Message, RequestBase, Seq


class Record(RequestBase, frozen=True, kw_only=True):
    """Ask for the record of a match, finished or not. Answer: recorded.

    after: `next` of the page before, or the last seq that one has; 0 = from the start. code: a private table's.
    """

    match: MatchId
    after: Seq = 0
    code: Code = ""


class Recorded(Message, frozen=True, kw_only=True):
    """Record of a match, in order; each event is an array [seq, time in ms since 1970, type, ...].

    seq: of the last event here. view: the match as everyone may see it now, as in a snapshot; {} on later pages.
    next: ask for what comes after this seq; None = that was all so far. unrevealed: by seat, as in `career` today.
    analysis: where the server has judged the match; judging: it has not yet, and will. findings: the decisions that
    have cost something, in order, the costliest 4 KB of them.
    """

    id: Id
    match: str
    epoch: int
    seq: int
    view: dict[str, Any] = {}
    events: list[list[Any]] = []
    next: int | None = None
    unrevealed: tuple[tuple[int, int], tuple[int, int]] = ((0, 0), (0, 0))
    analysis: Analysis | None = None
    judging: bool = False
    findings: list[Finding] = []
