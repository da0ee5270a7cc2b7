"""The start of a match that quick match has made: the table, with both players at it."""

import secrets
from collections.abc import Callable

from tavla_engine import actions as a

from tavla_server.features.quick_match.match_queue import Pairing
from tavla_server.match.lifecycle import sitting, with_terms
from tavla_server.record.decider import Decide, engine_decide
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Created, Event, Met
from tavla_server.record.state import Record, apply_all


def opening_of(pairing: Pairing, is_here: Callable[[str], bool], met: int = 0) -> Decide:
    """The table of a pairing, with both players at it. Opening it again does nothing.

    is_here: whether a player, by id, has a connection on this node, and so is ready. met: as in `Met`.
    """
    white = secrets.randbelow(2)
    seats = pairing.tickets[white], pairing.tickets[1 - white]
    created = Created(pairing.match, seats[0].rules, secrets.token_bytes(32))

    def decide(record: Record, dice: MatchDice) -> tuple[list[Event], Record]:
        if record.name:
            return [], record
        seated = [sitting(seat, ticket.player, ticket.commitment) for seat, ticket in enumerate(seats)]
        opened: list[Event] = [created, *seated, *([Met(met)] if met else [])]
        events, record = with_terms(opened, apply_all(record, opened))
        ready = [a.Ready(seat) for seat in (0, 1) if is_here(seats[seat].player.id)]
        started, record = engine_decide(*ready)(record, dice)
        return [*events, *started], record

    return decide
