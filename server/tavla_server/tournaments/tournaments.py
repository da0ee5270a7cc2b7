"""All tournaments on this node: read, paired, their matches opened and scored. Any node does all of it.

A pairing, a result and an end are entries of a journal, and each decision that leads to one changes nothing when it is
made again: so it does not matter which nodes make it, or die meanwhile.
"""

import asyncio
import random
from functools import partial
from time import monotonic
from typing import NamedTuple

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
from tavla_server.match.lifecycle import opened as table_opened
from tavla_server.match.lifecycle import submit_and_wait
from tavla_server.match.registry import Registry
from tavla_server.player import Player
from tavla_server.players.accounts import Accounts
from tavla_server.players.reveals import is_void
from tavla_server.record.events import Seated, Terms
from tavla_server.record.state import Record
from tavla_server.telemetry.metrics import PAIRING
from tavla_server.timings import Timings
from tavla_server.tournaments import decider
from tavla_server.tournaments.events import ARENA, Directed, Opened, Paired
from tavla_server.tournaments.formats import format_of
from tavla_server.tournaments.journal import TournamentJournal
from tavla_server.tournaments.keeper import Keeper
from tavla_server.tournaments.pairer import Pairer, PairingFailed
from tavla_server.tournaments.round_time import ruled_by_time
from tavla_server.tournaments.session import TournamentSession
from tavla_server.tournaments.state import Entrant, Tournament, result_of
from tavla_server.tournaments.views import pairing_of, row_of, standing_of
from tavla_server.tournaments.waiting import Question

AT_ONCE = 100  # matches that are opened together: half a thousand are paired in one moment
SLICE = 100  # rows of standings: half a millisecond
ABSENT_S = 15.0  # without a connection to any node, one waits no longer
OPENED_S = 5.0  # by then a match has been opened, unless the node that paired it has died
FORGOTTEN_S = 600  # a tournament that is listed no longer is in the store

log = structlog.get_logger()


