"""The identity of a player."""

from typing import NamedTuple

from tavla_protocol.messages import Kind


class Player(NamedTuple):
    """A player; on a seat, as it was when it sat down.

    rating: None for those without an account, whose results are not rated. experience: as `record/rating.py` explains.
    """

    id: str
    name: str
    kind: Kind = "guest"
    rating: float | None = None
    experience: int = 0
