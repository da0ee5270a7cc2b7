"""A whole match again as events, from the views that a client saw of it: for `.mat` files. Pure.

A view does not say what was done, only what came of it. But when a match is over its dice are known, and the rules say
what each action leads to; so the action is the one that leads from one view to the next.
"""

from collections.abc import Iterator, Sequence

from tavla_engine import actions as a
from tavla_engine.actions import Action, Seat
from tavla_engine.decide import decide
from tavla_engine.dice import Roller, committed_dice
from tavla_engine.errors import IllegalAction
from tavla_engine.events import Event
from tavla_engine.mat import export_mat
from tavla_engine.match import Match, new_match
from tavla_engine.rules import Rules, checked
from tavla_protocol.view import View

_SEATS: tuple[Seat, Seat] = (0, 1)


class CannotReplay(ValueError):
    """The views do not follow from each other, or some are missing."""


def mat_of(match_id: str, views: Sequence[View]) -> str:
    """A match that is over, as `.mat`. views: every version that there was, in order.

    A match that ended by the clock or was claimed is written up to that moment. Raises: CannotReplay.
    """
    last = views[-1]
    if not last.seed:
        raise CannotReplay("the match is not over: its dice are not known yet")
    rules = checked(Rules(**last.rules))  # type: ignore[arg-type] # `checked` makes them of the right types
    roll = committed_dice(bytes.fromhex(last.seed), match_id, last.seeds)
    names = (last.players[0] or "?", last.players[1] or "?")
    return export_mat(names, new_match(rules), _events(new_match(rules), views, roll), {"Match": match_id})


def _events(match: Match, views: Sequence[View], roll: Roller) -> list[Event]:
    events: list[Event] = []
    for view in views:
        if view.phase in ("open", "reveal") or _shows(view, match):
            continue
        if view.outcome and view.outcome[3] in ("time", "abandoned"):
            break
        following, match = _step(match, view, roll)
        events += following
    return events


def _step(match: Match, view: View, roll: Roller) -> tuple[list[Event], Match]:
    """What leads to the next view."""
    for actions in _candidates(view):
        events: list[Event] = []
        after = match
        try:
            for action in actions:
                following, after = decide(after, action, roll)
                events += following
        except IllegalAction:
            continue
        if _shows(view, after):
            return events, after
    raise CannotReplay(f"nothing leads to what was seen in game {view.game} after {view.rolls} rolls")


def _candidates(view: View) -> Iterator[tuple[Action, ...]]:
    """What may have been done just before a view, the most likely first. One update may show both players ready."""
    if view.last:
        seat, _, _, *points = view.last[0]
        yield (a.Move(seat, tuple(zip(points[::2], points[1::2], strict=True))),)
    for seat in _SEATS:
        for kind in (a.Roll, a.Double, a.Take, a.Drop, a.Ready, a.AcceptResignation, a.RefuseResignation, a.Beaver):
            yield (kind(seat),)
    yield a.Ready(0), a.Ready(1)
    for seat in _SEATS:
        yield from ((a.Resign(seat, value),) for value in (1, 2, 3))
        yield from ((a.SetAuto(seat, auto, on),) for auto in a.Auto for on in (True, False))
        yield from ((a.Forfeit(seat),), (a.Leave(seat),))


def _shows(view: View, match: Match) -> bool:
    """Whether this is the state that a view shows."""
    return (
        view.phase == match.phase.value
        and view.points == match.board[0] + match.board[1]
        and (view.rolls, view.game, view.score, view.cube) == (match.rolls, match.game, match.score, match.cube.value)
        and (view.owner, view.ready) == (match.cube.owner, match.ready)
        and view.offer == (match.offer and match.offer.seat)
        and view.resignation == (match.resignation and (match.resignation.seat, match.resignation.value))
        and (view.auto_roll, view.auto_play) == (match.auto_roll, match.auto_play)
    )
