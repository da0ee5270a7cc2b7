"""Oddities in what a server does: each may have an honest cause, so it is told, and play goes on."""

from collections.abc import Callable
from typing import Any

from tavla_engine import actions as a
from tavla_engine.errors import Reason
from tavla_engine.events import Ending
from tavla_protocol import messages as m
from tavla_protocol.view import View

from tavla_client.clock import TimeLeft

SLACK_S = 3.0  # the clocks of two machines, and the way of a message

# Those whose refusal can be judged; views do not show until when a match may be aborted.
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
    m.Auto: lambda seat, request: a.SetAuto(seat, a.Auto(request.what), request.on),
}
REASONS = frozenset(Reason)
REFUSED = "by the rules that this program knows you may: perhaps one of the two is older"


def odd_end(view: View, seat: int | None, left: TimeLeft | None, steady_s: float, absence_s: float) -> str:
    """Oddity of the end of a match that we have lost, as a sentence; "" = none.

    left: our time when the end came, by our own clock, None = unknown. steady_s: for so long the server has answered
    each of our pings in time, and has known that we play. absence_s: a player may be away for so long.
    """
    winner, _, _, ending = view.outcome or (None, 0, 0, "")
    if seat is None or winner != 1 - seat:
        return ""
    if ending == Ending.TIME and left is not None and left.free + left.reserve > SLACK_S:
        minutes, seconds = divmod(int(left.free + left.reserve), 60)
        return f"by your clock {minutes}:{seconds:02} were left when the server ended the match on time"
    if ending == Ending.ABANDONED and steady_s > absence_s + SLACK_S:
        return f"the server says that you were away; it has answered this program all the time, for {steady_s:.0f} s"
    return ""
