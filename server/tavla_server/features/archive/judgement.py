"""The judgement of a match, as the archive keeps it."""

from typing import NamedTuple

from tavla_engine.decisions import Theme
from tavla_protocol.messages import Analysis, Finding


class ThinkingTime(NamedTuple):
    """Thinking time of one player over plays in which there was a choice.

    hard: plays in which the judge's first look had another best one than its last; right: of them, those played as the
    judge would. others: all but the hard ones. hard_ms, others_ms: of all together.
    """

    hard: int = 0
    right: int = 0
    hard_ms: int = 0
    others: int = 0
    others_ms: int = 0


class ErrorSum(NamedTuple):
    """A sum of the errors of one player, in decisions of one kind or in one phase of the game.

    what: `play`, `double`, `take`, or a phase. decisions: those that count. loss: equity, of all together; worst: of
    the costliest; number: its own among the match's decisions, as the page's review counts them.
    """

    what: str
    decisions: int
    loss: float
    worst: float
    number: int


class BestPlay(NamedTuple):
    """A hard play of one player that was right. margin: equity ahead of the next best; number: as of an `ErrorSum`."""

    done: str
    margin: float
    number: int


class JudgedPuzzle(NamedTuple):
    """A puzzle: a decision with one right answer, which was not found. margin: equity ahead of all others."""

    xgid: str
    theme: Theme
    margin: float
    finding: Finding


class Judgement(Analysis, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A judgement: an analysis with the decisions that have cost something, in order; of very many, the costliest.

    thinking, errors, best: by seat; they are for moderators and the player alone. puzzles: the costliest ones.
    """

    findings: tuple[Finding, ...] = ()
    thinking: tuple[ThinkingTime, ThinkingTime] = (ThinkingTime(), ThinkingTime())
    puzzles: tuple[JudgedPuzzle, ...] = ()
    errors: tuple[tuple[ErrorSum, ...], tuple[ErrorSum, ...]] = ((), ())
    best: tuple[tuple[BestPlay, ...], tuple[BestPlay, ...]] = ((), ())
