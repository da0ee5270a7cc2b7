"""A running tournament looked after: its players paired, each match opened and scored, its rounds ended in time.

Any node does all of it, and again, if another one has died meanwhile.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from time import monotonic

import structlog
from tavla_engine.actions import Seat
from tavla_engine.events import Ending

from tavla_server.errors import StoreUnavailable
from tavla_server.features.quick_match.match_queue import MatchQueue
from tavla_server.features.tables.tables import Tables
from tavla_server.features.tournaments import decider
from tavla_server.features.tournaments.boards import Boards
from tavla_server.features.tournaments.calls import Calls
from tavla_server.features.tournaments.events import ARENA, Directed, Paired, Scored
from tavla_server.features.tournaments.formats import arena, format_of
from tavla_server.features.tournaments.pairer import Pairer
from tavla_server.features.tournaments.registry import TournamentRegistry
from tavla_server.features.tournaments.round_time import ruled_by_time
from tavla_server.features.tournaments.session import TournamentSession
from tavla_server.features.tournaments.state import result_of
from tavla_server.features.tournaments.views import match_of
from tavla_server.features.tournaments.waiting import Question
from tavla_server.gateway.core import Core
from tavla_server.match.lifecycle import submit_and_wait
from tavla_server.record.rating import was_played
from tavla_server.record.standing import is_void
from tavla_server.record.state import Record
from tavla_server.telemetry.metrics import PAIRING

ABSENT_S = 15.0  # without a connection to any node, one waits no longer
OPENED_S = 5.0  # by then a match has been opened, unless the node that paired it has died

log = structlog.get_logger()


class Caretaker:
    """A caretaker looks after tournaments that are not over.

    queue: of quick match, which knows the players who leave matches. pairer: the process that pairs.
    """

    def __init__(
        self,
        core: Core,
        tournaments: TournamentRegistry,
        boards: Boards,
        calls: Calls,
        tables: Tables,
        queue: MatchQueue,
    ) -> None:
        self._registry, self._presence = core.registry, core.presence
        self._clock, self._outage = core.clock, core.liveness.credit_ms
        self._tournaments, self._boards, self._calls = tournaments, boards, calls
        self._tables, self._queue = tables, queue
        self._absent: dict[str, dict[str, int]] = {}  # by tournament: players who wait, and since when they are away
        self.pairer = Pairer()

    async def look_after(self, session: TournamentSession, now_ms: int) -> None:
        """Do what is due now. Raises: StoreUnavailable; PairingFailed."""
        state = session.state
        await self._pair(session, now_ms)
        for number in list(state.playing):
            if now_ms - state.pairs[number].since_ms > 1000 * OPENED_S:
                await self._look_at(session, number)
        if decider.time_is_over(state, now_ms, self._outage):
            for number in list(state.playing):
                await self._end(session, number)
        if state.again:
            await session.submit(decider.again(self._outage))
        await session.submit(decider.closing)
        self._calls.look_at(session)

    async def score(self, record: Record) -> None:
        """Take a match that is over to its tournament, if it is one of a tournament. Raises: StoreUnavailable."""
        id_, number = record.tournament or ("", 0)
        session = await self._tournaments.get(id_) if id_ else None
        if session is None:
            return
        if number >= len(session.state.pairs):
            await session.read_on()
        if number >= len(session.state.pairs) or match_of(id_, session.state, number) != record.id:
            return  # paired before the store was brought back
        await session.submit(decider.score(result_in(record, number), ruling_in(record, number)))

    async def score_last(self, session: TournamentSession, player: str) -> None:
        """Score the match that a player has just ended, if that is still to be done: the next one can begin then."""
        entrant = session.state.entrants.get(player)
        if entrant is not None and entrant.number is not None:
            table = await self._registry.current(match_of(session.id, session.state, entrant.number))
            if table is not None and table.record.over:
                await self.score(table.record)

    async def _pair(self, session: TournamentSession, now_ms: int) -> None:
        """Pair the players who wait, if it is time."""
        here = await self._players_here(session, now_ms)
        state = session.state
        if not decider.is_due(state, now_ms, self._outage):
            if here:
                await self.pairer.warm()
            return
        if busy := self._tournaments.playing_elsewhere(session.id) & {*here}:
            await session.submit(decider.leave(busy, returning=True))
            return  # rounds wait for them, as for all who are away
        is_arena = state.plan.format == ARENA
        if is_arena:
            may = frozenset(here) - await self._queue.held_back(here, now_ms)
            waiting = [entrant for entrant in state.waiting() if entrant.player.id in may]
        else:
            waiting = state.waiting()
        began_s = monotonic()
        pairs = format_of(state).pairing(state, waiting, now_ms)
        if isinstance(pairs, Question):
            pairs = arena.apart(pairs, state, self._presence.network, now_ms) if is_arena else pairs
            pairs = [Paired(pair) for pair in await self.pairer.pairs(pairs)] if waiting else []
        ids = frozenset(entrant.player.id for entrant in waiting)
        meant = [
            player for pair in pairs for player in pair.players if player in ids
        ]  # a fixed schedule has others, too
        taken = await self._tournaments.journal.claim_players(session.id, meant) if pairs else set()
        if taken and not is_arena:
            return  # they play elsewhere, and wait here no longer in the next turn
        pairs = [pair for pair in pairs if taken.isdisjoint(pair.players)]
        if pairs:
            took_s = monotonic() - began_s
            PAIRING.observe(took_s)
            facts = {"waiting": len(waiting), "pairs": len(pairs), "took_ms": round(1000 * took_s)}
            log.info("tournament_paired", tournament=session.id, **facts)
        if is_arena:
            await session.submit(decider.pairing(pairs))
        else:
            await session.submit(decider.round_begins(state.round + 1, ids, pairs))

    async def _players_here(self, session: TournamentSession, now_ms: int) -> list[str]:
        """Waiting players who are online. The others wait no longer, when they have been away for long.

        Before the first round they leave, and so do those who are called to it, but are away; later they are called.
        """
        state = session.state
        waiting = [entrant.player.id for entrant in state.waiting()]
        called = [] if state.round else [*decider.missing_players(state, now_ms, self._outage)]
        absent = away_since(waiting + called, self._presence.is_online, self._absent.pop(session.id, {}), now_ms)
        if absent:
            self._absent[session.id] = absent
        if gone := long_away(absent, now_ms, self._outage):
            await session.submit(decider.leave(gone, returning=bool(state.round)))
        return [player for player in waiting if player not in absent]

    async def _look_at(self, session: TournamentSession, number: int) -> None:
        """Open a match that was left unopened, score one that was left unscored."""
        match = match_of(session.id, session.state, number)
        note = self._tables.rows.note(match)
        if note is not None and note.table is not None:
            return
        table = await self._registry.current(match)
        if table is None:
            self._boards.open_soon(session, number)
        elif table.record.over:
            await self.score(table.record)

    async def _end(self, session: TournamentSession, number: int) -> None:
        """End a match whose round is over."""
        table = await self._registry.current(match_of(session.id, session.state, number))
        if table is not None:
            with suppress(StoreUnavailable):  # a part of the store is away: in the next turn
                await submit_and_wait(table, ruled_by_time(self._clock.now_ms(), table.timers.credit_ms))


def result_in(record: Record, number: int) -> Scored:
    """The worth of a match that is over in its tournament, where it has this number."""
    outcome = record.match.outcome
    winner = outcome.winner if outcome is not None and not record.cancelled else None
    absent: tuple[Seat, ...] = record.missing_seeds if is_void(record) else ()
    unplayed = winner is not None and not was_played(record.match)
    return result_of(number, winner, absent, unplayed, outcome is not None and outcome.ending is Ending.PUT_BACK)


def ruling_in(record: Record, number: int) -> Directed | None:
    """The ruling that has ended a match, for its tournament; None for the time of a round."""
    if record.ruled is None or record.timed:
        return None
    outcome = record.match.outcome
    winner = None if outcome is None or record.cancelled else outcome.winner
    what = "void" if winner is None else ("white", "black")[winner]
    return Directed(None, what, None, record.ruled.why, record.ruled.judge, number)


def away_since(
    waiting: Iterable[str], is_online: Callable[[str], bool], before: Mapping[str, int], now_ms: int
) -> dict[str, int]:
    """Times since which waiting players are away, in ms since 1970. before: likewise, at the last look.

    A player who was paired or back meanwhile is away since now: two short absences are not a long one.
    """
    return {player: before.get(player, now_ms) for player in waiting if not is_online(player)}


def long_away(absent: Mapping[str, int], now_ms: int, outage: decider.Outage) -> list[str]:
    """Players who have been away for longer than ABSENT_S; an outage is no part of it. absent: as of `away_since`."""
    return [player for player, ms in absent.items() if now_ms - ms - outage(ms, now_ms) > 1000 * ABSENT_S]
