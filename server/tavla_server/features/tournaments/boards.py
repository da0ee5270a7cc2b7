"""Boards: players of this node who wait for a match of a tournament, and the matches that they are taken to."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

from tavla_protocol import messages as m

from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.tables.tables import Tables
from tavla_server.features.tournaments.decider import CANCELLED
from tavla_server.features.tournaments.formats import format_of
from tavla_server.features.tournaments.session import TournamentSession
from tavla_server.features.tournaments.views import code_of, match_of
from tavla_server.gateway.core import Core
from tavla_server.gateway.recipient import Recipient
from tavla_server.match.effects import Lane
from tavla_server.match.lifecycle import opening as table_opened
from tavla_server.match.lifecycle import sitting, submit_and_wait
from tavla_server.match.session import Session
from tavla_server.record.events import Terms

AT_ONCE = 30  # matches that are opened together: half a thousand are paired in one moment, and others play on meanwhile


class HeldConnection(NamedTuple):
    """A connection of this node that is to be taken to a match. request: the id of the one that asked for it."""

    recipient: Recipient
    request: int


class Boards:
    """The boards of tournaments: opens their matches. lane: in which it does so."""

    def __init__(self, core: Core, tables: Tables, accounts: Accounts) -> None:
        self._registry, self._presence = core.registry, core.presence
        self._tables, self._accounts = tables, accounts
        self._held: dict[tuple[str, str], HeldConnection] = {}  # by tournament and player
        self._entering: set[HeldConnection] = set()  # of them, those of whom the journal does not know yet
        self.lane = Lane("tournament-matches", AT_ONCE)

    @contextmanager
    def entering(self, tournament: str, player: str, held: HeldConnection) -> Iterator[None]:
        """Hold a connection from now on, while the journal learns of it; an error lets it go."""
        key = tournament, player
        if (known := self._held.get(key)) is not None and known.recipient is not held.recipient:
            self._dismiss(tournament, player, "another connection of yours waits there now")
        self._held[key] = held
        self._entering.add(held)
        try:
            yield
        except BaseException:
            if self._held.get(key) is held:
                del self._held[key]
            raise
        finally:
            self._entering.discard(held)

    def release(self, tournament: str, player: str) -> None:
        """Take a player to no match any more."""
        self._held.pop((tournament, player), None)

    def dismiss_idle(self, session: TournamentSession, now_ms: int) -> None:
        """Tell the players for whom there will be no match."""
        for (id_, player), held in list(self._held.items()):
            if id_ != session.id or held in self._entering:
                continue
            entrant = session.state.entrants.get(player)
            if held.recipient.closed:
                del self._held[id_, player]
            elif entrant is None or entrant.number is not None:
                continue
            elif refusal := format_of(session.state).refusal(session.state, player, now_ms):
                self._dismiss(id_, player, CANCELLED if session.state.cancelled else refusal, over=True)
            elif not entrant.commitment:
                self._dismiss(id_, player, "you have left this tournament: enter it again to play on")

    def _dismiss(self, id_: str, player: str, text: str, over: bool = False) -> None:
        recipient, request = self._held.pop((id_, player))
        if not recipient.closed:
            recipient.send(m.Unpaired(tournament=id_, enter=request, over=over, text=text))

    def open_soon(self, session: TournamentSession, number: int) -> None:
        """Open a match, and take those players there who are ours; call those whose window has gone in all others."""
        self.lane.put(f"{session.id}-{number}", partial(self._open, session, number))

    async def _open(self, session: TournamentSession, number: int) -> None:
        """Open a match, unless it is open."""
        pair = session.state.pairs[number]
        if pair.scored is not None:
            return  # a bye, or over already: those who wait now wait for another one
        table = await self._registry.get(match_of(session.id, session.state, number))
        if table.seq == 0:
            await self._tables.enter(table.record.id, *pair.players)
            entrants = session.state.entrants
            seated = [  # rated as of this moment
                sitting(seat, await self._accounts.player(player) or entrants[player].player, pair.commitments[seat])
                for seat, player in enumerate(pair.players)
            ]
            opened = session.state.plan
            terms = Terms(code_of(session.id, session.state, number), tournament=(session.id, number))
            met = await self._tables.meetings.count(table.record.id, opened.rules, *pair.players)
            name = f"{opened.name}-{number + 1}"
            if not opened.private:
                await self._tables.names.claim(name, table.record.id)  # else a table of a player has it
            await submit_and_wait(table, table_opened(name, opened.rules, terms, *seated, met=met))
        for seat, player in enumerate(pair.players):
            held = self._held.pop((session.id, player), None)
            if held is not None and not held.recipient.closed:
                held.recipient.send(m.Matched(match=table.record.id, seek=held.request))
                held.recipient.following.add(table)
            elif not table.record.match.game:
                self._call(player, table, session.state.entrants[pair.players[1 - seat]].player.name)
        self._registry.unused.forget_later(table)

    def _call(self, player: str, table: Session, opponent: str) -> None:
        """Call a player to the board in all windows, unless one has it."""
        id_, name, recipients = table.record.id, table.record.name, self._presence.connections_of(player)
        if not any(recipient.following.of(id_) for recipient in recipients):
            for recipient in recipients:
                recipient.send(m.Seated(match=id_, table=name, name=opponent, tournament=table.record.tournament))
