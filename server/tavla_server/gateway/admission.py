"""Admission of connections: how many there may be, and how fast new ones may come.

Before hello a connection has no seat. So a place is reserved for each player who is cut off, under the address; and
the last places are given on trial: a client stays if its hello shows that it plays.
"""

import math
import time
from collections import Counter, deque
from collections.abc import Callable
from itertools import islice
from typing import NamedTuple

import structlog

from tavla_server.deadline import Deadline
from tavla_server.delivery.port import Cuttable
from tavla_server.limits import DEFAULT_LIMITS, Limits
from tavla_server.telemetry.metrics import LIMITS
from tavla_server.token_bucket import Rates

PENDING_PART = 4  # of the room that there is, one place of so many may be silent yet
LOOK_S = 0.05  # before one of them is cut: of thousands that come at once, the requests were not read yet
RESERVED_PART = 10  # one place of so many is for those who play
TRIAL_S = 3.0  # for hello
KEPT_S = 60.0  # for one who was cut off to come back
FULL_S = 10.0  # after which strangers may try again
LOGGED_S = 60.0  # between two lines of the log
ALL = ""  # the key of what is counted for all together
FULL_TEXT = "this server is full: try again later"
CROWDED_TEXT = "there are too many connections from your address: close some"
HASTY_TEXT = "too many connections were opened: wait a moment"

log = structlog.get_logger()


class Rejection(NamedTuple):
    """A rejection: the refusal of a connection. retry_s: when to try again. alone: by a limit of one address."""

    text: str
    retry_s: float
    alone: bool = False


class ReservedPlaces:
    """Places of players who were cut off, reserved by address for KEPT_S each."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._count = 0
        self._until: dict[str, deque[float]] = {}
        self._order: deque[tuple[float, str]] = deque()  # with those that were taken meanwhile

    def keep(self, address: str) -> None:
        """Reserve a place for a player of this address."""
        until = self._now() + KEPT_S
        self._until.setdefault(address, deque()).append(until)
        self._order.append((until, address))
        self._count += 1

    def __len__(self) -> int:
        self._forget()
        return self._count

    def __contains__(self, address: str) -> bool:
        self._forget()
        return address in self._until

    def take(self, address: str) -> bool:
        """Give up the oldest place of an address; True if there was one."""
        if address not in self:
            return False
        self._drop(address)
        return True

    def _forget(self) -> None:
        while self._order and self._order[0][0] <= self._now():
            until, address = self._order.popleft()
            if address in self._until and self._until[address][0] == until:
                self._drop(address)

    def _drop(self, address: str) -> None:
        self._until[address].popleft()
        self._count -= 1
        if not self._until[address]:
            del self._until[address]


class Admission:
    """The admission of connections: their counts, in all and by address; "" is an address without limits of its own.

    most: connections, of which one in RESERVED_PART is for those who play. most_by_address: of one address.
    most_pending: of those who have not asked for anything yet.
    """

    def __init__(
        self,
        most: int,
        most_by_address: int,
        most_pending: int = DEFAULT_LIMITS.pending,
        now: Callable[[], float] = time.monotonic,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.most, self._most_by_address, self._most_pending, self._now = most, most_by_address, most_pending, now
        self._for_all = most - most // RESERVED_PART
        self._inside = 0
        self._by_address: Counter[str] = Counter()
        self._reserved = ReservedPlaces(now)
        self._pending: dict[Cuttable, None] = {}
        self._look: Deadline | None = None  # when too many say nothing
        self._limits, self._rates = limits, Rates(now=now)
        self._logged_s = -math.inf

    def wait_for(self, pending: Cuttable) -> None:
        """Add a connection that is silent as yet. Beyond `most_pending` the oldest silent ones are cut soon."""
        self._pending[pending] = None
        if len(self._pending) > self._most_pending and self._look is None:
            self._look = Deadline(LOOK_S, self._make_room)

    def _make_room(self) -> None:
        self._look = None
        for oldest in list(islice(self._pending, max(0, len(self._pending) - self._most_pending))):
            del self._pending[oldest]
            LIMITS.add("pending")
            oldest.cut()

    def count_out(self, pending: Cuttable) -> None:
        """Remove a connection that has sent a request, or is gone."""
        self._pending.pop(pending, None)

    def close(self) -> None:
        """Cut all silent connections."""
        for pending in list(self._pending):
            pending.cut()

    def check_rate(self, address: str) -> Rejection | None:
        """Count one more request; a rejection beyond the rate of its address, or of the node."""
        if address and (wait_s := self._rates.spend(self._limits.address_handshakes, address)):
            return self._reject("handshakes", HASTY_TEXT, wait_s, alone=True)
        wait_s = self._rates.spend(self._limits.handshakes, ALL)
        return self._reject("handshakes", HASTY_TEXT, wait_s) if wait_s else None

    def awaits(self, address: str) -> bool:
        """True if a place is reserved for this address."""
        return address in self._reserved

    def check(self, address: str) -> Rejection | None:
        """The rejection of a connection from this address; None = it may enter, perhaps on trial."""
        if self.awaits(address):
            return None
        if (rejection := self.check_rate(address)) is not None:
            return rejection
        if address and self._by_address[address] >= self._most_by_address:
            return self._reject("address", CROWDED_TEXT, FULL_S, alone=True)
        if self._taken >= self.most:
            return self._reject("connections", FULL_TEXT, FULL_S)
        return None

    def enter(self, address: str) -> bool:
        """Count a connection in; True if it is on trial."""
        on_trial = not self._reserved.take(address) and self._taken >= self._for_all
        self._inside += 1
        self._by_address[address] += 1
        return on_trial

    def leave(self, address: str, plays: bool) -> None:
        """Count a connection out. plays: it was cut off from a live match, so its place is reserved."""
        self._inside -= 1
        self._by_address[address] -= 1
        if not self._by_address[address]:
            del self._by_address[address]
        if plays:
            self._reserved.keep(address)

    @property
    def _taken(self) -> int:
        """Places in use, and those reserved."""
        return self._inside + len(self._reserved)

    def _reject(self, limit: str, text: str, retry_s: float, alone: bool = False) -> Rejection:
        LIMITS.add(limit)
        if self._now() - self._logged_s > LOGGED_S:
            self._logged_s = self._now()
            log.warning("turned_away", limit=limit, connections=self._inside, most=self.most)
        return Rejection(text, retry_s, alone)
