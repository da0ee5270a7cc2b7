"""Quick match on this node: its connections' tickets, from the seek to the match, or until they are given up."""

import asyncio
import contextlib
import secrets
from collections.abc import Iterable
from typing import NamedTuple

import msgspec
import structlog
from redis.exceptions import RedisError
from tavla_engine.rules import Rules
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.cluster.clock import Clock
from tavla_server.errors import Refused, TooManyPools
from tavla_server.lobby import match_ids
from tavla_server.lobby import match_start as meeting
from tavla_server.lobby.match_queue import MatchQueue, Pairing, Ticket, pool_of
from tavla_server.lobby.ports import Recipient
from tavla_server.lobby.tables import Tables
from tavla_server.match.lifecycle import change
from tavla_server.match.rating import START_RATING
from tavla_server.match.registry import Registry

BEAT_S = 0.25  # a pair that another node has made waits for the next beat
BATCH = 256  # tickets in one call: some 10 ms, in which Redis does nothing else
NO_SHOW_S = 20.0  # for those who were paired to come to the match

log = structlog.get_logger()


class Seeker(NamedTuple):
    """A connection that waits. request: the id of its seek."""

    recipient: Recipient
    ticket: Ticket
    request: int


class Meeting(NamedTuple):
    """A match that waits for one of its players. came: who is there, by this node, and waits again if it is void, which
    it is at until_ms.
    """

    pairing: Pairing
    came: list[Seeker]
    until_ms: int


