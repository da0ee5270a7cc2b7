"""Effects of entries outside their match, on this node: each kind has a lane of its own."""

from collections.abc import Awaitable, Callable
from functools import partial

import structlog
from tavla_engine.actions import Seat
from tavla_engine.events import GameStarted

from tavla_server.errors import StoreUnavailable
from tavla_server.features.archive.archiver import ARCHIVED_AT_ONCE, Archiver
from tavla_server.features.quick_match.voids import Voids
from tavla_server.features.ratings.ratings import Ratings
from tavla_server.features.tables.tables import Tables
from tavla_server.gateway.core import Core
from tavla_server.match.effects import AppliedEntry, AttendedSession, Lane, ReloadedMatch
from tavla_server.record.standing import is_void, standing
from tavla_server.record.state import Record
from tavla_server.store import keys
from tavla_server.telemetry.metrics import BEGUN, ENDED

log = structlog.get_logger()

AT_ONCE = 100  # matches whose snapshots, or rows, go to the store together: thousands may begin within seconds
RESULTS_AT_ONCE = 200  # 400 ratings that change in one round trip: some milliseconds of the store's time
ARCHIVING_LIMIT = 1_000  # matches that wait here for the archive, 600 bytes each; the store lists the rest for a sweep
FAULT_MS = 3_600_000  # a match that cannot be settled, for a fault of ours, is tried again so much later
CANCELLED_KEPT_S = 600  # nothing was played: only a repeated request, or a spectator, may need it


