"""All tournaments looked after in turn: paired, scored, archived, and what dead nodes have left set right.

Any node does all of it. A pairing, a result and an end are entries of a journal, and each decision that leads to one
changes nothing when it is made again: so it does not matter which nodes make it, or die meanwhile.
"""

from functools import partial

import structlog

from tavla_server.errors import JournalUnreadable, StoreUnavailable
from tavla_server.features.sanctions.ledger import Ledger
from tavla_server.features.tournaments import decider
from tavla_server.features.tournaments.boards import Boards
from tavla_server.features.tournaments.caretaker import Caretaker
from tavla_server.features.tournaments.keeper import Keeper
from tavla_server.features.tournaments.pairer import PairingFailed
from tavla_server.features.tournaments.registry import TournamentRegistry
from tavla_server.features.tournaments.renaming import is_someone
from tavla_server.features.tournaments.session import TournamentSession
from tavla_server.features.tournaments.state import Tournament
from tavla_server.gateway.core import Core
from tavla_server.match.effects import Lane

log = structlog.get_logger()


class TournamentSweeper:
    """A sweeper takes the tournaments of a node one after the other. lanes: in which what follows is carried out."""

    def __init__(
        self,
        core: Core,
        registry: TournamentRegistry,
        boards: Boards,
        caretaker: Caretaker,
        keeper: Keeper,
        ledger: Ledger,
    ) -> None:
        self._clock, self._timings, self._ledger = core.clock, core.timings, ledger
        self._registry, self._boards, self._caretaker, self._keeper = registry, boards, caretaker, keeper
        self._is_right = False  # nothing is lost, as far as the store has been looked through
        self._ends = Lane("tournament-archive")
        self.lanes = boards.lane, registry.reads, self._ends

    async def sweep(self) -> None:
        """Look after all of them."""
        for id_ in self._registry.rows.ids:
            await self._turn(id_)

    async def set_right(self) -> None:
        """Look for what the list has lost, or the archive, which may be an older one now: once, when a node begins.

        Raises: StoreUnavailable, ArchiveUnavailable.
        """
        if self._is_right:
            return
        async for id_ in self._registry.journal.lasting():  # else nobody would look after them
            if id_ not in self._registry.rows and (session := await self._read(id_)) is not None:
                log.warning("tournament_found", tournament=id_, what="it was in no list")
                await self._registry.rows.publish(session)
        for id_ in await self._keeper.missing([*filter(self._registry.rows.until_ms, self._registry.rows.ids)]):
            if (session := await self._read(id_)) is not None:  # the archive has lost it
                self._ends.put(id_, partial(self._keep, session))
        self._is_right = True

    async def _read(self, id_: str) -> TournamentSession | None:
        """A tournament; None if it is damaged, which is not to keep the others from being looked at."""
        try:
            return await self._registry.get(id_)
        except JournalUnreadable as error:
            log.error("journal_unreadable", tournament=id_, error=str(error))
            return None

    async def _turn(self, id_: str) -> None:
        try:
            if until_ms := self._registry.rows.until_ms(id_):
                self._await_end(id_, until_ms)
            elif (session := await self._registry.get(id_)) is not None:
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
            if session.state.halted and self._is_led_by_nobody(session.state):
                await session.submit(decider.resumption)
            await self._caretaker.look_after(session, now_ms)
            await self._registry.rows.publish(session)
        elif session.id not in self._ends:
            self._ends.put(session.id, partial(self._keep, session))

    def _is_led_by_nobody(self, state: Tournament) -> bool:
        """True if the director of a tournament is banned, or has closed the account."""
        name = state.plan.by.name
        return is_someone(name) or self._ledger.penalty("ban", name, "") is not None

    # --- the end ---

    async def _keep(self, session: TournamentSession) -> None:
        """Have the archive know a tournament that is over: nothing else is to be done for it then."""
        if await self._try_keep(session):
            listed_ms = round(1000 * self._timings.tournament_listed_s)
            await self._registry.rows.publish(session, session.state.closed_ms + listed_ms)

    def _await_end(self, id_: str, until_ms: int) -> None:
        """Look after a tournament that the archive has."""
        now_ms = self._clock.now_ms()
        if (session := self._registry.sessions.get(id_)) is not None:
            self._boards.dismiss_idle(session, now_ms)
        if now_ms > until_ms and id_ not in self._ends:
            self._ends.put(id_, partial(self._forget, id_))

    async def _forget(self, id_: str) -> None:
        """List a tournament no longer; before that, see again that the archive has it, which may be another one now."""
        session = await self._registry.get(id_)
        if session is not None:
            await session.read_on()
            if not await self._try_keep(session):
                return
        await self._registry.rows.forget(id_)

    async def _try_keep(self, session: TournamentSession) -> bool:
        """Have the archive know all of a tournament; False if it is away, or a match was ruled on meanwhile."""
        seq = session.seq
        is_kept = await self._keeper.keep(session.id, session.state, session.journal)
        return is_kept and session.seq == seq