class Matchmaker:
    """No leader: each node looks after its own people, and Redis pairs whoever fits, in one step (see `tickets`).

    What is written here is what these connections want. Redis follows with the next beat, also after it has been away.
    """

    def __init__(self, tickets: MatchQueue, tables: Tables, registry: Registry, clock: Clock) -> None:
        self._queue, self._tables, self._registry, self._clock = tickets, tables, registry, clock
        self._waiting: dict[str, Seeker] = {}  # by the ticket's id
        self._given_up: list[Ticket] = []  # of closed connections; Redis does not know yet
        self._matched: dict[Recipient, Ticket] = {}  # what led to the newest match that a connection was told of
        self._known: list[Ticket] = []  # of those who have left such a match on purpose; Redis does not know yet
        self._meetings: dict[str, Meeting] = {}  # by match
        self._brought: dict[Recipient, asyncio.Event] = {}  # being brought to a match, until they are
        self._hurry = asyncio.Event()
        self._in_order = asyncio.Lock()  # a beat must not put back what a withdrawal takes out

    # --- what connections ask ---

    async def seek(self, recipient: Recipient, rules: Rules, seed: str, request: int) -> Pairing | None:
        """Wait. Gives the pairing to `meet`, if there is one at once.

        It may be one that an earlier connection of this player was not told of, or not seen to use.
        Raises: TooManyPools; redis-py's errors, and then nobody waits.
        """
        ticket, drop = self._new_ticket(recipient, rules, seed), ""
        await self._catch_up_with_leavers()
        while True:
            try:
                pairing = await self._queue.seek(ticket, self._clock.now_ms(), drop)
            except (RedisError, OSError):
                self._given_up.append(ticket)
                raise
            if pairing is None:
                break
            paired = pairing.ticket_of(ticket.player.id)
            if paired.id == ticket.id or await self._is_expected(recipient, pairing):
                ticket = paired
                break
            drop = pairing.match
        self._forget(seeker for seeker in self._of(recipient) if seeker.ticket.pool == ticket.pool)
        self._waiting[ticket.id] = Seeker(recipient, ticket, request)
        return pairing

    async def unseek(self, recipient: Recipient) -> None:
        """Wait no longer. Who was paired before goes to that match first.

        Raises: Refused, when that cannot be; redis-py's errors.
        """
        for waiting in self._meetings.values():
            waiting.came[:] = [seeker for seeker in waiting.came if seeker.recipient is not recipient]
        async with self._in_order:
            mine = self._of(recipient)
            pairings = await self._queue.withdraw([seeker.ticket for seeker in mine])
            self._forget(seeker for seeker, pairing in zip(mine, pairings, strict=True) if pairing is None)
        for pairing in pairings:
            if pairing is not None:
                await self.meet(pairing)
        if recipient in self._brought:
            await self._brought[recipient].wait()
        if self._of(recipient):
            raise Refused(ErrorCode.UNAVAILABLE, "an opponent was found just now: the match opens in a moment")

    def leave(self, recipient: Recipient, meant: bool) -> None:
        """A connection is closed: its tickets go at once. meant: by the player, who then knows of the last match."""
        matched = self._matched.pop(recipient, None)
        if matched and meant:
            self._known.append(matched)
            self._hurry.set()
        if mine := self._of(recipient):
            self._given_up += [seeker.ticket for seeker in mine]
            self._forget(mine)
            self._hurry.set()

    async def meet(self, pairing: Pairing) -> None:
        """Open a pairing's match, and bring those to it who are ours. What fails is tried again with the next beat."""
        ours = [seeker for ticket in pairing.tickets if (seeker := self._waiting.pop(ticket.id, None))]
        for seeker in ours:
            self._forget(self._of(seeker.recipient))  # the script has taken them out of every pool
        brought = asyncio.Event()
        self._brought.update({seeker.recipient: brought for seeker in ours})
        try:
            await self._bring(pairing, ours)
        except (RedisError, OSError, Refused) as error:
            log.warning("meeting_delayed", match=pairing.match, error=str(error))
            self._waiting.update({seeker.ticket.id: seeker for seeker in ours if not seeker.recipient.closed})
        finally:
            brought.set()
            for seeker in ours:
                if self._brought.get(seeker.recipient) is brought:
                    del self._brought[seeker.recipient]

    # --- what this node does by itself ---

    async def run(self) -> None:
        """Look after all tickets. Runs until it is cancelled."""
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._hurry.wait(), BEAT_S)
            self._hurry.clear()
            try:
                await self._catch_up_with_leavers()
                await asyncio.gather(*map(self.meet, await self._beat()))
                for waiting in list(self._meetings.values()):
                    await self._poll(waiting)
            except (RedisError, OSError, Refused) as error:
                log.warning("beat_failed", error=str(error))
            except Exception:
                log.exception("beat_broken")  # a fault of ours: those who wait must not wait for ever

    async def close(self) -> None:
        """The connections are closed: so their tickets go. Raises: redis-py's errors."""
        await self._catch_up_with_leavers()

    async def _catch_up_with_leavers(self) -> None:
        if not self._given_up and not self._known:
            return
        async with self._in_order:
            while tickets := self._given_up[:BATCH]:
                await self._queue.withdraw(tickets)
                del self._given_up[: len(tickets)]
            while tickets := self._known[:BATCH]:
                await self._queue.told(tickets)
                del self._known[: len(tickets)]

    async def _beat(self) -> list[Pairing]:
        """Every ticket lives; the pairings that came of them."""
        found: dict[str, Pairing] = {}
        async with self._in_order:
            matchmaker = list(self._waiting.values())
            for first in range(0, len(matchmaker), BATCH):
                batch = matchmaker[first : first + BATCH]
                answers = await self._queue.beat([seeker.ticket for seeker in batch], self._clock.now_ms())
                for seeker, answer in zip(batch, answers, strict=True):
                    if isinstance(answer, Pairing):
                        found[answer.match] = answer
                    elif answer == "gone" and seeker.ticket.id in self._waiting:
                        self._forget([seeker])
                        seeker.recipient.send(m.Seeking(seek=seeker.request, on=False))
        return list(found.values())

    async def _bring(self, pairing: Pairing, ours: list[Seeker]) -> None:
        session = await self._registry.get(pairing.match)
        if session.seq == 0:
            await self._tables.enter(pairing.match, *(ticket.player.id for ticket in pairing.tickets))
        here = {seeker.ticket.player.id: seeker.recipient for seeker in ours}
        await change(session, meeting.opened(pairing, lambda id_: id_ in here and not here[id_].closed))
        came = [seeker for seeker in ours if not seeker.recipient.closed]
        if any(session.record.seat_of(seeker.ticket.player.id) is None for seeker in came):
            await self._again(pairing, came)  # once in a million years another match has this id
            return
        for seeker in came:
            seeker.recipient.send(m.Matched(match=pairing.match, seek=seeker.request))
            seeker.recipient.follow(session)
            self._matched[seeker.recipient] = seeker.ticket
            meeting.arrive(session, seeker.ticket.player.id)
        if came and meeting.awaited(session.record):
            until_ms = self._clock.now_ms() + round(1000 * NO_SHOW_S)
            self._meetings[pairing.match] = Meeting(pairing, came, until_ms)
        self._registry.forget_later(session)

    async def _poll(self, waiting: Meeting) -> None:
        """Who came plays, or, when the other one does not come, waits again in front of all who came later."""
        session = await self._registry.get(waiting.pairing.match)
        came = [seeker for seeker in waiting.came if not seeker.recipient.closed]
        if self._clock.now_ms() >= waiting.until_ms:
            await change(session, meeting.void)
        else:
            for seeker in came:
                meeting.arrive(session, seeker.ticket.player.id)  # once more: the store may have been away
        if not meeting.awaited(session.record):
            if session.record.cancelled:
                log.info("no_show", match=session.record.id)
                await self._again(waiting.pairing, came)
            del self._meetings[waiting.pairing.match]

    async def _again(self, pairing: Pairing, matchmaker: list[Seeker]) -> None:
        """Tickets whose match came to nothing wait on, since when they did before."""
        since_of = {ticket.id: since for ticket, since in zip(pairing.tickets, pairing.since_ms, strict=True)}
        for seeker in matchmaker:
            old = seeker.ticket
            ticket = msgspec.structs.replace(old, id=_ticket_id(), match=match_ids.drawn(), since_ms=since_of[old.id])
            try:
                found = await self._queue.seek(ticket, self._clock.now_ms(), drop=pairing.match)
            except TooManyPools:
                seeker.recipient.send(m.Seeking(seek=seeker.request, on=False, match=pairing.match))
                continue
            seeker.recipient.send(m.Seeking(seek=seeker.request, on=True, match=pairing.match))
            self._waiting[ticket.id] = seeker._replace(ticket=ticket)
            if found is not None:
                await self.meet(found)

    async def _is_expected(self, recipient: Recipient, pairing: Pairing) -> bool:
        """Whether the match of an earlier pairing waits for this player, who may not know of it."""
        session = await self._registry.get(pairing.match)
        known = recipient.follows(pairing.match) or meeting.has_acted(session, recipient.player.id)
        self._registry.forget_later(session)
        return not session.record.over and not known

    def _new_ticket(self, recipient: Recipient, rules: Rules, seed: str) -> Ticket:
        player = recipient.player
        return Ticket(
            id=_ticket_id(),
            pool=pool_of(rules, player.kind),
            node=self._queue.node,
            player=player,
            rating=START_RATING if player.rating is None else player.rating,
            since_ms=self._clock.now_ms(),
            match=match_ids.drawn(),
            seed=seed,
            rules=rules,
        )

    def _of(self, recipient: Recipient) -> list[Seeker]:
        return [seeker for seeker in self._waiting.values() if seeker.recipient is recipient]

    def _forget(self, matchmaker: Iterable[Seeker]) -> None:
        for seeker in list(matchmaker):
            self._waiting.pop(seeker.ticket.id, None)


def _ticket_id() -> str:
    return secrets.token_hex(8)
