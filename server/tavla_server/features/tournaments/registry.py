"""Tournaments in the memory of this node, which has all that are listed; and the row of each, shared by all nodes."""

from functools import partial

from tavla_protocol.codec import pack
from tavla_protocol.codes import ErrorCode

from tavla_server.cluster.feed import TOURNAMENTS, Feed, RowUpdate
from tavla_server.errors import Refused
from tavla_server.features.accounts.skeletons import skeleton
from tavla_server.features.lists.listings import TournamentRow, unpack_row
from tavla_server.features.tournaments.boards import Boards
from tavla_server.features.tournaments.calls import Calls
from tavla_server.features.tournaments.journal import TournamentJournal
from tavla_server.features.tournaments.session import TournamentSession
from tavla_server.features.tournaments.state import Tournament
from tavla_server.features.tournaments.tournament_lists import TournamentLists
from tavla_server.features.tournaments.views import row_of
from tavla_server.gateway.core import Core
from tavla_server.gateway.places import Places
from tavla_server.match.effects import Lane

AT_ONCE = 100  # tournaments that are read together
FORGOTTEN_S = 600  # a tournament that is listed no longer is in the store


class TournamentRows:
    """The rows of tournaments in the list, which all nodes share."""

    def __init__(self, journal: TournamentJournal, feed: Feed) -> None:
        self._journal, self._feed, self._rows = journal, feed, feed.rows(TOURNAMENTS)

    @property
    def ids(self) -> list[str]:
        """The ids of the tournaments in the list."""
        return list(self._rows)

    def until_ms(self, id_: str) -> int:
        """Until when a tournament that is over and archived is listed; 0 = it is not, or is not known."""
        row = self._rows.get(id_)
        return 0 if row is None else unpack_row(row).until_ms

    def __contains__(self, id_: str) -> bool:
        return id_ in self._rows

    async def publish(self, session: TournamentSession, until_ms: int = 0) -> None:
        """Tell all nodes how far a tournament is, unless they know. until_ms: see `TournamentRow`.

        Raises: StoreUnavailable.
        """
        row, seq = self._rows.get(session.id), session.seq
        known = None if row is None else unpack_row(row)
        if known is not None and (known.seq, known.until_ms) >= (seq, until_ms):
            return
        version = 2 * seq + bool(until_ms)
        row = pack(TournamentRow(seq, row_of(session.state), until_ms))
        await self._feed.writer.put(RowUpdate(TOURNAMENTS, session.id, row, version=version, most=version - 1))

    async def forget(self, id_: str) -> None:
        """List a tournament no longer. Raises: StoreUnavailable."""
        await self._journal.forget(id_, FORGOTTEN_S)
        await self._feed.writer.put(RowUpdate(TOURNAMENTS, id_, None))


