"""Matches of a collection as lines of a list. Pure."""

from collections.abc import Sequence

from tavla_protocol import messages as m

from tavla_cli.text.history import judge_text
from tavla_cli.text.rules import rules_text

COLUMNS = ("added", "match", "players", "score", "PR", "judged by", "played")
NUMBERS = ("score", "PR")


def collected_line(match: m.CollectedMatch) -> tuple[str, ...]:
    """A line of the list, without its date: white's figures first, the collector's with a star."""
    names = [name + "*" * (seat == match.seat) for seat, name in enumerate(match.players)]
    rules = rules_text(match.rules).removeprefix("match to ")
    return match.match, " - ".join(names), "-".join(map(str, match.score)), *_judged(match.analysis), rules


def _judged(found: m.Analysis | None) -> tuple[str, str]:
    """Performance ratings, and whose they are."""
    if found is None or found.error:
        return "", "" if found is None else f"not judged: {found.error}"
    ratings = ("-" if rating is None else f"{rating:.1f}" for rating in found.ratings)
    return "/".join(ratings), judge_text(found)


def seat_of(names: Sequence[str], me: str | None) -> int | None:
    """The seat of a player by name; None for who is neither."""
    return next((seat for seat, name in enumerate(names) if me and name.casefold() == me.casefold()), None)
