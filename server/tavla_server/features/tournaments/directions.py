"""Directions for a tournament as a whole: it is called otherwise, or called off. Pure."""

from tavla_engine.errors import Reason
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.features.tournaments.decider import Decide, extension
from tavla_server.features.tournaments.events import Event, Retitled
from tavla_server.features.tournaments.formats.rounds import OVER
from tavla_server.features.tournaments.state import Tournament

SECOND_MS = 1000  # clients are told seconds
CANCELLED = "the director has cancelled this tournament"


def retitling(name: str) -> Decide:
    """The tournament gets another name."""

    def decide(state: Tournament, now_ms: int) -> list[Event]:
        if state.closed_ms or state.opened is None:
            raise Refused(ErrorCode.TOURNAMENT_OVER, OVER)
        return [] if state.plan.name == name else [Retitled(name)]

    return decide


def cancellation(state: Tournament, now_ms: int) -> list[Event]:
    """The tournament is called off. Raises: Refused, when a match was made."""
    if state.pairs:
        raise Refused(Reason.WRONG_PHASE, "matches have begun: end it instead, and those that are played count")
    return [] if state.cancelled else extension(min(now_ms, state.plan.starts_ms - SECOND_MS))(state, now_ms)
