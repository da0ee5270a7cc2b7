"""Quick match on this node: its connections' tickets, from the request to the match, or until they are withdrawn."""

import asyncio
import contextlib
import secrets

import msgspec
import structlog
from tavla_engine.rules import Rules
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused, StoreUnavailable
from tavla_server.features.quick_match.local_tickets import (
    BATCH,
    LocalTicket,
    LocalTickets,
    PendingStart,
    PendingStarts,
    UnsentTickets,
)
from tavla_server.features.quick_match.match_queue import MatchQueue, Pairing, Ticket, pool_of
from tavla_server.features.quick_match.match_start import opening_of
from tavla_server.features.quick_match.open_tables import OpenTables
from tavla_server.features.quick_match.seekers import Seekers
from tavla_server.features.quick_match.voids import Voids
from tavla_server.features.tables import arrival
from tavla_server.features.tables.tables import Tables
from tavla_server.gateway.core import Core
from tavla_server.gateway.recipient import Recipient
from tavla_server.match import ids as match_ids
from tavla_server.match.lifecycle import submit_and_wait
from tavla_server.record.rating import START_RATING
from tavla_server.telemetry.metrics import WAITS

log = structlog.get_logger()


class Matchmaker:
    """A matchmaker without a leader.

    Each node renews its own tickets, and Redis pairs those that fit, in one step (see `match_queue`).

    What is kept here is what these connections want. Redis follows with the next poll, also after it has been away.

    tickets: those of this node.
    """

    def __init__(self, core: Core, queue: MatchQueue, tables: Tables, seekers: Seekers, voids: Voids) -> None:
        self._registry, self._clock, self._timings = core.registry, core.clock, core.timings
        self._queue, self._tables, self._seekers, self._voids = queue, tables, seekers, voids
        self._open_tables = OpenTables(core, queue, tables)
        self.tickets = LocalTickets()
        self._matched: dict[Recipient, Ticket] = {}  # what led to the newest match that a connection was told of
        self._pending = PendingStarts(core.clock, core.timings.no_show_s)
        self._starting: dict[Recipient, asyncio.Event] = {}  # until they are attached to their match
        self._wake = asyncio.Event()
        self._in_order = asyncio.Lock()  # a renewal must not put back what a withdrawal takes out
        self._unsent = UnsentTickets(queue, self._in_order)

    # --- what connections ask ---

    async def enqueue(
        self, recipient: Recipient, rules: Rules, commitment: str, request: int, wants: str = ""
    ) -> Pairing | None:
        """Wait for an opponent. Returns the pairing to `start`, if there is one at once.

        It may be one that an earlier connection of this player was not told of, or not seen to use.
        wants: the ticket of one player in particular, or "".
        Raises: Refused; StoreUnavailable, and then the player does not wait.
        """
        ticket, drop = self._new_ticket(recipient, rules, commitment, wants), ""
        await self._unsent.flush()
        await self._voids.flush(ticket.player.id)
        pairing: Pairing | None = None
        while not recipient.closed:
            try:
                pairing = await self._queue.enqueue(ticket, self._clock.now_ms(), drop)
            except StoreUnavailable:
                self._unsent.withdrawn.append(ticket)
                raise
            if pairing is None:
                break
            paired = pairing.ticket_of(ticket.player.id)
            if paired.id == ticket.id or await self._is_expected(recipient, pairing):
                ticket = paired
                break
            drop = pairing.match
        if recipient.closed:  # lost while the store was asked: a newer connection may seek by now
            self._unsent.withdrawn.append(ticket)
            return None
        self.tickets.remove([held for held in self.tickets.of(recipient) if held.ticket.pool == ticket.pool])
        self.tickets.add(LocalTicket(recipient, ticket, request))
        return pairing or await self._open_tables.pairing(ticket)

    async def withdraw(self, recipient: Recipient) -> None:
        """Wait no longer. A player who was paired before goes to that match first.

        Raises: Refused, when that cannot be; StoreUnavailable.
        """
        self._pending.leave(recipient)
        async with self._in_order:
            mine = self.tickets.of(recipient)
            pairings = await self._queue.withdraw([held.ticket for held in mine])
            self.tickets.remove([held for held, pairing in zip(mine, pairings, strict=True) if pairing is None])
        for pairing in pairings:
            if pairing is not None:
                await self.start(pairing)
        if recipient in self._starting:
            await self._starting[recipient].wait()
        if self.tickets.of(recipient):
            raise Refused(ErrorCode.UNAVAILABLE, "an opponent was found just now: the match opens in a moment")

    def leave(self, recipient: Recipient, on_purpose: bool) -> None:
        """A connection is closed: its tickets go at once. on_purpose: its player has seen the newest match, then."""
        matched = self._matched.pop(recipient, None)
        if matched and on_purpose:
            self._unsent.acknowledged.append(matched)
            self._wake.set()
        if mine := self.tickets.of(recipient):
            self._unsent.withdrawn += [held.ticket for held in mine]
            self.tickets.remove(mine)
            self._wake.set()

    async def start(self, pairing: Pairing) -> None:
        """Open a pairing's match, and attach those to it who are ours. What fails is tried again with the next poll."""
        ours = [held for ticket in pairing.tickets if (held := self.tickets.get(ticket.id))]
        for held in ours:
            self.tickets.remove(self.tickets.of(held.recipient))  # the script has taken them out of every pool
        started = asyncio.Event()
        self._starting.update({held.recipient: started for held in ours})
        try:
            await self._open(pairing, ours)
        except (StoreUnavailable, Refused) as error:
            players = [ticket.player.id for ticket in pairing.tickets]
            log.warning("match_start_delayed", match=pairing.match, players=players, error=str(error))
            for held in ours:
                if not held.recipient.closed:
                    self.tickets.add(held)
        finally:
            started.set()
            for held in ours:
                if self._starting.get(held.recipient) is started:
                    del self._starting[held.recipient]

    # --- what this node does by itself ---

    async def run(self) -> None:
        """Renew all tickets and poll for what became of them. Runs until it is cancelled.

        No `Sweep`: one who begins to wait, or stops, is not to wait for the next poll.
        """
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), self._timings.queue_poll_s)
            self._wake.clear()
            try:
                await self._unsent.flush()
                await asyncio.gather(*map(self.start, await self._renew()))
                await self._fill_tables()
                await self._seekers.show([held.ticket for held in self.tickets])
                for pending in self._pending:
                    await self._poll(pending)
            except (StoreUnavailable, Refused) as error:
                log.warning("matchmaking_delayed", error=str(error))
            except Exception:
                log.exception("matchmaking_failed")  # a fault of ours: those who wait must not wait for ever

    async def close(self) -> None:
        """The connections are closed: so their tickets go. Raises: StoreUnavailable."""
        await self._unsent.flush()
        await self._seekers.show([])

    async def _renew(self) -> list[Pairing]:
        """Renew every ticket; the pairings that came of them."""
        found: dict[str, Pairing] = {}
        async with self._in_order:
            tickets = [self._as_of_now(held) for held in self.tickets]
            for first in range(0, len(tickets), BATCH):
                batch = tickets[first : first + BATCH]
                answers = await self._queue.renew([held.ticket for held in batch], self._clock.now_ms())
                for held, answer in zip(batch, answers, strict=True):
                    if isinstance(answer, Pairing):
                        found[answer.match] = answer
                    elif answer == "gone" and self.tickets.get(held.ticket.id):
                        self.tickets.remove([held])
                        held.recipient.send(m.Seeking(seek=held.request, on=False))
        return list(found.values())

    def _as_of_now(self, held: LocalTicket) -> LocalTicket:
        """A ticket with those whom its player ignores now."""
        ignored = held.recipient.outbox.ignored
        if ignored == frozenset(held.ticket.ignores):
            return held
        now = held._replace(ticket=msgspec.structs.replace(held.ticket, ignores=tuple(ignored)))
        self.tickets.add(now)
        return now

    async def _open(self, pairing: Pairing, ours: list[LocalTicket]) -> None:
        session = await self._registry.get(pairing.match)
        if pairing.table:
            await self._open_tables.sit_down(session, ours)
        else:
            players = [ticket.player.id for ticket in pairing.tickets]
            if session.seq == 0 and await self._tables.are_apart(*players):
                await self._requeue(pairing, [held for held in ours if not held.recipient.closed], apart=True)
                return
            if session.seq == 0:
                await self._tables.enter(pairing.match, *players)
            here = {held.ticket.player.id: held.recipient for held in ours}
            met = await self._tables.meetings.count(pairing.match, pairing.tickets[0].rules, *players)
            await submit_and_wait(session, opening_of(pairing, lambda id_: id_ in here and not here[id_].closed, met))
        present = [held for held in ours if not held.recipient.closed]
        if any(session.record.seat_of(held.ticket.player.id) is None for held in present):
            # A table at which another player was first; or, once in a million years, another match has this id.
            await self._requeue(pairing, present)
            return
        for held in present:
            held.recipient.send(m.Matched(match=pairing.match, seek=held.request))
            held.recipient.following.add(session)
            self._matched[held.recipient] = held.ticket
            WAITS.observe(max(0, self._clock.now_ms() - held.ticket.since_ms) / 1000)
            arrival.arrive(session, held.ticket.player.id)
        if present and arrival.missing_seats(session.record):
            self._pending.add(pairing, present)
        self._registry.unused.forget_later(session)

    async def _poll(self, pending: PendingStart) -> None:
        """Start the match of a pair, or, if one stays away, put the other back at its place in the queue."""
        session = await self._registry.get(pending.pairing.match)
        present = [held for held in pending.present if not held.recipient.closed]
        if self._clock.now_ms() >= pending.until_ms:
            await submit_and_wait(session, arrival.void)
        else:
            for held in present:
                arrival.arrive(session, held.ticket.player.id)  # once more: the store may have been away
        if not arrival.missing_seats(session.record):
            if session.record.cancelled:
                players = [ticket.player.id for ticket in pending.pairing.tickets]
                log.info("no_show", match=session.record.id, players=players)
                await self._requeue(pending.pairing, present)
            self._pending.remove(pending.pairing.match)

    async def _requeue(self, pairing: Pairing, ours: list[LocalTicket], apart: bool = False) -> None:
        """Tickets whose match came to nothing wait on, since when they did before.

        apart: the two are not to be paired again, and not told so.
        """
        since_of = {ticket.id: since for ticket, since in zip(pairing.tickets, pairing.since_ms, strict=True)}
        for held in ours:
            old = held.ticket
            ticket = msgspec.structs.replace(old, id=_ticket_id(), match=match_ids.new_id(), since_ms=since_of[old.id])
            if apart:
                others = (one.player.id for one in pairing.tickets if one.player.id != old.player.id)
                ticket = msgspec.structs.replace(ticket, ignores=(*old.ignores, *others))
            try:
                found = await self._queue.enqueue(ticket, self._clock.now_ms(), drop=pairing.match, again=True)
            except Refused:  # it waits in too many pools by now
                held.recipient.send(m.Seeking(seek=held.request, on=False, match=pairing.match))
                continue
            if not pairing.table and not apart:
                held.recipient.send(m.Seeking(seek=held.request, on=True, match=pairing.match))
            self.tickets.add(held._replace(ticket=ticket))
            if found is not None:
                await self.start(found)

    async def _is_expected(self, recipient: Recipient, pairing: Pairing) -> bool:
        """True if the match of an earlier pairing waits for this player, who may not know of it."""
        session = await self._registry.get(pairing.match)
        known = recipient.following.of(pairing.match) or session.history.has_acted(recipient.player.id)
        self._registry.unused.forget_later(session)
        return not session.record.over and not known

    async def _fill_tables(self) -> None:
        """Seat those who wait at open tables that fit, the longest waiting first."""
        for held in sorted(self.tickets, key=lambda held: held.ticket.since_ms):
            if self.tickets.get(held.ticket.id) and (pairing := await self._open_tables.pairing(held.ticket)):
                await self.start(pairing)

    def _new_ticket(self, recipient: Recipient, rules: Rules, commitment: str, wants: str) -> Ticket:
        player = recipient.player
        return Ticket(
            id=_ticket_id(),
            pool=pool_of(rules, player.kind),
            node=self._queue.node,
            player=player,
            rating=START_RATING if player.rating is None else player.rating,
            since_ms=self._clock.now_ms(),
            match=match_ids.new_id(),
            rules=rules,
            commitment=commitment,
            wants=wants,
            ignores=tuple(recipient.outbox.ignored),
        )


def _ticket_id() -> str:
    return secrets.token_hex(8)
