"""Pause of a match that was put back: no time counts until both players have come to it."""

from typing import NamedTuple

from tavla_engine.actions import Seat


class Pause(NamedTuple):
    """A pause. seats: whose players have not come yet. resumed_ms: when the last of them came, or it was put back."""

    seats: tuple[Seat, ...] = ()
    resumed_ms: int = 0

    def without(self, seat: Seat, came_ms: int) -> "Pause":
        """The pause when a player has come."""
        if seat not in self.seats:
            return self
        return Pause(tuple(other for other in self.seats if other != seat), max(self.resumed_ms, came_ms))

    def counts_from(self, now_ms: int, longest_s: int) -> int:
        """Since when time counts, in ms since 1970. longest_s: for how long a player who does not come is awaited."""
        return now_ms if self.seats and now_ms < self.resumed_ms + 1000 * longest_s else self.resumed_ms


NO_PAUSE = Pause()


def pause_after_fork(forked_ms: int, online: tuple[bool, bool]) -> Pause:
    """The pause of a match that has just been put back. online: the seats that are held."""
    return Pause(tuple(seat for seat in (0, 1) if not online[seat]), forked_ms)
