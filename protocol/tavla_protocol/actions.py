"""Actions in a match, which are most of what a server reads, and those of the engine that they ask for."""

from collections.abc import Callable
from typing import Any

import msgspec
from tavla_engine import actions as a

from tavla_protocol import messages as m
from tavla_protocol.messages import MatchAction, PlayerAction

# What each asks of the engine, by the seat and the request; the others are decided by the server.
ENGINE_ACTIONS: dict[type[MatchAction], Callable[[a.Seat, Any], a.Action]] = {
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
_actions: msgspec.msgpack.Decoder[MatchAction] = msgspec.msgpack.Decoder(PlayerAction)


def decode_action(frame: bytes) -> MatchAction | None:
    """An action in a match, as `codec.decode_request` gives it, at a fifth of the cost; None for all else."""
    try:
        return _actions.decode(frame)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
