"""The arrival of players at a match that was opened for them: ready when they come, void if one does not."""

from msgspec.structs import replace
from tavla_engine import actions as a
from tavla_engine.actions import Seat
from tavla_engine.match import Phase

from tavla_server.match.command import MatchCommand
from tavla_server.match.session import Session
from tavla_server.record.decider import engine_decide
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Cancelled, Event
from tavla_server.record.state import Record


def void(record: Record, _: MatchDice) -> tuple[list[Event], Record]:
    """Cancel a match whose player did not come. A player who still owes a seed counts as present."""
    if record.over or record.match.game or record.missing_seeds:
        return [], record
    return [Cancelled()], replace(record, cancelled=True)


def missing_seats(record: Record) -> list[Seat]:
    """The seats of those who have not come to the first game yet."""
    if record.open or record.over or record.match.game or record.match.phase is not Phase.READY:
        return []
    return [seat for seat in (0, 1) if not record.match.ready[seat]]


def arrive(session: Session, player: str) -> None:
    """A player is attached to the match: if it waits for that, the player is ready."""
    seat = session.record.seat_of(player)
    if seat is not None and seat in missing_seats(session.record):
        session.submit(MatchCommand.from_server(engine_decide(a.Ready(seat))))
