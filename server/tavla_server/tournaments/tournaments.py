"""All tournaments on this node: read, paired, their matches opened and scored. Any node does all of it.

A pairing, a result and an end are entries of a journal, and each decision that leads to one changes nothing when it is
made again: so it does not matter which nodes make it, or die meanwhile.
"""

import asyncio
import random
from functools import partial

import structlog
from tavla_engine.actions import Seat
from tavla_protocol import messages as m
from tavla_protocol.codec import pack
from tavla_protocol.codes import ErrorCode

from tavla_server.archive.scan import HELD_S
from tavla_server.chores import cancel_all, spawn
from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import TOURNAMENTS, Feed, RowUpdate
from tavla_server.cluster.liveness import Liveness
from tavla_server.errors import ArchiveUnavailable, JournalUnreadable, Refused, StoreUnavailable
from tavla_server.limits import Limits
from tavla_server.lobby import match_ids
from tavla_server.lobby.listings import Listings, TournamentRow, unpack_row
from tavla_server.lobby.match_queue import MatchQueue
from tavla_server.lobby.ports import Recipient
from tavla_server.lobby.presence import Presence
from tavla_server.lobby.tables import Tables
from tavla_server.match.effects import Lane
from tavla_server.match.registry import Registry
from tavla_server.player import Player
from tavla_server.players.accounts import Accounts
from tavla_server.players.reveals import is_void
from tavla_server.record.state import Record
from tavla_server.timings import Timings
from tavla_server.tournaments import decider
from tavla_server.tournaments.boards import Boards, Held
from tavla_server.tournaments.caretaker import Caretaker
from tavla_server.tournaments.events import Directed, Opened
from tavla_server.tournaments.journal import TournamentJournal
from tavla_server.tournaments.keeper import Keeper
from tavla_server.tournaments.pairer import PairingFailed
from tavla_server.tournaments.session import TournamentSession
from tavla_server.tournaments.shown import Shown
from tavla_server.tournaments.state import Tournament, result_of
from tavla_server.tournaments.views import row_of

AT_ONCE = 100  # tournaments that are read together
FORGOTTEN_S = 600  # a tournament that is listed no longer is in the store

log = structlog.get_logger()


