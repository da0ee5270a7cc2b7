"""Functions of a program that the client calls when the server tells of something that nothing waits for."""

from collections.abc import Callable
from dataclasses import dataclass

from tavla_protocol import messages as m

from tavla_client.match import Match


def _ignore(*_: object) -> None:
    pass


@dataclass(frozen=True)
class Callbacks:
    """Callbacks, which must not raise; those that are not set do nothing.

    seated: a player has sat down at a table that we opened. ended: a match of ours is over that none of our connections
    follows. notice: the server's operators say something. friend: a player whom we follow does something, see
    `Friends.watch`. challenge: a player challenges us. unchallenged: a challenge
    to us is open no longer, with the verdict. called: a tournament calls us to a round, or says how one was decided
    without a match. void: a match that a seek of ours led to is void for want of a seed; the
    seek goes on.
    """

    seated: Callable[[m.Seated], None] = _ignore
    ended: Callable[[m.Ended], None] = _ignore
    notice: Callable[[m.Notice], None] = _ignore
    friend: Callable[[m.Friend], None] = _ignore
    challenge: Callable[[m.Challenged], None] = _ignore
    unchallenged: Callable[[m.Challenged, str], None] = _ignore
    called: Callable[[m.Called], None] = _ignore
    void: Callable[[Match], None] = _ignore