class _Held(NamedTuple):
    """A connection of this node that is to be taken to a match. request: the id of the one that asked for it."""

    recipient: Recipient
    request: int


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
        self.keeper, self._queue = keeper, queue
        self._journal, self._feed, self._presence, self._tables = journal, feed, presence, tables
        self._registry, self._accounts, self._listings, self._clock = registry, accounts, listings, clock
        self._limits, self._timings, self._liveness = limits, timings, liveness
        self._rows = feed.rows(TOURNAMENTS)
        self._sessions: dict[str, TournamentSession] = {}
        self._held: dict[tuple[str, str], _Held] = {}  # by tournament and player
        self._entering: set[_Held] = set()  # of them, those of whom the journal does not know yet
        self._absent: dict[tuple[str, str], int] = {}  # likewise, since when
        self._unshown: dict[str, dict[str, Entrant]] = {}  # by tournament and player
        self._renamed: dict[str, set[str]] = {}  # by tournament: names that are nobody's there any more
        self._unshown_pairs: dict[str, set[int]] = {}  # by tournament: the numbers
        self._pairer = Pairer()
        self._starts, self._reads = Lane("tournament-matches", AT_ONCE), Lane("tournaments", AT_ONCE)
        self._ends = Lane("tournament-archive")
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
        if (known := self._held.get((id_, player.id))) is not None and known.recipient is not recipient:
            self._dismiss(id_, player.id, "another connection of yours waits there now")
        held = self._held[id_, player.id] = _Held(recipient, request)
        self._entering.add(held)
        try:
            await self._score_last(session, player.id)
            await session.submit(decider.entered(player, commitment, self._limits.entrants))
        except BaseException:
            if self._held.get((id_, player.id)) is held:
                del self._held[id_, player.id]
            raise
        finally:
            self._entering.discard(held)
        number = session.state.entrants[player.id].number
        if number is not None:
            self._start_soon(session, number)

    async def _score_last(self, session: TournamentSession, player: str) -> None:
        """Score the match that a player has just ended, if that is still to be done: the next one can begin then."""
        entrant = session.state.entrants.get(player)
        if entrant is not None and entrant.number is not None:
            table = await self._registry.current(match_ids.of_tournament(session.id, entrant.number))
            if table is not None and table.record.over:
                await self.score(table.record)

    async def leave(self, id_: str, player: str) -> None:
        """A player waits no longer. Raises: Refused; StoreUnavailable."""
        session = await self.find(id_)
        await session.submit(decider.left([player]))
        self._held.pop((id_, player), None)

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
        lanes = [spawn(lane.run()) for lane in (self._starts, self._reads, self._ends)]
        lanes.append(spawn(self._set_right()))
        try:
            while True:
                await asyncio.sleep(self._timings.pairing_round_s * random.uniform(0.8, 1.2))
                for id_ in list(self._rows) if self._feed.live.is_set() else []:
                    await self._turn(id_)
        finally:
            await cancel_all(lanes)
            await self._pairer.close()

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
        now_ms, state = self._clock.now_ms(), session.state
        self._dismiss_idle(session, now_ms)
        if state.closed_ms:
            if session.id not in self._ends:
                self._ends.put(session.id, partial(self._keep, session))
            return
        await self._pair(session, now_ms)
        for number in list(state.playing):
            if now_ms - state.pairs[number].since_ms > 1000 * OPENED_S:
                await self._look_at(session, number)
        if decider.time_is_over(state, now_ms, self._liveness.credit_ms):
            for number in list(state.playing):
                await self._end(session, number)
        await session.submit(decider.closed)
        await self._publish(session)

    async def _pair(self, session: TournamentSession, now_ms: int) -> None:
        """Pair those who wait and are here."""
        here, gone = [], []
        for entrant in session.state.waiting():
            player = entrant.player.id
            if self._presence.is_online(player):
                self._absent.pop((session.id, player), None)
                here.append(player)
            elif now_ms - self._absent.setdefault((session.id, player), now_ms) > 1000 * ABSENT_S:
                gone.append(player)
        if gone:
            await session.submit(decider.left(gone))
            for player in gone:
                self._absent.pop((session.id, player), None)
        state = session.state
        if not decider.is_due(state, now_ms, self._liveness.credit_ms):
            if here:
                await self._pairer.warm()
            return
        is_arena = state.opened is not None and state.opened.format == ARENA
        if is_arena:
            may = frozenset(here) - await self._queue.held_back(here, now_ms)
            waiting = [entrant for entrant in state.waiting() if entrant.player.id in may]
        else:
            waiting = state.waiting()
        began_s = monotonic()
        pairs = format_of(state).pairing(state, waiting, now_ms)
        if isinstance(pairs, Question):
            pairs = [Paired(pair) for pair in await self._pairer.pairs(pairs)] if waiting else []
        if pairs:
            took_s = monotonic() - began_s
            PAIRING.observe(took_s)
            facts = {"waiting": len(waiting), "pairs": len(pairs), "took_ms": round(1000 * took_s)}
            log.info("tournament_paired", tournament=session.id, **facts)
        if is_arena:
            await session.submit(decider.paired(pairs))
        else:
            ids = frozenset(entrant.player.id for entrant in waiting)
            await session.submit(decider.round_begins(state.round + 1, ids, pairs))

    def _dismiss_idle(self, session: TournamentSession, now_ms: int) -> None:
        """Tell those who wait in vain."""
        opened = session.state.opened
        for (id_, player), held in list(self._held.items()):
            if id_ != session.id or held in self._entering or opened is None:
                continue
            entrant = session.state.entrants.get(player)
            if held.recipient.closed:
                del self._held[id_, player]
            elif entrant is None or entrant.number is not None:
                continue
            elif refusal := format_of(session.state).refusal(session.state, player, now_ms):
                self._dismiss(id_, player, refusal, over=True)
            elif not entrant.commitment:
                self._dismiss(id_, player, "you have left this tournament: enter it again to play on")

    def _dismiss(self, id_: str, player: str, text: str, over: bool = False) -> None:
        recipient, request = self._held.pop((id_, player))
        if not recipient.closed:
            recipient.send(m.Unpaired(tournament=id_, enter=request, over=over, text=text))

    async def _look_at(self, session: TournamentSession, number: int) -> None:
        """Open a match that was left unopened, score one that was left unscored."""
        match = match_ids.of_tournament(session.id, number)
        note = self._tables.note(match)
        if note is not None and note.table is not None:
            return
        table = await self._registry.current(match)
        if table is None:
            self._start_soon(session, number)
        elif table.record.over:
            await self.score(table.record)

    async def _end(self, session: TournamentSession, number: int) -> None:
        """End a match whose round is over."""
        table = await self._registry.current(match_ids.of_tournament(session.id, number))
        if table is not None:
            await submit_and_wait(table, ruled_by_time(self._clock.now_ms(), table.timers.credit_ms))

    def _start_soon(self, session: TournamentSession, number: int) -> None:
        self._starts.put(f"{session.id}-{number}", partial(self._start, session, number))

    async def _start(self, session: TournamentSession, number: int) -> None:
        """Open a match, unless it is open, and take those players there who are ours."""
        pair = session.state.pairs[number]
        if pair.scored is not None:
            return  # a bye, or over already: those who wait now wait for another one
        table = await self._registry.get(match_ids.of_tournament(session.id, number))
        if table.seq == 0:
            assert session.state.opened is not None, "it has begun"
            await self._tables.enter(table.record.id, *pair.players)
            seated = [
                Seated(seat, await self._player(session.state.entrants[player]), commitment=pair.commitments[seat])
                for seat, player in enumerate(pair.players)
            ]
            opened = session.state.opened
            terms = Terms(code=match_ids.code_of(session.id)) if opened.private else Terms()
            await submit_and_wait(table, table_opened(f"{session.id}-{number}", opened.rules, terms, *seated))
        for player in pair.players:
            held = self._held.pop((session.id, player), None)
            if held is not None and not held.recipient.closed:
                held.recipient.send(m.Matched(match=table.record.id, seek=held.request))
                held.recipient.following.add(table)
        self._registry.forget_later(table)

    async def _player(self, entrant: Entrant) -> Player:
        """A player, rated as of this moment."""
        return await self._accounts.player(entrant.player.id) or entrant.player

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
        after = session.state
        unshown = self._unshown.setdefault(session.id, {})
        unshown |= {id_: one for id_, one in after.entrants.items() if before.entrants.get(id_) is not one}
        left = {one.player.name for one in before.entrants.values()} - {e.player.name for e in after.entrants.values()}
        self._renamed.setdefault(session.id, set()).update(left)
        if after.round:
            self._note_round(session, before, bool(left))
        for number in range(len(before.pairs), len(after.pairs)):
            if any((session.id, player) in self._held for player in after.pairs[number].players):
                self._start_soon(session, number)
        self._reads.put(session.id, partial(self._show, session))

    def _note_round(self, session: TournamentSession, before: Tournament, renamed: bool) -> None:
        """What else is to be shown of a round: its pairs; and where those stand anew whose opponents have a result."""
        after, unshown = session.state, self._unshown[session.id]
        known = before.pairs
        changed = [at for at, pair in enumerate(after.pairs) if renamed or at >= len(known) or known[at] is not pair]
        self._unshown_pairs.setdefault(session.id, set()).update(changed)
        if after.round != before.round or after.rounds != before.rounds:
            unshown |= after.entrants
            return
        for number in changed:
            for player in filter(None, after.pairs[number].players):
                opponents = after.opponents(after.entrants[player])
                unshown |= {other.player.id: other for _, other in opponents}

    async def _show(self, session: TournamentSession) -> None:
        """Show what has changed, a slice at a time: a first pairing changes everyone's row."""
        await self._show_pairs(session)
        changed = [*self._unshown.pop(session.id, {}).values()]
        if left := self._renamed.pop(session.id, set()):
            self._listings.set_rows("standings", session.id, dict.fromkeys(left))
        for start in range(0, len(changed), SLICE):
            some = changed[start : start + SLICE]
            rows = {
                one.player.name: None if one.removed else pack(standing_of(session.id, session.state, one))
                for one in some
            }
            self._listings.set_rows("standings", session.id, rows)
            await asyncio.sleep(0)
        await self._publish(session)

    async def _show_pairs(self, session: TournamentSession) -> None:
        changed = sorted(self._unshown_pairs.pop(session.id, set()))
        for start in range(0, len(changed), SLICE):
            some = changed[start : start + SLICE]
            rows: dict[str, bytes | None] = {
                str(number): pack(pairing_of(session.id, session.state, number)) for number in some
            }
            self._listings.set_rows("pairings", session.id, rows)
            await asyncio.sleep(0)

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
            self._listings.drop_rows(key)
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
            self._dismiss_idle(session, now_ms)
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
