"""Actions in a match. From the frame to the journal there is no await."""

from collections.abc import Callable
from typing import Any

from tavla_engine import actions as a
from tavla_engine.match import EITHER_SEAT
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.gateway.connection import Connection
from tavla_server.match.commands import Command, engine_decide
from tavla_server.match.lifecycle import revealed

ACTIONS: dict[type[m.MatchAction], Callable[[a.Seat, Any], a.Action]] = {
    m.Ready: lambda seat, _: a.Ready(seat),
    m.Roll: lambda seat, _: a.Roll(seat),
    m.Double: lambda seat, _: a.Double(seat),
    m.Take: lambda seat, _: a.Take(seat),
    m.Drop: lambda seat, _: a.Drop(seat),
    m.Beaver: lambda seat, _: a.Beaver(seat),
    m.Move: lambda seat, request: a.Move(seat, request.moves),
    m.Resign: lambda seat, request: a.Resign(seat, request.value),
    m.Accept: lambda seat, _: a.AcceptResignation(seat),
    m.Refuse: lambda seat, _: a.RefuseResignation(seat),
    m.Forfeit: lambda seat, _: a.Forfeit(seat),
    m.Leave: lambda seat, _: a.Leave(seat),
    m.Abort: lambda seat, request: a.Abort(seat, request.on),
    m.Auto: lambda seat, request: a.SetAuto(seat, a.Auto(request.what), request.on),
}


def act(connection: Connection, request: m.MatchAction) -> None:
    """Ask the session for an action; it answers.

    Raises: Refused.
    """
    outbox = connection.outbox
    session, player = connection.followed.get(request.match), outbox.player
    if session is None and not player.id:
        raise Refused(ErrorCode.HELLO_FIRST, "say hello first")
    if session is None:
        raise Refused(ErrorCode.NOT_ATTACHED, "attach to this match first")
    seat = session.subscribers.seats.held_by(outbox)
    if seat is None:
        watches = session.record.seat_of(player.id) is None
        text = "you only watch this match" if watches else "you play this match on another connection"
        raise Refused(ErrorCode.NOT_SEATED, text)
    lag_ms = 0 if session.record.clock.seat is None else outbox.lag_ms
    make = ACTIONS.get(type(request))
    if make is None:
        decide = revealed(seat, request.seed) if isinstance(request, m.Reveal) else session.timers.claim(seat)
        session.submit(Command(player.id, request.id, None, decide, outbox, lag_ms))
        return
    action = make(seat, request)
    # What is not bound to a turn means the same at any version: two players may be ready at the same moment.
    seq = None if type(action) in EITHER_SEAT else request.seq
    session.submit(Command(player.id, request.id, seq, engine_decide(action), outbox, lag_ms))
