"""What everyone may see of a match."""

from collections.abc import Callable
from functools import lru_cache
from itertools import chain, compress
from operator import attrgetter, is_not
from typing import Any

from msgspec.structs import astuple
from tavla_engine.match import Match
from tavla_engine.rules import Rules
from tavla_protocol.view import FIELDS, POINTS, View, diff, sparse

from tavla_server.match.state import Record
from tavla_server.player import Player

Show = Callable[[Match], Any]


@lru_cache(maxsize=256)  # few rules are in use at a time
def rules_fields(rules: Rules) -> dict[str, Any]:
    """The rules as the wire has them: every option by name."""
    return {name: str(value) if isinstance(value, str) else value for name, value in rules._asdict().items()}


# What is shown of a match: by the match's own field, the fields of the view that come from it.
_SHOWN: dict[str, dict[str, Show]] = {
    "rules": {"rules": lambda match: rules_fields(match.rules)},
    "phase": {"phase": attrgetter("phase.value")},
    "score": {"score": attrgetter("score")},
    "game": {"game": attrgetter("game")},
    "crawford": {"crawford": attrgetter("crawford")},
    "board": {"points": lambda match: match.board[0] + match.board[1]},
    "turn": {"turn": attrgetter("turn")},
    "dice": {"dice": lambda match: match.dice or ()},
    "cube": {"cube": attrgetter("cube.value"), "owner": attrgetter("cube.owner")},
    "offer": {"offer": lambda match: match.offer and match.offer.seat},
    "resignation": {"resignation": lambda match: match.resignation and match.resignation[:2]},
    "ready": {"ready": attrgetter("ready")},
    "auto_roll": {"auto_roll": attrgetter("auto_roll")},
    "auto_play": {"auto_play": attrgetter("auto_play")},
    "rolls": {"rolls": attrgetter("rolls")},
    "last": {"last": lambda match: tuple([_turn(*turn) for turn in match.last])},
    "outcome": {"outcome": lambda match: match.outcome and (*match.outcome[:3], match.outcome.ending.value)},
}
_SHOWS = {name: show for shows in _SHOWN.values() for name, show in shows.items()}
# The same by the places of the fields in a match and in a view.
_BY_PLACE = [
    [(FIELDS.index(name), show) for name, show in _SHOWN.get(field, {}).items()] for field in Match.__struct_fields__
]
_CLOCK = FIELDS.index("clock")


def view_of(record: Record) -> View:
    """What everyone may see. The server's seed is shown when the match is over, its hash from the start."""
    match, (white, black) = record.match, record.players
    shown = {name: show(match) for name, show in _SHOWS.items()}
    if record.cancelled or record.open:
        shown["phase"] = "over" if record.cancelled else "open"
    return View(
        **shown,
        name=record.name,
        players=(white and white.name, black and black.name),
        commitment=record.commitment,
        seeds=record.seeds,
        seed=record.seed.hex() if record.over else "",
        clock=_clock(record),
        kinds=(white and white.kind, black and black.kind),
        ratings=(_rating(white, record.tally.changes[0]), _rating(black, record.tally.changes[1])),
        code=record.terms.code,
        spectators=record.terms.spectators,
        series=record.terms.series,
    )


def changes_between(before: Record, after: Record) -> list[Any]:
    """The diff between two views of a match, [code, value, ...], from the fields that have changed.

    While a game goes on these are a few of the match's, and its clock: to make and to compare whole views would cost
    five times as much.
    """
    if not _same_table(before, after) or after.over:
        return diff(view_of(before), view_of(after))
    changes = []
    old, new = before.match, after.match
    for shows in compress(_BY_PLACE, map(is_not, astuple(old), astuple(new))):
        for code, show in shows:
            if (was := show(old)) != (now := show(new)):
                changes.append((code, sparse(was, now) if code == POINTS else now))
    if after.clock is not before.clock and (clock := _clock(after)) != _clock(before):
        changes.append((_CLOCK, clock))
    changes.sort()
    return [*chain.from_iterable(changes)]


def _same_table(before: Record, after: Record) -> bool:
    """Whether what is not the match or its clock is the same: cheaply, and rather no than a wrong yes."""
    return (
        before.players is after.players
        and before.tally is after.tally
        and before.name is after.name
        and before.terms is after.terms
        and not (before.over or before.open)
    )


def _turn(seat: int, dice: tuple[int, int], moves: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    return (seat, *dice, *chain.from_iterable(moves))


def _clock(record: Record) -> tuple[int, int, int] | None:
    return (*record.clock.reserve, record.clock.free) if record.match.rules.clocked else None


def _rating(player: Player | None, change: float) -> int | None:
    return None if player is None or player.rating is None else round(player.rating + change)
