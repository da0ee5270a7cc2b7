"""What follows from the entries of matches, on this node: each kind of it in a lane of its own."""

import asyncio
from functools import partial

import structlog
from tavla_engine.actions import Seat
from tavla_engine.events import GameStarted

from tavla_server.archive.archiver import Archiver
from tavla_server.cluster.clock import Clock
from tavla_server.lobby.tables import Tables
from tavla_server.match.effects import Applied, Attended, Lane, Reloaded
from tavla_server.match.events import Entry
from tavla_server.match.journal import Journal
from tavla_server.match.state import Record
from tavla_server.metrics import BEGUN, ENDED
from tavla_server.players.ratings import Ratings

log = structlog.get_logger()

AT_ONCE = 100  # matches whose snapshots, or rows, go to the store together: thousands may begin within seconds
CANCELLED_KEPT_S = 600  # nothing was played: only who asks again, or looks on, may want it


class Consequences:
    """Listens to the matches of this node. challenges: the lane for what accepted challenges lead to.

    One order stands across lanes: a match that is over goes from the lobby when its ratings are in, and it is in the
    archive's backlog. Until then a sweeper finds it there, should this node die.
    """

    def __init__(
        self, journal: Journal, ratings: Ratings, tables: Tables, archiver: Archiver, clock: Clock, away_s: float
    ) -> None:
        self._journal, self._ratings, self._tables, self._archiver = journal, ratings, tables, archiver
        self._clock, self._away_s = clock, away_s
        self._unsettled: set[str] = set()  # matches to which, or from which, somebody has just come or gone
        self.challenges, self._rated, self._ended = Lane("challenges"), Lane("ratings"), Lane("backlog")
        self._kept, self._rows = Lane("journal", AT_ONCE), Lane("tables", AT_ONCE)
        self._archived = Lane("archive")
        # In the order in which one leads to another: ratings to the backlog, that to the archive and the rows.
        self._lanes = self.challenges, self._rated, self._ended, self._archived, self._kept, self._rows

    def applied(self, applied: Applied) -> None:
        """What an entry makes necessary elsewhere."""
        before, after, seq, entry, absent = applied
        _note(before, after, seq)
        if _starts_game(entry):
            # The snapshot leaves the entry itself to be read, and with it whose action it was.
            self._kept.put(after.id, partial(self._journal.save_snapshot, seq - 1, before))
        if after.cancelled and not before.cancelled:
            self._kept.put(after.id, partial(self._journal.forget, after.id, CANCELLED_KEPT_S))
        if after.over and not before.over:
            self._end(Reloaded(after, seq, entry.time_ms), absent)
            return
        if after.over and after.voided and not before.voided:
            self._take_back(Reloaded(after, seq, entry.time_ms))
            return
        if before.tally != after.tally:
            self._rate(Reloaded(after, seq, entry.time_ms))
        if _row_changed(before, after):
            self._show(after, seq, entry.time_ms)

    def reloaded(self, reloaded: Reloaded) -> None:
        """Do again what follows from the entries: who should have may have died before, or Redis forgot it."""
        if reloaded.record.voided:
            self._take_back(reloaded)
        elif reloaded.record.over:
            self._end(reloaded)
        elif reloaded.record.tally.results:
            self._rate(reloaded)

    def seats_changed(self, match: Attended) -> None:
        """Somebody has come to a match, or has left it: the lobby shows who is away from it."""
        id_ = match.record.id
        if id_ not in self._unsettled and match.record.name:
            self._unsettled.add(id_)
            self._clock.call_later(self._away_s, partial(self._look_who_is_away, match))

    def _look_who_is_away(self, match: Attended) -> None:
        self._unsettled.discard(match.record.id)
        away = self._tables.away(match.record.id)
        if [*map(bool, away)] != [*map(bool, match.away)]:
            self._rows.put(match.record.id, lambda: self._tables.show_away(match.record, match.seq, match.away))

    async def run(self) -> None:
        """Carry out what follows, each until it has worked. Runs until it is cancelled."""
        await asyncio.gather(*(lane.run() for lane in self._lanes))

    async def settle(self) -> None:
        """Wait until everything that follows from past entries is done."""
        for lane in self._lanes:
            await lane.settle()

    @property
    def waiting(self) -> int:
        """How many effects wait to be carried out."""
        return sum(map(len, self._lanes))

    def _end(self, ended: Reloaded, absent: tuple[Seat, ...] | None = None) -> None:
        record, seq, time_ms, _ = ended
        if record.tally.results:
            self._rate(ended, absent)
        elif record.cancelled:
            self._show(record, seq, time_ms)
        else:
            self._enter_backlog(record, seq, time_ms, absent)

    def _take_back(self, voided: Reloaded) -> None:
        """A match that was over, and perhaps rated and archived, does not count."""

        async def take_back() -> None:
            record, seq, time_ms, _ = voided
            if record.tally.results:
                await self._ratings.apply(record, time_ms, forgotten=True)
            self._enter_backlog(record, seq, time_ms, None, again=True)

        self._rated.put(voided.record.id, take_back)

    def _rate(self, counted: Reloaded, absent: tuple[Seat, ...] | None = None) -> None:
        async def rate() -> None:
            record, seq, time_ms, forgotten = counted
            if record.over and not forgotten and not await self._journal.exists(record.id):
                return  # it was archived and has left the store: all of it was done long ago
            await self._ratings.apply(record, time_ms, forgotten)
            if record.over:
                self._enter_backlog(record, seq, time_ms, absent)

        self._rated.put(counted.record.id, rate)

    def _enter_backlog(
        self, record: Record, seq: int, time_ms: int, absent: tuple[Seat, ...] | None, again: bool = False
    ) -> None:
        """absent: whose players were away at the end; None = that was long ago, or nobody knows any more.

        again: the archive may have what was true before.
        """

        async def enter() -> None:
            for seat in absent or ():
                if (player := record.players[seat]) is not None:
                    await self._tables.missed(record.id, player.id)
            if await self._archiver.enter(record.id, time_ms, again):
                self._archived.put(record.id, partial(self._archiver.store, record.id))
            self._show(record, seq, time_ms)

        self._ended.put(record.id, enter)

    def _show(self, record: Record, seq: int, time_ms: int) -> None:
        self._rows.put(record.id, partial(self._tables.show, record, seq, time_ms))


def _note(before: Record, after: Record, seq: int) -> None:
    """Count, and log, that a match has begun or ended. Whoever reads of it later, after a gap, does so again."""
    if after.match.game and not before.match.game:
        BEGUN.add()
        players = [player.id for player in after.players if player]
        log.info("match_began", match=after.id, seq=seq, players=players, length=after.match.rules.length)
    if after.over and not before.over:
        ENDED.add("void" if after.cancelled else "played")
        outcome = after.match.outcome
        winner = outcome.winner if outcome is not None else None
        log.info("match_ended", match=after.id, seq=seq, void=after.cancelled, winner=winner, score=after.match.score)


def _starts_game(entry: Entry) -> bool:
    """Whether a game begins with this entry: the place for a snapshot."""
    return GameStarted in map(type, entry.events)


def _row_changed(before: Record, after: Record) -> bool:
    """Whether the lobby shows anything else of the match: with most entries it does not."""
    old, new = before.match, after.match
    return (
        old.score != new.score
        or (old.game > 0) != (new.game > 0)
        or before.players != after.players
        or before.open != after.open
        or before.over != after.over
    )
