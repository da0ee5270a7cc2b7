"""Players who wait, and the pairs that they make: what the process that pairs is asked, and answers. Pure."""

from typing import NamedTuple

HEAD_BYTES = 4  # before each message: its length


class Waiting(NamedTuple):
    """A player who waits. rank: in an arena from 0, else the points. met: opponents whom it is not to be now.

    overlooked: the player was left over before, waiting or with a bye. network: with others of which it is not to be.
    """

    id: str
    rank: int
    met: tuple[str, ...]
    overlooked: bool
    network: str = ""


class Question(NamedTuple):
    """A question to the process that pairs. swiss: all are to be paired, by their points; else as many as may be.

    waiting: in the order of their ranks.
    """

    swiss: bool
    waiting: list[Waiting]


Pairs = list[tuple[str, str]]  # "" as the second: a bye
