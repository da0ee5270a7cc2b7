"""Open tables that are what a seeker waits for."""

from collections.abc import Iterable, Mapping

from tavla_engine.rules import Rules

from tavla_server.errors import Refused, StoreUnavailable
from tavla_server.features.quick_match.local_tickets import LocalTicket
from tavla_server.features.quick_match.match_queue import BAND, BAND_PER_S, OPEN_S, MatchQueue, Pairing, Ticket
from tavla_server.features.tables.tables import Note, Tables
from tavla_server.gateway.core import Core
from tavla_server.match.lifecycle import joining, submit_and_wait
from tavla_server.match.session import Session
from tavla_server.record.projection import changed_options
from tavla_server.record.rating import START_RATING

TRIED_MS = 2000  # a table at which a seeker was seated, or could not be, is left alone so long: rows lag behind
TRIED_KEPT = 1000  # tables that are remembered as such


class OpenTables:
    """Finds such a table, and takes its free seat."""

    def __init__(self, core: Core, queue: MatchQueue, tables: Tables) -> None:
        self._queue, self._tables, self._registry, self._clock = queue, tables, core.registry, core.clock
        self._recently_tried: dict[str, int] = {}  # by match: until when

    async def pairing(self, ticket: Ticket) -> Pairing | None:
        """The pairing of a ticket with an open table, from which on it waits no longer; None if none fits."""
        now = self._clock.now_ms()
        for match, note in self._tables.rows.open():
            if not now <= self._recently_tried.get(match, 0) <= now + TRIED_MS and fits(ticket, note, now):
                if await self._tables.are_apart(note.players[0], ticket.player.id):
                    continue
                self._recently_tried[match] = now + TRIED_MS
                pairing = await self._queue.leave_for_table(ticket, match, note.players[0], now)
                if pairing != "apart":
                    return None if pairing == "gone" else pairing
        if len(self._recently_tried) > TRIED_KEPT:
            self._recently_tried = {match: until for match, until in self._recently_tried.items() if until > now}
        return None

    async def sit_down(self, session: Session, ours: Iterable[LocalTicket]) -> None:
        """Take the free seat, if the maker is there and no other player was first."""
        for held in ours:
            player = held.ticket.player
            if held.recipient.closed or not session.record.open or session.record.seat_of(player.id) is not None:
                continue
            await self._registry.prepare(session, session.seq)
            record = session.record
            if record.open and session.seats.online(1 - record.players.index(None)):
                (maker,) = filter(None, record.players)
                met = await self._tables.meetings.count(record.id, record.match.rules, maker.id, player.id)
                await self._tables.played.add(player.id, record.id)
                session.attendance.reserve_seat(held.recipient.outbox)
                try:
                    await submit_and_wait(session, joining(player, held.ticket.commitment, met))
                except (Refused, StoreUnavailable):
                    session.attendance.release_seat(held.recipient.outbox)
                    await self._tables.played.remove(player.id, record.id)


def fits(ticket: Ticket, note: Note, now_ms: int) -> bool:
    """True if an open table is what a ticket waits for: the same rules, and a maker who is there and near enough."""
    table = note.table
    if table is None or not note.open or not note.listed or any(note.away):
        return False
    if table.opponent != "person" or ticket.player.id in note.players or not _same_rules(ticket.rules, table.rules):
        return False
    seat = 0 if table.players[1] is None else 1
    if not ticket.rules.rated:
        return True
    rating, waited_ms = table.ratings[seat] or START_RATING, now_ms - ticket.since_ms
    near = waited_ms >= 1000 * OPEN_S or abs(rating - ticket.rating) < BAND + BAND_PER_S * waited_ms / 1000
    return near and (table.kinds[seat] == "bot") == (ticket.player.kind == "bot")


def _same_rules(rules: Rules, changed: Mapping[str, object]) -> bool:
    """True if a table has these rules; hints are a help for both, where the result does not count."""
    ours = changed_options(rules)
    if rules.rated:
        return ours == changed
    return {**ours, "hints": True} == {**changed, "hints": True}