class TournamentRegistry:
    """The registry reads tournaments and follows them.

    journal: of all. rows: of those in the list. sessions: of those that were read, by id. reads: the lane in which it
    does so.
    """

    def __init__(self, core: Core, shown: TournamentLists, boards: Boards, calls: Calls, places: Places) -> None:
        """places: of tournaments that are not over."""
        self.journal, self._clock, self._shown = TournamentJournal(core.redis, core.node), core.clock, shown
        self._presence, self._boards, self._calls, self._places = core.presence, boards, calls, places
        self.rows, self.sessions = TournamentRows(self.journal, core.feed), dict[str, TournamentSession]()
        self.reads = Lane("tournaments", AT_ONCE)
        core.feed.listen(TOURNAMENTS, self._row_changed)

    def goes_on(self, id_: str) -> bool:
        """True if a tournament is not over, as far as this node has read of it."""
        session = self.sessions.get(id_)
        return session is not None and not session.state.closed_ms

    async def get(self, id_: str) -> TournamentSession | None:
        """A tournament, if it was made. Raises: StoreUnavailable."""
        if id_ not in self.sessions:
            await self._new(id_).read_on()  # if it was made, it is among them then
        return self.sessions.get(id_)

    async def find(self, id_: str) -> TournamentSession:
        """A tournament as this node knows it. Raises: Refused; StoreUnavailable."""
        session = await self.get(id_)
        if session is None:
            raise Refused(ErrorCode.NO_SUCH_TOURNAMENT, "there is no such tournament, or none any more: see the list")
        return session

    async def make(self, id_: str) -> TournamentSession:
        """A tournament that may not be there yet, as far as its journal goes. Raises: StoreUnavailable."""
        session = self.sessions.get(id_) or self._new(id_)
        await session.read_on()
        return session

    async def claim_name(self, name: str, id_: str) -> None:
        """Let a listed tournament have this name until it is over. Raises: Refused; StoreUnavailable."""
        look = skeleton(name)
        others = (session.state for key, session in self.sessions.items() if key != id_)
        listed = [state.plan for state in others if not state.closed_ms and not state.plan.private]
        taken = any(skeleton(plan.name) == look for plan in listed)
        if taken or not await self.journal.claim_name(look, id_):
            raise Refused(ErrorCode.NAME_TAKEN, f"there is a tournament called {name}, or like it: choose another name")

    def playing_elsewhere(self, id_: str) -> set[str]:
        """The ids of those who play a match of another tournament, as far as this node knows."""
        others = [session.state for key, session in self.sessions.items() if key != id_]
        return {player for state in others for number in state.playing for player in state.pairs[number].players}

    # --- counted ---

    def states(self) -> dict[str, int]:
        """The number of tournaments that are to come, are running, are over and not archived."""
        now_ms, found = self._clock.now_ms(), {"coming": 0, "running": 0, "unarchived": 0}
        for id_ in self.rows.ids:
            session = self.sessions.get(id_)
            if session is not None and not self.rows.until_ms(id_):
                over, begun = session.state.closed_ms, session.state.plan.starts_ms <= now_ms
                found["unarchived" if over else "running" if begun else "coming"] += 1
        return found

    def players(self) -> dict[str, int]:
        """The number of players who wait for a match, and who play one."""
        states = [session.state for session in self.sessions.values() if not session.state.closed_ms]
        waiting = sum(bool(one.commitment) for state in states for one in state.entrants.values())
        return {"waiting": waiting, "playing": 2 * sum(len(state.playing) for state in states)}

    def made_by(self, player: str) -> dict[str, str]:
        """The tournaments that a player has made and that are not over: their names by id, private ones among them."""
        found = {session.id: session.state.plan for session in self.sessions.values() if not session.state.closed_ms}
        return {id_: plan.name for id_, plan in found.items() if plan.by.id == player}

    def _new(self, id_: str) -> TournamentSession:
        return TournamentSession(id_, self.journal, self._clock, self._changed)

    def _changed(self, session: TournamentSession, before: Tournament) -> None:
        self.sessions.setdefault(session.id, session)
        self._shown.note(session, before)
        after = session.state
        for number in sorted(after.playing - before.playing):
            if any(map(self._presence.connections_of, after.pairs[number].players)):  # a player is here
                self._boards.open_soon(session, number)
        self._calls.tell_decided_without_match(session, before)
        self.reads.put(session.id, partial(self._show, session))

    async def _show(self, session: TournamentSession) -> None:
        await self._shown.show(session)
        await self.rows.publish(session)
        if session.state.closed_ms:
            await self._places.free(session.id)

    def _row_changed(self, key: str, before: bytes | None, after: bytes | None) -> None:
        if after is None:
            self.sessions.pop(key, None)
            self._shown.drop(key)
        elif unpack_row(after).seq > (self.sessions[key].seq if key in self.sessions else 0):
            self.reads.put(key, partial(self._read, key))

    async def _read(self, id_: str) -> None:
        session = await self.get(id_)
        if session is not None:
            await session.read_on()
