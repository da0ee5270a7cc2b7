"""The rolls of all matches of a server, counted."""

from tavla_protocol.messages.values import Id, Message, RequestBase


class Dice(RequestBase, frozen=True, kw_only=True):
    """Ask how the dice have fallen in all matches of this server's archive. Answer: rolls."""


class Rolls(Message, frozen=True, kw_only=True):
    """Counts of the dice in all matches of the archive, counted at `time`, in ms since 1970; 0 = not yet.

    matches: that were counted. proved: those whose rolls all follow from their seeds. white, black: the rolls of either
    side, 36 numbers: of 1-1, 1-2, ... 6-6, the first die first; opening: opening rolls, the first die white's. judged:
    matches with a winner and an analysis. luck: equity that the dice brought in them, to all winners and to all losers.
    luckier: how many of them the luckier player has won.
    """

    id: Id
    time: int = 0
    matches: int = 0
    proved: int = 0
    white: list[int] = []
    black: list[int] = []
    opening: list[int] = []
    judged: int = 0
    luck: tuple[float, float] = (0.0, 0.0)
    luckier: int = 0