class Tournaments:
    """Every node has all that are listed in memory."""

    def __init__(
        self,
        journal: TournamentJournal,
        feed: Feed,
        presence: Presence,
        tables: Tables,
        registry: Registry,
        accounts: Accounts,
        listings: Listings,
        clock: Clock,
        limits: Limits,
        timings: Timings,
        keeper: Keeper,
        queue: MatchQueue,
        liveness: Liveness,
    ) -> None:
        """queue: of quick match, which knows who leaves matches."""
        self.keeper = keeper
        self._journal, self._feed, self._accounts, self._registry = journal, feed, accounts, registry
        self._clock, self._limits, self._timings = clock, limits, timings
        self._rows = feed.rows(TOURNAMENTS)
        self._sessions: dict[str, TournamentSession] = {}
        self._shown, self._boards = Shown(listings), Boards(registry, tables, accounts)
        places = presence, tables, registry, queue
        self._caretaker = Caretaker(self._boards, *places, clock, liveness, self.score)
        self._reads, self._ends = Lane("tournaments", AT_ONCE), Lane("tournament-archive")
        feed.listen(self._row_changed)

    # --- what players do ---

    async def find(self, id_: str) -> TournamentSession:
        """A tournament as this node knows it. Raises: Refused; StoreUnavailable."""
        session = await self._get(id_)
        if session is None:
            raise Refused(ErrorCode.NO_SUCH_TOURNAMENT, "there is no such tournament any more")
        return session

    async def past(self, id_: str) -> Tournament:
        """A tournament, also one that was over long ago. Raises: Refused; StoreUnavailable; ArchiveUnavailable."""
        session = await self._get(id_)
        state = session.state if session is not None else await self.keeper.find(id_)
        if state is None:
            raise Refused(ErrorCode.NO_SUCH_TOURNAMENT, "there is no such tournament")
        return state

    async def exists(self, id_: str) -> bool:
        """True if a tournament was made. Raises: StoreUnavailable."""
        return await self._get(id_) is not None

    @property
    def listed(self) -> int:
        """The number of tournaments in the list."""
        return len(self._rows)

    def states(self) -> dict[str, int]:
        """The number of tournaments that are to come, are running, are over and not archived."""
        now_ms, found = self._clock.now_ms(), {"coming": 0, "running": 0, "unarchived": 0}
        for id_, row in self._rows.items():
            session = self._sessions.get(id_)
            if session is not None and session.state.opened is not None and not unpack_row(row).until_ms:
                over, begun = session.state.closed_ms, session.state.opened.starts_ms <= now_ms
                found["unarchived" if over else "running" if begun else "coming"] += 1
        return found

    def players(self) -> dict[str, int]:
        """The number of players who wait for a match, and who play one."""
        states = [session.state for session in self._sessions.values() if not session.state.closed_ms]
        waiting = sum(bool(one.commitment) for state in states for one in state.entrants.values())
        return {"waiting": waiting, "playing": 2 * sum(len(state.playing) for state in states)}

    def running_of(self, player: str) -> int:
        """The number of a player's own tournaments that are not over."""
        mine = (session.state for session in self._sessions.values())
        return sum(not state.closed_ms and state.opened is not None and state.opened.by.id == player for state in mine)

    async def create(self, id_: str, event: Opened) -> None:
        """Make a tournament, unless it is there. Raises: StoreUnavailable."""
        session = self._sessions.setdefault(id_, self._new(id_))
        await session.read_on()
        await session.submit(decider.opened(event))
        await self._publish(session)

    async def enter(self, id_: str, player: Player, commitment: str, recipient: Recipient, request: int) -> None:
        """A player waits for a match from now on; `recipient` is taken there. Raises: Refused; StoreUnavailable."""
        session = await self.find(id_)
        with self._boards.entering(id_, player.id, Held(recipient, request)):
            await self._caretaker.score_last(session, player.id)
            await session.submit(decider.entered(player, commitment, self._limits.entrants))
        number = session.state.entrants[player.id].number
        if number is not None:
            self._boards.open_soon(session, number)

    async def leave(self, id_: str, player: str) -> None:
        """A player waits no longer. Raises: Refused; StoreUnavailable."""
        session = await self.find(id_)
        await session.read_on()  # the player may have entered at another node, just now
        await session.submit(decider.left([player]))
        self._boards.release(id_, player)

    async def direct(self, id_: str, request: m.DirectTournament, by: Player, about: Player | None) -> None:
        """Do what the director has decided. about: the player whom it is about, if it is.

        Raises: Refused; StoreUnavailable.
        """
        session = await self.find(id_)
        if about is not None:
            adds = request.what == "add"
            decide = decider.added(about, self._limits.entrants) if adds else decider.removed(about.id)
        elif request.what == "begin":
            decide = decider.begun
        elif request.what == "extend" and session.state.round and not request.minutes:
            decide = decider.curtailed
        elif request.what == "extend":
            assert session.state.opened is not None, "it was found"
            now_ms, ends_ms = self._clock.now_ms(), session.state.opened.ends_ms
            ends_ms = max(now_ms, ends_ms) + 60_000 * request.minutes if request.minutes else now_ms
            decide = decider.extended(ends_ms)
        else:
            decide = decider.halted(request.what == "halt")
        ruling = Directed(by.name, request.what, "" if about is None else about.name, request.reason)
        await session.submit(decider.ruled(decide, ruling))

    async def directs(self, match: Record, player: str) -> bool:
        """True if a player has made the tournament of a match. Raises: StoreUnavailable."""
        session = await self._get(match.tournament[0]) if match.tournament else None
        opened = session.state.opened if session is not None else None
        return opened is not None and opened.by.id == player

    async def forget(self, player: str) -> None:
        """A player's account was closed: in all tournaments it is `someone`. Raises: StoreUnavailable,
        ArchiveUnavailable.
        """
        for id_ in list(self._rows):
            if (session := await self._get(id_)) is not None:
                await session.submit(decider.forgotten(player))
        await self.keeper.forget(player)

    async def merged(self, player: str, into: str) -> None:
        """A player has become another one: who plays a tournament plays on as that. Raises: StoreUnavailable."""
        known = await self._accounts.player(into)
        for id_ in list(self._rows):
            if known is not None and (session := await self._get(id_)) is not None:
                await session.submit(decider.merged(player, known))

    # --- what follows from matches ---

    async def score(self, record: Record) -> None:
        """A match is over: if it is one of a tournament, its result belongs there. Raises: StoreUnavailable."""
        id_, number = record.tournament or ("", 0)
        session = await self._get(id_) if id_ else None
        if session is None:
            return
        if number >= len(session.state.pairs):
            await session.read_on()
        if number >= len(session.state.pairs) or match_ids.of_tournament(id_, number) != record.id:
            return  # a table that is called like one
        outcome = record.match.outcome
        winner = outcome.winner if outcome is not None and not record.cancelled else None
        absent: tuple[Seat, ...] = record.unrevealed if is_void(record) else ()
        await session.submit(decider.scored(result_of(number, winner, absent)))

    # --- what nodes do by themselves ---

    async def run(self) -> None:
        """Pair, and set right what dead nodes have left. Runs until it is cancelled."""
        lanes = [spawn(lane.run()) for lane in (self._boards.lane, self._reads, self._ends)]
        lanes.append(spawn(self._set_right()))
        try:
            while True:
                await asyncio.sleep(self._timings.pairing_round_s * random.uniform(0.8, 1.2))
                for id_ in list(self._rows) if self._feed.live.is_set() else []:
                    await self._turn(id_)
        finally:
            await cancel_all(lanes)
            await self._caretaker.close()

    async def _set_right(self) -> None:
        """Look once, at the start, for what the list has lost, or the archive: it may be an older one now."""
        while True:
            await self._feed.live.wait()
            try:
                await self._list_lost()
                await self._archive_lost()
                return
            except (StoreUnavailable, ArchiveUnavailable) as error:
                log.warning("tournaments_not_scanned", error=str(error))
                await asyncio.sleep(HELD_S / 4)

    async def _list_lost(self) -> None:
        """List those that the store has, and whose rows it has lost: else nobody would look after them."""
        async for id_ in self._journal.lasting():
            if id_ not in self._rows and (session := await self._get(id_)) is not None:
                log.warning("tournament_found", tournament=id_, what="it was in no list")
                await self._publish(session)

    async def _archive_lost(self) -> None:
        """Archive those anew that the archive has lost."""
        kept = [id_ for id_, row in self._rows.items() if unpack_row(row).until_ms]
        for id_ in await self.keeper.missing(kept):
            if (session := await self._get(id_)) is not None:
                self._ends.put(id_, partial(self._keep, session))

    async def _turn(self, id_: str) -> None:
        try:
            row = self._rows.get(id_)
            if row is not None and (until_ms := unpack_row(row).until_ms):
                self._await_end(id_, until_ms)
                return
            session = await self._get(id_)
            if session is not None:
                await session.read_on()
                await self._look_after(session)
        except (StoreUnavailable, PairingFailed) as error:
            log.warning("tournament_delayed", tournament=id_, error=str(error))
        except JournalUnreadable as error:
            log.error("journal_unreadable", tournament=id_, error=str(error))
        except Exception:  # a fault of ours with one is not to end all others
            log.exception("tournament_failed", tournament=id_)

    async def _look_after(self, session: TournamentSession) -> None:
        now_ms = self._clock.now_ms()
        self._boards.dismiss_idle(session, now_ms)
        if not session.state.closed_ms:
            await self._caretaker.look_after(session, now_ms)
            await self._publish(session)
        elif session.id not in self._ends:
            self._ends.put(session.id, partial(self._keep, session))

    # --- all nodes know of all tournaments ---

    async def _get(self, id_: str) -> TournamentSession | None:
        session = self._sessions.get(id_)
        if session is None:
            session = self._new(id_)
            await session.read_on()
            if not session.seq:
                return None
            session = self._sessions.setdefault(id_, session)
        return session

    def _new(self, id_: str) -> TournamentSession:
        return TournamentSession(id_, self._journal, self._clock, self._changed)

    def _changed(self, session: TournamentSession, before: Tournament) -> None:
        self._shown.note(session, before)
        after = session.state
        for number in range(len(before.pairs), len(after.pairs)):
            if self._boards.holds(session.id, *after.pairs[number].players):
                self._boards.open_soon(session, number)
        self._reads.put(session.id, partial(self._show, session))

    async def _show(self, session: TournamentSession) -> None:
        await self._shown.show(session)
        await self._publish(session)

    async def _publish(self, session: TournamentSession, until_ms: int = 0) -> None:
        """Tell all nodes how far a tournament is, unless they know. until_ms: see `TournamentRow`."""
        row, seq = self._rows.get(session.id), session.seq
        known = None if row is None else unpack_row(row)
        if session.state.opened is None or (known is not None and (known.seq, known.until_ms) >= (seq, until_ms)):
            return
        version = 2 * seq + bool(until_ms)
        row = pack(TournamentRow(seq, row_of(session.state), until_ms))
        await self._feed.put(RowUpdate(TOURNAMENTS, session.id, row, version=version, most=version - 1))

    def _row_changed(self, name: str, key: str, before: bytes | None, after: bytes | None) -> None:
        if name != TOURNAMENTS:
            return
        if after is None:
            self._sessions.pop(key, None)
            self._shown.drop(key)
        elif unpack_row(after).seq > (self._sessions[key].seq if key in self._sessions else 0):
            self._reads.put(key, partial(self._read, key))

    async def _read(self, id_: str) -> None:
        session = await self._get(id_)
        if session is not None:
            await session.read_on()

    # --- the end ---

    async def _keep(self, session: TournamentSession) -> None:
        """Have the archive know a tournament that is over: nothing else is to be done for it then."""
        if await self.keeper.keep(session.id, session.state, session.journal):
            listed_ms = round(1000 * self._timings.tournament_listed_s)
            await self._publish(session, session.state.closed_ms + listed_ms)

    def _await_end(self, id_: str, until_ms: int) -> None:
        """Look after a tournament that the archive has."""
        now_ms = self._clock.now_ms()
        if (session := self._sessions.get(id_)) is not None:
            self._boards.dismiss_idle(session, now_ms)
        if now_ms > until_ms and id_ not in self._ends:
            self._ends.put(id_, partial(self._forget, id_))

    async def _forget(self, id_: str) -> None:
        """List a tournament no longer; before that, see again that the archive has it, which may be another one now."""
        session = await self._get(id_)
        if session is not None:
            await session.read_on()
            if not await self.keeper.keep(id_, session.state, session.journal):
                return
        await self._journal.forget(id_, FORGOTTEN_S)
        await self._feed.put(RowUpdate(TOURNAMENTS, id_, None))
