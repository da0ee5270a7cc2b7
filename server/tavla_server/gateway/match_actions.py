"""Actions in a match. From the frame to the journal there is no await."""

from tavla_protocol import messages as m
from tavla_protocol.actions import ENGINE_ACTIONS
from tavla_protocol.codes import ErrorCode

from tavla_server.gateway.connection import Connection
from tavla_server.match.command import OTHER_EPOCH, MatchCommand
from tavla_server.match.lifecycle import reveal
from tavla_server.match.session import Session
from tavla_server.player import Player
from tavla_server.record.decider import engine_decide
from tavla_server.telemetry import trace

# Actions not bound to a turn mean the same at any version: two players may be ready at the same moment.
AT_ANY_VERSION = frozenset({m.Reveal, m.Ready, m.Resign, m.Forfeit, m.Leave, m.Claim, m.Abort, m.Auto})


def act(connection: Connection, request: m.MatchAction) -> None:
    """Ask the session for an action; it answers."""
    outbox, kind = connection.outbox, type(request)
    player = outbox.player
    if trace.on:
        trace.begin(request.match, player.id, request.id, kind.__name__)
    try:
        session = connection.sessions[request.match]  # a seated player follows it
        seat = session.seats.holders.index(outbox)
    except (KeyError, ValueError):
        followed = connection.following.of(request.match)
        own = None if followed is None else followed.record.seat_of(player.id)
        if followed is None or own is None or kind is not m.Reveal:  # any device may hold the seed
            connection.refuse_action(request, *_why_not(followed, player))
            return
        session, seat = followed, own
    try:
        decide = engine_decide(ENGINE_ACTIONS[kind](seat, request))
    except KeyError:  # of no action of the engine
        if isinstance(request, m.Reveal):
            decide = reveal(seat, request.seed, request.binding)
        else:
            decide = session.claims.decision(seat)
    record = session.record
    seq = None if kind in AT_ANY_VERSION else request.seq if request.epoch == record.epoch else OTHER_EPOCH
    lag_ms = 0 if record.clock.seat is None else outbox.lag_ms
    session.submit(MatchCommand(player.id, request.id, seq, decide, outbox, lag_ms))


def _why_not(session: Session | None, player: Player) -> tuple[ErrorCode, str]:
    """Why an action comes to no session, or to none where the connection has a seat."""
    if session is None and not player.id:
        return ErrorCode.HELLO_FIRST, "say hello first"
    if session is None:
        return ErrorCode.NOT_ATTACHED, "attach to this match first"
    watches = session.record.seat_of(player.id) is None
    return ErrorCode.NOT_SEATED, "you only watch this match" if watches else "you play this match on another connection"
