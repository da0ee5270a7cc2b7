"""Cost of decisions by their kind, by the phase of the game, and by their size."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tavla_engine.analysis import SIZES, Analysis, Finding, mark
from tavla_engine.conditions import no_double
from tavla_engine.decisions import Decision, decisions, kind_of, phase
from tavla_engine.events import Event
from tavla_engine.match import Match, Phase

_KINDS = {"no double": "double", "drop": "take"}


class ErrorSum(NamedTuple):
    """A sum of the errors of one player, in decisions of one kind, in one phase, or of one size.

    what: `play`, `double`, `take`, a phase, or `blunder`, `mistake`, `doubtful`. decisions: those that count. loss:
    equity, of all together; worst: of the costliest one; number: its own among the match's decisions, from 1, as the
    page's review counts them.
    """

    what: str
    decisions: int = 0
    loss: float = 0.0
    worst: float = 0.0
    number: int = 0


def error_sums(found: Analysis, start: Match, events: Sequence[Event]) -> tuple[list[ErrorSum], list[ErrorSum]]:
    """Sums by seat, each kind, phase and size that occurs once."""
    sums: tuple[dict[str, ErrorSum], dict[str, ErrorSum]] = ({}, {})
    for number, (at, _, seat, what), one in with_numbers(found, start, events):
        if not (one.counts or one.loss):
            continue
        loss = round(one.loss, 3)
        size = SIZES.get(mark(one.loss, one.mark))
        for name in (_KINDS.get(what, what), phase(at), *([size] if size else [])):
            _, count, lost, worst, place = sums[seat].get(name, ErrorSum(name))
            most = (loss, number) if loss > worst else (worst, place)
            sums[seat][name] = ErrorSum(name, count + one.counts, round(lost + loss, 3), *most)
    return list(sums[0].values()), list(sums[1].values())


def with_numbers(found: Analysis, start: Match, events: Sequence[Event]) -> Iterator[tuple[int, Decision, Finding]]:
    """Decisions with their findings, each by its number among those that the page's review counts, from 1."""
    by_place = {(one.game, one.turn, one.seat, kind_of(one.done)): one for one in found.findings}
    asked = (one for one in decisions(start, events) if _is_asked(one))
    for number, one in enumerate(asked, 1):
        finding = by_place.get((one.at.game, one.turn, one.seat, one.what))
        if finding:
            yield number, one, finding


def _is_asked(one: Decision) -> bool:
    """True for what the page's review counts as a decision."""
    if one.at.offer and one.at.offer.beavers:
        return False
    return one.what != "no double" or (one.at.phase is Phase.ROLL and no_double(one.at, one.seat) is None)
