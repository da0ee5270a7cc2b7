"""The standing of a match among all: begun, left by a player, void for want of a seed."""

from tavla_engine.actions import Seat
from tavla_engine.events import Ending

from tavla_server.record.state import Record

LEFT = Ending.TIME, Ending.ABANDONED


def standing(record: Record) -> str:
    """The count that a match falls under: `begun`, `left`, `void`, or "" while its seeds are due, or without seeds."""
    if record.voided or is_void(record):
        return "void"
    if leaver(record) is not None:
        return "left"
    return "begun" if record.match.game else ""


def is_void(record: Record) -> bool:
    """True if a match never began since a seed did not come: that of each seat in `missing_seeds`."""
    return record.cancelled and bool(record.missing_seeds)


def leaver(record: Record) -> Seat | None:
    """The seat that has left a match: its time ran out, or it stayed away until the other player claimed the match."""
    outcome = record.match.outcome
    if not record.over or outcome is None or outcome.winner is None or outcome.ending not in LEFT:
        return None
    return 0 if outcome.winner else 1
