"""How a table comes to be, fills and closes: what is decided, whoever asks for it."""

import secrets

from tavla_engine import actions as a
from tavla_engine.rules import Rules
from tavla_protocol.codes import ErrorCode

from tavla_server.ask import Decide, Refused, engine_decide
from tavla_server.record import Cancelled, Created, Event, Player, Record, Seated, Terms, apply_all


def opened(name: str, rules: Rules, terms: Terms, *seated: Seated) -> Decide:
    """A table is opened with someone on a seat, or with both players: then the match begins at once."""
    created = Created(name, rules, secrets.token_bytes(32), terms)

    def decide(record: Record) -> tuple[list[Event], Record]:
        if record.name:
            raise Refused(ErrorCode.NAME_TAKEN, "this match id is in use: send the request again with another id")
        events: list[Event] = [created, *seated]
        return _begun(events, apply_all(record, events))

    return decide


def joined(player: Player, seed: str) -> Decide:
    """Someone takes the free seat; the match begins at once."""

    def decide(record: Record) -> tuple[list[Event], Record]:
        if record.seat_of(player.id) is not None:
            return [], record
        if not record.open:
            raise Refused(ErrorCode.TABLE_FULL, "this table has no free seat: you can watch it")
        seated = Seated(record.players.index(None), player, seed)
        return _begun([seated], apply_all(record, (seated,)))

    return decide


def cancelled(record: Record) -> tuple[list[Event], Record]:
    """A table is closed before anyone joined it."""
    if record.cancelled:
        return [], record
    if not record.open:
        raise Refused(ErrorCode.TABLE_FULL, "your opponent has sat down: you may forfeit the match")
    return [Cancelled()], record._replace(cancelled=True)


def _begun(events: list[Event], record: Record) -> tuple[list[Event], Record]:
    if record.open:
        return events, record
    more, record = engine_decide(a.Ready(0), a.Ready(1))(record)
    return [*events, *more], record
