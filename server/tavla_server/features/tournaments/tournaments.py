"""Actions of players and directors: tournaments made, entered, left, directed."""

import secrets

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.tables.terms import read_rules
from tavla_server.features.tournaments import decider, renaming
from tavla_server.features.tournaments.boards import Boards, HeldConnection
from tavla_server.features.tournaments.caretaker import Caretaker
from tavla_server.features.tournaments.events import Directed, Opened
from tavla_server.features.tournaments.keeper import Keeper
from tavla_server.features.tournaments.registry import TournamentRegistry
from tavla_server.features.tournaments.schedule import Plan
from tavla_server.features.tournaments.state import Tournament
from tavla_server.gateway.core import Core
from tavla_server.gateway.recipient import Recipient
from tavla_server.player import Player
from tavla_server.record.state import Record

SEED_BYTES = 16


class Tournaments:
    """Acts for players and directors. registry: the tournaments under way; keeper: those that are over."""

    def __init__(
        self,
        core: Core,
        registry: TournamentRegistry,
        boards: Boards,
        caretaker: Caretaker,
        keeper: Keeper,
        accounts: Accounts,
    ) -> None:
        self._clock, self._limits = core.clock, core.limits
        self.registry, self.keeper = registry, keeper
        self._boards, self._caretaker, self._accounts = boards, caretaker, accounts

    async def past(self, id_: str) -> Tournament:
        """A tournament, also one that was over long ago. Raises: Refused; StoreUnavailable; ArchiveUnavailable."""
        session = await self.registry.get(id_)
        state = session.state if session is not None else await self.keeper.find(id_)
        if state is None:
            raise Refused(ErrorCode.NO_SUCH_TOURNAMENT, "there is no such tournament")
        return state

    async def version(self, id_: str) -> str:
        """The version of a tournament: another one after each change. Raises: Refused; as `past`."""
        session = await self.registry.get(id_)
        version = str(session.seq) if session is not None else await self.keeper.version(id_)
        if version is None:
            raise Refused(ErrorCode.NO_SUCH_TOURNAMENT, "there is no such tournament")
        return version

    async def create(self, id_: str, by: Player, asked: m.CreateTournament | Plan, starts_ms: int) -> None:
        """Make a tournament as asked, unless it is there. Raises: StoreUnavailable."""
        lasts_ms = 60_000 * asked.minutes
        event = Opened(
            name=asked.name,
            by=by,
            rules=read_rules(asked.rules, quick=True),
            starts_ms=starts_ms,
            ends_ms=starts_ms + lasts_ms,
            seed=secrets.token_bytes(SEED_BYTES),
            private=asked.private,
            band=(asked.min_rating, asked.max_rating),
            format=asked.format,
            rounds=asked.rounds,
            round_ms=lasts_ms,
        )
        session = await self.registry.make(id_)
        await session.submit(decider.opening(event))
        await self.registry.rows.publish(session)

    async def enter(self, id_: str, player: Player, commitment: str, recipient: Recipient, request: int) -> None:
        """A player waits for a match from now on; `recipient` is taken there. Raises: Refused; StoreUnavailable."""
        session = await self.registry.find(id_)
        if recipient.closed:  # lost while the store was asked: a newer connection may wait by now
            return
        with self._boards.entering(id_, player.id, HeldConnection(recipient, request)):
            await self._caretaker.score_last(session, player.id)
            await session.submit(decider.entry(player, commitment, self._limits.entrants))
        number = session.state.entrants[player.id].number
        if number is not None:
            self._boards.open_soon(session, number)

    async def leave(self, id_: str, player: str, returns: bool) -> None:
        """A player waits no longer. returns: and is called to the next round. Raises: Refused; StoreUnavailable."""
        session = await self.registry.find(id_)
        await session.read_on()  # the player may have entered at another node, just now
        await session.submit(decider.leave([player], returns))
        self._boards.release(id_, player)

    async def direct(self, id_: str, request: m.DirectTournament, ruling: Directed) -> None:
        """Do what was decided. Raises: Refused; StoreUnavailable."""
        session, about = await self.registry.find(id_), ruling.about
        if about is not None:
            adds = request.what == "add"
            decide = decider.addition(about, self._limits.entrants) if adds else decider.removal(about.id)
        elif request.what == "begin":
            decide = decider.beginning
        elif request.what == "rename":
            decide = decider.retitling(request.name or "")
        elif request.what == "cancel":
            decide = decider.cancellation
        elif request.what == "extend" and not request.minutes:
            decide = decider.ending
        elif request.what == "extend":
            ends_ms = max(self._clock.now_ms(), session.state.plan.ends_ms)
            decide = decider.extension(ends_ms + 60_000 * request.minutes)
        else:
            decide = decider.halt(request.what == "halt")
        await session.submit(decider.ruling_of(decide, ruling))

    async def of_match(self, match: Record) -> Tournament | None:
        """The tournament of a match, if it is one of a tournament. Raises: StoreUnavailable."""
        session = await self.registry.get(match.tournament[0]) if match.tournament else None
        return None if session is None else session.state

    async def forget(self, player: str) -> None:
        """A player's account was closed: in all tournaments it is `someone`. Raises: StoreUnavailable,
        ArchiveUnavailable.
        """
        for id_ in self.registry.rows.ids:
            if (session := await self.registry.get(id_)) is not None:
                await session.submit(renaming.anonymity(player))
        await self.keeper.forget(player)

    async def merge(self, player: str, into: str) -> None:
        """A player has become another one, or has another name: who plays a tournament plays on so.

        Raises: StoreUnavailable.
        """
        known = await self._accounts.player(into)
        for id_ in self.registry.rows.ids:
            if known is not None and (session := await self.registry.get(id_)) is not None:
                await session.submit(renaming.merge(player, known))
