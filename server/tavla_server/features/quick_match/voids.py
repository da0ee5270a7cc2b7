"""Effects of seeds withheld and matches left: the counts, and the time for which quick match holds a player back."""

from tavla_server.features.counts.reveals import Reveals
from tavla_server.features.quick_match.match_queue import MatchQueue, Void
from tavla_server.record.standing import is_void, leaver
from tavla_server.record.state import Record


class Voids:
    """Void matches on their way to the match queue. It knows of one before a player of it, told here, seeks again."""

    def __init__(self, queue: MatchQueue, reveals: Reveals) -> None:
        self._queue, self._reveals = queue, reveals
        self._unsent: dict[str, Void] = {}  # by match

    def note(self, record: Record, time_ms: int) -> None:
        """A match is void since time_ms, if it is for want of a seed, or was left then."""
        if (void := _void(record, time_ms)) is not None:
            self._unsent[record.id] = void

    async def flush(self, player: str) -> None:
        """The queue is to know of a player's matches now. Raises: StoreUnavailable."""
        for void in [void for void in self._unsent.values() if player in void.players]:
            await self._queue.hold_back(void)

    async def settle(self, record: Record, time_ms: int) -> None:
        """Do all that follows from a match as it is; it may be done again. Raises: StoreUnavailable."""
        if (void := _void(record, time_ms)) is not None:
            await self._queue.hold_back(void)
            self._unsent.pop(record.id, None)
        await self._reveals.count(record)


def _void(record: Record, time_ms: int) -> Void | None:
    left = leaver(record)
    late = record.missing_seeds if is_void(record) else () if left is None else (left,)
    if not late:
        return None
    players = [player.id if player is not None else "" for player in record.players]
    ids = tuple(players[seat] for seat in late)
    return Void(record.id, (players[0], players[1]), ids, time_ms, left is not None)
