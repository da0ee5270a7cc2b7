"""Players' seeds for the dice of a benchmark's matches."""

from typing import Any

from tavla_engine.dice import commitment
from tavla_protocol.claims import binding_of
from tavla_protocol.view import from_fields

_SEEDS = "0a" * 32, "0b" * 32
COMMITMENTS = commitment(bytes.fromhex(_SEEDS[0])), commitment(bytes.fromhex(_SEEDS[1]))  # by seat


def reveal_of(seat: int, snapshot: dict[str, Any]) -> dict[str, Any]:
    """Fields of the request that reveals a seat's seed. snapshot: of the match, with both players at it."""
    match = snapshot["match"]
    bound = binding_of(match, from_fields(snapshot["view"]))
    return {"match": match, "seq": snapshot["seq"], "seed": _SEEDS[seat], "binding": bound}
