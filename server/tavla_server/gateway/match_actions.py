"""Actions in a match. From the frame to the journal there is no await."""

from collections.abc import Callable
from typing import Any

from tavla_engine import actions as a
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.gateway.connection import Connection
from tavla_server.match.command import OTHER_EPOCH, MatchCommand
from tavla_server.match.lifecycle import reveal
from tavla_server.match.session import Session
from tavla_server.player import Player
from tavla_server.record.decider import Decide, engine_decide
from tavla_server.telemetry import trace

ACTIONS: dict[type[m.MatchAction], Callable[[a.Seat, Any], Decide]] = {
    m.Reveal: lambda seat, request: reveal(seat, request.seed, request.binding),
    m.Ready: lambda seat, _: engine_decide(a.Ready(seat)),
    m.Roll: lambda seat, _: engine_decide(a.Roll(seat)),
    m.Double: lambda seat, _: engine_decide(a.Double(seat)),
    m.Take: lambda seat, _: engine_decide(a.Take(seat)),
    m.Drop: lambda seat, _: engine_decide(a.Drop(seat)),
    m.Beaver: lambda seat, _: engine_decide(a.Beaver(seat)),
    m.Move: lambda seat, request: engine_decide(a.Move(seat, request.moves)),
    m.Resign: lambda seat, request: engine_decide(a.Resign(seat, request.value)),
    m.Accept: lambda seat, _: engine_decide(a.AcceptResignation(seat)),
    m.Refuse: lambda seat, _: engine_decide(a.RefuseResignation(seat)),
    m.Forfeit: lambda seat, _: engine_decide(a.Forfeit(seat)),
    m.Leave: lambda seat, _: engine_decide(a.Leave(seat)),
    m.Abort: lambda seat, request: engine_decide(a.Abort(seat, request.on)),
    m.Auto: lambda seat, request: engine_decide(a.SetAuto(seat, a.Auto(request.what), request.on)),
}
# Actions not bound to a turn mean the same at any version: two players may be ready at the same moment.
AT_ANY_VERSION = frozenset({m.Reveal, m.Ready, m.Resign, m.Forfeit, m.Leave, m.Claim, m.Abort, m.Auto})


def act(connection: Connection, request: m.MatchAction) -> None:
    """Ask the session for an action; it answers."""
    outbox, kind = connection.outbox, type(request)
    player = outbox.player
    if trace.on:
        trace.begin(request.match, player.id, request.id, kind.__name__)
    try:
        session = connection.core.registry.live[request.match]  # a seated player follows it
        seat = session.seats.holders.index(outbox)
    except (KeyError, ValueError):
        followed = connection.following.of(request.match)
        own = None if followed is None else followed.record.seat_of(player.id)
        if followed is None or own is None or kind is not m.Reveal:  # any device may hold the seed
            connection.refuse_action(request, *_why_not(followed, player))
            return
        session, seat = followed, own
    decide = session.claims.decision(seat) if kind is m.Claim else ACTIONS[kind](seat, request)
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
