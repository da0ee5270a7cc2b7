"""Who someone is."""

from typing import NamedTuple

from tavla_protocol.messages import Kind


class Player(NamedTuple):
    """Who someone is; on a seat, who it was when taking it.

    rating: None for those without an account, whose results are not rated. experience: as `record/rating.py` explains.
    """

    id: str
    name: str
    kind: Kind = "guest"
    rating: float | None = None
    experience: int = 0
