"""A port's terms, the same for each of its connections."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from tavla_server.delivery.work_queue import WorkQueue
from tavla_server.limits import DEFAULT_LIMITS, Limits

ARRIVALS_AT_ONCE = 4  # handshakes in one turn of the loop: what follows from each, until it is seated, takes 1 ms
DEPARTURES_AT_ONCE = 16  # each takes 0.1 ms
SLICES_AT_ONCE = 4  # of what clients send in bulk; each takes up to 1 ms


class Cuttable(Protocol):
    """A cuttable connection, which can be ended."""

    def cut(self) -> None: ...


class Sender(Protocol):
    """A sender of frames to a client. on_flow: `flows` may be another; on_pause, on_resume: as `Socket.paused` is."""

    def on_flow(self) -> None: ...

    def on_pause(self) -> None: ...

    def on_resume(self) -> None: ...


class Silent(Protocol):
    """Silent connections, which have not asked for anything yet, and their limit."""

    def wait_for(self, pending: Cuttable, /) -> None: ...

    def count_out(self, pending: Cuttable, /) -> None: ...

    def close(self) -> None: ...


@dataclass(slots=True, kw_only=True)
class Port:
    """The terms that the connections of a port share.

    open_s: from a connection to the end of its handshake. close_s: for a close frame to be answered. count: called with
    the status of each answer. arrivals, departures, slices: where handshakes and ends wait for their turn, since there
    can be thousands at once, and clients who have sent much. connections: all of them, whatever they ask for.
    is_closing: no WebSocket is opened any more.
    """

    silent: Silent
    open_s: float
    close_s: float
    limits: Limits = DEFAULT_LIMITS
    count: Callable[[str], object] = lambda status: None
    connections: set[Cuttable] = field(default_factory=set)
    is_closing: bool = False
    arrivals: WorkQueue = field(default_factory=lambda: WorkQueue(ARRIVALS_AT_ONCE))
    departures: WorkQueue = field(default_factory=lambda: WorkQueue(DEPARTURES_AT_ONCE))
    slices: WorkQueue = field(default_factory=lambda: WorkQueue(SLICES_AT_ONCE))

    @property
    def waiting(self) -> dict[str, int]:
        """The numbers of those that wait for their turn, by kind."""
        return {"handshakes": len(self.arrivals), "ends": len(self.departures), "slices": len(self.slices)}
