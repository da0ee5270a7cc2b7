"""Those who wait, and the pairs that they make: what the process that pairs is asked, and answers. Pure."""

from typing import NamedTuple

HEAD_BYTES = 4  # before each message: its length


class Waiting(NamedTuple):
    """A player who waits. rank: from 0. last: the last opponent, whom it is not to be now; "" = all may be.

    overlooked: the player waited before the last pairing, too.
    """

    id: str
    rank: int
    last: str
    overlooked: bool


Pairs = list[tuple[str, str]]
