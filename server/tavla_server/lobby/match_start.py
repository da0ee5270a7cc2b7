"""The first moments of a match that quick match has made: opened, both players there, or void because one is not."""

import secrets
from collections.abc import Callable

from msgspec.structs import replace
from tavla_engine import actions as a
from tavla_engine.actions import Seat
from tavla_engine.match import Phase

from tavla_server.lobby.match_queue import Pairing, Ticket
from tavla_server.match.command import Command
from tavla_server.match.session import Session
from tavla_server.record.decider import Decide, engine_decide
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Cancelled, Created, Event, Seated
from tavla_server.record.state import Record, apply_all


def opened(pairing: Pairing, is_here: Callable[[str], bool]) -> Decide:
    """The table of a pairing, with both players at it. Opening it again does nothing.

    is_here: whether a player, by id, has a connection on this node, and so is ready.
    """
    white = secrets.randbelow(2)
    seats = pairing.tickets[white], pairing.tickets[1 - white]
    created = Created(pairing.match, seats[0].rules, secrets.token_bytes(32))

    def decide(record: Record, dice: MatchDice) -> tuple[list[Event], Record]:
        if record.name:
            return [], record
        events: list[Event] = [created, *(_seated(seat, seats[seat]) for seat in (0, 1))]
        ready = [a.Ready(seat) for seat in (0, 1) if is_here(seats[seat].player.id)]
        started, record = engine_decide(*ready)(apply_all(record, events), dice)
        return [*events, *started], record

    return decide


def _seated(seat: Seat, ticket: Ticket) -> Seated:
    return Seated(seat, ticket.player, commitment=ticket.commitment)


def void(record: Record, _: MatchDice) -> tuple[list[Event], Record]:
    """Cancel a match whose player did not come. A player who still owes a seed counts as present."""
    if record.over or record.match.game or record.unrevealed:
        return [], record
    return [Cancelled()], replace(record, cancelled=True)


def awaited(record: Record) -> list[Seat]:
    """The seats of those who have not come to the first game yet."""
    if record.open or record.over or record.match.game or record.match.phase is not Phase.READY:
        return []
    return [seat for seat in (0, 1) if not record.match.ready[seat]]


def arrive(session: Session, player: str) -> None:
    """A player is attached to the match: if it waits for that, the player is ready."""
    seat = session.record.seat_of(player)
    if seat is not None and seat in awaited(session.record):
        session.submit(Command.from_server(engine_decide(a.Ready(seat))))


def has_acted(session: Session, player: str) -> bool:
    """True if a player has done anything in this match, as far as this node remembers: then it was seen."""
    return session.history.has_acted(player)