class MatchEffects:
    """Listens to the matches of this node. lanes: in which effects are carried out, each until it has worked.

    score: called with each match that is over, before it is settled; may raise StoreUnavailable, and is tried again.

    results: the lane in which results come to ratings. Many do at once, and those of each player in order all the same:
    what changes one rating travels to the store in the order in which it was sent. Nothing is lost with the lane: until
    ratings and the archive have a match, the store lists it (match/unsettled_lists), and a `Settler` finds it there.
    """

    def __init__(self, core: Core, ratings: Ratings, tables: Tables, archiver: Archiver, voids: Voids) -> None:
        self._journal, self._clock, self._away_s = core.journal, core.clock, core.timings.away_s
        self._ratings, self._tables, self._archiver, self._voids = ratings, tables, archiver, voids
        self.score: Callable[[Record], Awaitable[None]] = _no_score
        self._unseated: set[str] = set()  # matches to which, or from which, a player has just come or gone
        self.results = Lane("ratings", RESULTS_AT_ONCE)
        self._kept, self._rows = Lane("journal", AT_ONCE), Lane("tables", AT_ONCE)
        self._archived, self._counted = Lane("archive", ARCHIVED_AT_ONCE), Lane("seeds", AT_ONCE)
        # In the order in which one leads to another: ratings to the archive.
        self.lanes = self.results, self._archived, self._counted, self._kept, self._rows

    def on_entry(self, applied: AppliedEntry) -> None:
        """Put the effects of an entry into their lanes."""
        before, after, seq, entry, absent = applied
        _note(before, after, seq)
        if GameStarted in map(type, entry.events):
            # The place for a snapshot, which leaves the entry itself to be read, and with it whose action it was.
            self._kept.put(after.id, partial(self._journal.save_snapshot, seq - 1, before))
        if standing(after) != standing(before):
            self._count(ReloadedMatch(after, seq, entry.time_ms))
        if after.over or before.tally != after.tally:
            self.settle_match(after, entry.time_ms)
        if after.over and not before.over:
            self._note_missed(after, absent)
        if _row_changed(before, after) and not is_void(after):
            self._show(after, seq, entry.time_ms)

    def on_reload(self, reloaded: ReloadedMatch) -> None:
        """The store may have forgotten what follows from the entries, and the lobby what is over."""
        record, seq, time_ms, forgotten = reloaded
        if standing(record):
            self._count(reloaded)
        if forgotten and record.tally.results:
            self.settle_match(record, time_ms)
        if record.over and self._tables.may_list(record.id):
            self._show(record, seq, time_ms)

    def on_seats(self, match: AttendedSession) -> None:
        """Publish the presence of a match's players for the lobby."""
        id_ = match.record.id
        if id_ not in self._unseated and match.record.name:
            self._unseated.add(id_)
            self._clock.call_later(self._away_s, partial(self._look_who_is_away, match))

    def _look_who_is_away(self, match: AttendedSession) -> None:
        self._unseated.discard(match.record.id)
        away = self._tables.rows.away(match.record.id)
        if [*map(bool, away)] != [*map(bool, match.away)]:
            self._rows.put(match.record.id, lambda: self._tables.show_away(match.record, match.seq, match.away))

    def _count(self, counted: ReloadedMatch) -> None:
        """Count the match. One that is void goes from the lobby, and in time from the store, when that is done."""
        record, seq, time_ms, _ = counted

        async def count() -> None:
            await self._voids.settle(record, time_ms)
            if is_void(record):
                await self._journal.stay.end(record.id, CANCELLED_KEPT_S)
                self._show(record, seq, time_ms)

        self._voids.note(record, time_ms)
        self._counted.put(record.id, count)

    def settle_match(self, record: Record, time_ms: int, is_rated: bool = False) -> None:
        """Bring results to ratings, and what is over to the archive: the match is listed until they have it.

        time_ms: by which it is listed. is_rated: ratings have its last result.
        """

        async def settle() -> None:
            try:
                await self._settle(record, time_ms, is_rated)
            except StoreUnavailable:
                raise
            except Exception:  # a fault of ours: not to be met again at each look at the list
                await self._archiver.unsettled.put_off(keys.ENDED, record.id, self._clock.now_ms() + FAULT_MS)
                raise

        self.results.put(record.id, settle)

    async def _settle(self, record: Record, time_ms: int, is_rated: bool) -> None:
        if record.tally.results and not is_rated:
            await self._ratings.apply(record, time_ms)
        if record.over:
            await self.score(record)
        if record.over and standing(record) in ("void", "left"):
            await self._voids.settle(record, time_ms)
        if record.cancelled:
            await self._journal.stay.end(record.id, CANCELLED_KEPT_S)
        is_listed = await self._archiver.unsettled.settled(record, time_ms)
        if is_listed and record.over and len(self._archived) < ARCHIVING_LIMIT:
            self._archived.put(record.id, partial(self._archiver.store, record.id))

    def _note_missed(self, record: Record, absent: tuple[Seat, ...]) -> None:
        """The match has ended while these were away."""

        async def note() -> None:
            for seat in absent:
                if (player := record.players[seat]) is not None:
                    await self._tables.missed.add(player.id, record.id)

        if absent and not record.cancelled:
            self._rows.put(record.id, note)

    def _show(self, record: Record, seq: int, time_ms: int) -> None:
        self._rows.put(record.id, partial(self._tables.show, record, seq, time_ms))


async def _no_score(record: Record) -> None:
    """No tournament is told of a result."""


def _note(before: Record, after: Record, seq: int) -> None:
    """Count, and log, that a match has begun or ended. A node that reads of it after a gap does so again."""
    if after.match.game and not before.match.game:
        BEGUN.add()
        players = [player.id for player in after.players if player]
        log.info("match_began", match=after.id, seq=seq, players=players, length=after.match.rules.length)
    if after.over and not before.over:
        ENDED.add("void" if after.cancelled else "played")
        outcome = after.match.outcome
        winner = outcome.winner if outcome is not None else None
        log.info("match_ended", match=after.id, seq=seq, void=after.cancelled, winner=winner, score=after.match.score)


def _row_changed(before: Record, after: Record) -> bool:
    """True if the lobby shows anything else of the match: with most entries it does not."""
    old, new = before.match, after.match
    return (
        old.score != new.score
        or (old.game > 0) != (new.game > 0)
        or before.players != after.players
        or before.open != after.open
        or before.over != after.over
    )
