"""Effects of entries outside their match: each kind has a lane of its own."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple, Protocol, get_args

import structlog
from tavla_engine.actions import Seat
from tavla_engine.events import PlayerEvent

from tavla_server.errors import StoreUnavailable
from tavla_server.record.events import Entry
from tavla_server.record.state import Record
from tavla_server.telemetry.metrics import RETRIED

EFFECT_RETRY_S = 0.5

log = structlog.get_logger()

Effect = Callable[[], Awaitable[object]]


# Events within a game lead to nothing elsewhere.
QUIET = frozenset(get_args(PlayerEvent))


class AppliedEntry(NamedTuple):
    """An entry that a session of this node has decided, or had to read; and the match before and after it.

    absent: the seats whose players were away when it ended the match.
    """

    before: Record
    after: Record
    seq: int
    entry: Entry
    absent: tuple[Seat, ...] = ()


class ReloadedMatch(NamedTuple):
    """A match that was read from its journal, or whose store was away: what follows from it may be undone.

    time_ms: when entry `seq` was made. forgotten: the store may have lost what it had stored.
    """

    record: Record
    seq: int
    time_ms: int
    forgotten: bool = False


class AttendedSession(Protocol):
    """A session as it is now. away: since when each seat is empty, in ms since 1970; 0 = present."""

    record: Record
    seq: int

    @property
    def away(self) -> tuple[int, int]: ...


class EffectsListener(Protocol):
    """A listener to entries of matches. It may not raise or wait: it puts effects into lanes.

    Of entries with nothing but QUIET events they are not told.
    """

    def on_entry(self, applied: AppliedEntry) -> None: ...

    def on_reload(self, reloaded: ReloadedMatch) -> None: ...

    def on_seats(self, match: AttendedSession) -> None: ...


class Lane:
    """Effects of one kind: those of one match in order, each until it has worked; matches take turns.

    An effect that fails is tried again after all other matches that wait have had their turn. So one that fails for
    ever costs these EFFECT_RETRY_S a round and holds up none; and while the store is away, the lane tries one twice a
    second, however many matches wait. Those carried out at the same time begin in the order in which they wait.
    """

    def __init__(self, name: str, at_once: int = 1) -> None:
        """at_once: of how many matches effects are carried out at the same time."""
        self._name, self._at_once = name, at_once
        self._waiting: dict[str, list[Effect]] = {}  # by match; few each, and an empty deque takes 600 bytes more
        self._turns: asyncio.Queue[str] = asyncio.Queue()  # each match that waits, once

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def __contains__(self, match: object) -> bool:
        """True if something waits that was put here for a match."""
        return match in self._waiting

    def put(self, match: str, effect: Effect) -> None:
        """Carry something out after what was put here for this match before; again and again, until it has worked."""
        if match not in self._waiting:
            self._waiting[match] = []
            self._turns.put_nowait(match)
        self._waiting[match].append(effect)

    async def run(self) -> None:
        """Carry out what was put here. Runs until it is cancelled.

        No `Sweep`: what follows from an entry follows at once.
        """
        at_once = self._at_once
        while True:
            matches = [await self._turns.get()]
            while len(matches) < at_once and not self._turns.empty():
                matches.append(self._turns.get_nowait())
            worked = await asyncio.gather(*(self._try(match, self._waiting[match][0]) for match in matches))
            for match, has_worked in zip(matches, worked, strict=True):
                self._end_turn(match, has_worked)
            at_once = self._at_once if all(worked) else 1
            if not all(worked):
                await asyncio.sleep(EFFECT_RETRY_S)

    def _end_turn(self, match: str, worked: bool) -> None:
        effects = self._waiting[match]
        if worked:
            del effects[0]
        if effects:
            self._turns.put_nowait(match)
        else:
            del self._waiting[match]
        self._turns.task_done()

    async def settle(self) -> None:
        """Wait until all that was put here is done."""
        await self._turns.join()

    async def _try(self, match: str, effect: Effect) -> bool:
        """True if there is nothing more to be done for an effect."""
        try:
            await effect()
        except StoreUnavailable as error:
            RETRIED.add()
            log.warning("effect_retried", lane=self._name, match=match, error=str(error))
            return False
        except Exception:  # a fault of ours in one effect must not end all others
            log.exception("effect_failed", lane=self._name, match=match)
        return True
