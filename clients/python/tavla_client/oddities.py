"""Oddities in what a server does: each may have an honest cause, so it is told, and play goes on."""

from tavla_engine.errors import Reason
from tavla_engine.events import Ending
from tavla_protocol.view import View

from tavla_client.clock import TimeLeft

SLACK_S = 3.0  # the clocks of two machines, and the way of a message

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
