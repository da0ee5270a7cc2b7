"""Analysis of a match by a judge of positions: each decision, what was better, and by how much.

Losses are in equity at the score and the cube of the moment: 1 is what a win of this game at this cube is worth, -1
what a loss is (money play: points, divided by the cube). GNU Backgammon calls that EMG.

PR, the performance rating, is 500 times the loss of an average decision. Which decisions count is eXtreme Gammon's
rule, whoever judges: with another one the same side has other figures. A play counts if there was a choice, unless the
ten best lie within ALIKE. A cube decision counts, unless both choices come to the same within TRIVIAL; a right one
counts neither where a double would cost more than FAR, nor where all is HOPELESS.
Source: eXtreme Gammon's "Performance Rating".
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from tavla_engine.actions import Seat
from tavla_engine.dice import Dice

PR_FACTOR = 500
# Of equity; the page has the same (findings.ts).
ALIKE, ALIKE_PLAYS = 0.0001, 10
TRIVIAL, FAR, HOPELESS = 0.001, 0.2, -0.9
SAME = 1e-6  # apart at most: where waiting is worth as much as a drop, who doubles has it now

# Equity lost, at least, and the sign of it: a doubtful decision, a mistake, a blunder. A judge may have its own.
MARKS = ((0.16, "??"), (0.08, "?"), (0.04, "?!"))
SIGNS = ("", "?!", "?", "??")
SIZES = {"??": "blunder", "?": "mistake", "?!": "doubtful"}  # names of errors, by their signs


class Finding(NamedTuple):
    """A finding of a judge about a decision.

    turn: of the game, from 1, the roll that it is about or that would follow it.

    dice: of a play; None for the cube. done, best: plays as they are written, or `double`, `no double`, `take`, `drop`.
    loss: equity, 0 or more. counts: whether there was something to decide. mark: the judge's own sign; None = by loss.
    hard: of a play, the judge's first look had another best one than its last; None = it does not tell. margin: equity
    that the best choice is ahead of the next one; None = there is no other.
    """

    game: int
    turn: int
    seat: Seat
    dice: Dice | None
    done: str
    best: str
    loss: float
    counts: bool
    mark: str | None = None
    hard: bool | None = None
    margin: float | None = None


class Tally(NamedTuple):
    """The tally of some decisions of one player. loss: equity."""

    decisions: int
    loss: float

    @property
    def rating(self) -> float | None:
        """The performance rating; None without any decision."""
        return PR_FACTOR * self.loss / self.decisions if self.decisions else None


class Analysis(NamedTuple):
    """An analysis of a whole match. by: the judge. luck: equity that the dice have brought each seat."""

    by: str
    findings: tuple[Finding, ...]
    luck: tuple[float, float]

    def plays(self, seat: Seat) -> Tally:
        """The plays of one player."""
        return _tally(one for one in self.findings if one.seat == seat and one.dice)

    def cube(self, seat: Seat) -> Tally:
        """The cube decisions of one player."""
        return _tally(one for one in self.findings if one.seat == seat and not one.dice)

    def all(self, seat: Seat) -> Tally:
        """All decisions of one player."""
        return _tally(one for one in self.findings if one.seat == seat)

    def worst(self, count: int) -> list[Finding]:
        """The decisions that have cost most."""
        costly = [one for one in self.findings if one.loss > 0]
        return sorted(costly, key=lambda one: (-one.loss, one.game, one.turn))[:count]


def plain(analysis: Analysis) -> dict[str, Any]:
    """An analysis as plain data, for JSON. Pairs are by seat; lost: equity, all decisions of a player together."""
    all_ = analysis.all(0), analysis.all(1)
    return {
        "by": analysis.by,
        "rating": [tally.rating for tally in all_],
        "lost": [tally.loss for tally in all_],
        "decisions": [tally.decisions for tally in all_],
        "luck": list(analysis.luck),
        "findings": [finding._asdict() for finding in analysis.findings],
    }


def mark(loss: float, judged: str | None = None) -> str:
    """The sign of a decision that has lost so much equity; "" = it was good. judged: one of SIGNS by its judge."""
    return judged if judged in SIGNS else next((sign for least, sign in MARKS if loss >= least), "")


def is_choice(equities: Sequence[float]) -> bool:
    """True if a play counts. equities: of all plays, the best first."""
    best = equities[:ALIKE_PLAYS]
    return len(best) > 1 and max(best) - min(best) >= ALIKE


def double_finding(
    game: int, turn: int, seat: Seat, doubled: bool, no_double: float, taken: float, mark: str | None = None
) -> Finding:
    """The decision to double or not. no_double, taken: the equities of waiting and of a double that is taken."""
    double = min(taken, 1.0)
    best = max(no_double, double)
    right = "double" if min(taken, 1 + SAME) > no_double else "no double"
    loss = best - (double if doubled else no_double)
    none = abs(no_double - double) < TRIVIAL or no_double - double > FAR or max(no_double, taken) < HOPELESS
    counts = loss >= TRIVIAL or not none
    done, margin = "double" if doubled else "no double", abs(no_double - double)
    return Finding(game, turn, seat, None, done, right, loss, counts, mark, margin=margin)


def take_finding(game: int, turn: int, seat: Seat, took: bool, taken: float, mark: str | None = None) -> Finding:
    """The answer to a double. taken: the equity of the one who doubles if it is taken; a drop is 1."""
    right = "take" if taken <= 1 else "drop"
    loss = max(taken - 1, 0.0) if took else max(1 - taken, 0.0)
    done, margin = "take" if took else "drop", abs(taken - 1)
    return Finding(game, turn, seat, None, done, right, loss, margin >= TRIVIAL, mark, margin=margin)


def _tally(findings: Iterable[Finding]) -> Tally:
    """A decision that was none may have cost something all the same, as a double that was missed by far."""
    chosen = list(findings)
    return Tally(sum(one.counts for one in chosen), sum(one.loss for one in chosen))
