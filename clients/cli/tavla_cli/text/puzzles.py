"""The worth of an answer to a position. Pure."""

from collections.abc import Iterator

from tavla_engine.analysis import mark
from tavla_engine.match import Match
from tavla_engine.notation import parse_play
from tavla_engine.plays import resolve_play
from tavla_engine.position import Rows
from tavla_protocol.messages import Finding, Puzzle

from tavla_cli.text.cleaning import clean
from tavla_cli.text.phrases import plural


def after(at: Match, choice: str) -> Rows | str:
    """The position that a choice leads to: two ways to write a play are one. Raises: ValueError."""
    return resolve_play(at.position, at.dice, parse_play(choice), at.rules.hit_and_run)[1] if at.dice else choice


def verdict(at: Match, choice: str, finding: Finding, by: str, loss: float | None) -> Iterator[str]:
    """The worth of a choice.

    by: the judge of the finding, in which nothing may have been done. loss: as the house bot sees it; None = not known.
    """
    _, _, _, done, best, lost, judged = finding
    chosen, judge = after(at, choice), clean(f" ({by})")
    if done and chosen == after(at, done):
        yield f"{_costs(choice, lost, judged)}, as in the match: {clean(best)} is best{judge}"
        return
    if chosen == after(at, best):
        yield f"right: {choice} is best{judge}"
    else:
        yield f"{clean(best)} is best{judge}"
        if loss is not None:
            yield f"{_costs(choice, loss)}, as the house bot sees it"
    if done:
        yield f"in the match: {_costs(done, lost, judged)}"


def is_right(at: Match, choice: str, finding: Finding, loss: float | None) -> bool:
    """True for a choice that deserves no mark."""
    _, _, _, done, best, lost, judged = finding
    chosen = after(at, choice)
    if done and chosen == after(at, done):
        return not mark(lost, judged)
    return chosen == after(at, best) or (loss is not None and not mark(loss))


def streak_text(right: int, days: int | None) -> str:
    """Answers that were right in a row, and when an own mistake comes back; None = it does not."""
    return f"{right} right in a row" + (f"; this one comes back in {plural(days, 'day')}" if days else "")


def rating_text(puzzle: Puzzle) -> str:
    """The rating of an account at puzzles, with its change; "" for a guest."""
    if puzzle.own is None:
        return ""
    rating, change = puzzle.own
    return f"{puzzle.theme}; your rating at puzzles: {rating}" + (f" ({change:+})" if change else "")


def _costs(choice: str, loss: float, judged: str | None = None) -> str:
    return clean(f"{mark(loss, judged)} {choice} costs {loss:.3f}".strip())
