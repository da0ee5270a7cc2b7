"""Acts of our seat, compared with what this program has asked for. No I/O."""

from tavla_engine import actions as a
from tavla_engine.actions import Action, Seat
from tavla_engine.errors import IllegalAction
from tavla_engine.notation import format_play
from tavla_engine.plays import resolve_play
from tavla_engine.position import Play, Position
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_protocol.view import View

LANDING_S = 5.0  # a request of before may land so late, and so may the word that another connection has the seat
STALL_S = 2.0  # of our own: what came meanwhile is yet to be read

# Acts that only a player asks for. Games that begin, and money play that ends, do so by themselves, too.
ACTS: dict[type[Action], tuple[type[m.MatchAction], str]] = {
    a.Roll: (m.Roll, "rolled"),
    a.Double: (m.Double, "doubled"),
    a.Take: (m.Take, "took the double"),
    a.Drop: (m.Drop, "dropped the double"),
    a.Beaver: (m.Beaver, "redoubled"),
    a.Move: (m.Move, "played"),
    a.Resign: (m.Resign, "offered to resign"),
    a.AcceptResignation: (m.Accept, "accepted the resignation"),
    a.RefuseResignation: (m.Refuse, "refused the resignation"),
    a.Forfeit: (m.Forfeit, "forfeited"),
    a.SetAuto: (m.Auto, "changed what is left to the server"),
    a.Abort: (m.Abort, "answered whether the match shall be aborted"),
}


class OwnActs:
    """Requests of this program for acts in a match, and the acts of its seat that a server shows."""

    def __init__(self) -> None:
        self._sent: list[m.MatchAction] = []  # they may still act, as far as is known
        self._excused: tuple[m.MatchAction, str] | None = None  # a request that an act was taken for, and the doubt
        self._played: tuple[int, View, Play] = (0, View(), ())  # our last turn: seq, the view before it, as shown

    def add(self, request: m.MatchAction) -> None:
        """Note a request that is about to be sent."""
        self._sent.append(request)

    def on_refused(self, request: m.MatchAction, code: str) -> str:
        """Note that a request will not act. Returns: the doubt of an act that was taken for it; "" = none."""
        if code == ErrorCode.UNAVAILABLE:
            return ""  # it may be in the journal all the same
        self._forget(request)
        excused, self._excused = self._excused, None
        return excused[1] if excused is not None and excused[0] is request else ""

    def on_ok(self, request: m.MatchAction, seq: int | None) -> str:
        """Note that a request has acted, and that its update was seen. Returns: how it was changed; "" = not so."""
        self._forget(request)
        shown_seq, before, shown = self._played
        if not isinstance(request, m.Move) or seq != shown_seq:
            return ""
        rows = before.row(before.turn), before.row(1 - before.turn)
        dice, hit_and_run = (before.dice[0], before.dice[1]), bool(before.rules.get("hit_and_run", True))
        try:
            asked, done = (resolve_play(rows, dice, moves, hit_and_run)[1] for moves in (request.moves, shown))
            if asked == done:
                return ""
        except IllegalAction:
            return ""  # by the rules of another version
        sent, other = (format_play(Position(*rows), moves) for moves in (request.moves, shown))
        shows = f"it shows {other}, and {sent} was sent; save the match"
        return f"the server took another play than this program sent: {shows}"

    def on_act(self, acted: Action | None, seat: Seat | None, before: View, seq: int) -> str:
        """Compare what has led to a version with what was asked for. Returns: a doubt, as a sentence; "" = none.

        before: the view before it.
        """
        if acted is None or acted.seat != seat or type(acted) not in ACTS:
            return ""
        if isinstance(acted, a.Move):
            self._played = seq, before, acted.moves
        kind, did = ACTS[type(acted)]
        doubt = (
            f"{('white', 'black')[acted.seat]} {did} in your name; this program did not ask for it. If you also play"
            " elsewhere, it may have been you. If not, somebody with your login or the server did it: change your"
            " password, if you have one"
        )
        request = next((one for one in self._sent if type(one) is kind), None)
        if request is None:
            return doubt
        self._forget(request)
        self._excused = request, doubt
        return ""

    def _forget(self, request: m.MatchAction) -> None:
        self._sent = [one for one in self._sent if one is not request]
