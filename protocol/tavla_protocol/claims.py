"""Claim of a server: what it says of a match, for the engine's referee."""

from tavla_engine.errors import BadText
from tavla_engine.referee import Claim

from tavla_protocol.messages import Recorded
from tavla_protocol.view import from_fields


def claim_of(record: Recorded) -> Claim:
    """Claim of a record. Raises: BadText, when its view is none."""
    try:
        view = from_fields(record.view)
    except ValueError as error:
        raise BadText(f"its view is none: {error}") from None
    over = view.phase == "over"
    return Claim(
        record.match, view.rules, view.commitment, view.commitments, view.seeds, view.seed, over, record.events
    )
