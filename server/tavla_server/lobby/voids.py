"""Effects of seeds revealed and withheld: the counts, and the time for which quick match holds a player back."""

from tavla_server.lobby.match_queue import MatchQueue, Void
from tavla_server.players.reveals import Reveals, is_void
from tavla_server.record.state import Record


class Voids:
    """Void matches on their way to the match queue. It knows of one before a player of it, told here, seeks again."""

    def __init__(self, queue: MatchQueue, reveals: Reveals) -> None:
        self._queue, self._reveals = queue, reveals
        self._unsent: dict[str, Void] = {}  # by match

    def note(self, record: Record, time_ms: int) -> None:
        """A match is void since time_ms, if it is for want of a seed."""
        if is_void(record):
            self._unsent[record.id] = _void(record, time_ms)

    async def flush(self, player: str) -> None:
        """The queue is to know of a player's void matches now. Raises: StoreUnavailable."""
        for void in [void for void in self._unsent.values() if player in void.players]:
            await self._queue.hold_back(void)

    async def settle(self, record: Record, time_ms: int) -> None:
        """Do all that follows from a match as it is; it may be done again. Raises: StoreUnavailable."""
        if is_void(record):
            await self._queue.hold_back(_void(record, time_ms))
            self._unsent.pop(record.id, None)
        await self._reveals.count(record)


def _void(record: Record, time_ms: int) -> Void:
    players = [player.id if player is not None else "" for player in record.players]
    return Void(record.id, (players[0], players[1]), tuple(players[seat] for seat in record.unrevealed), time_ms)
