"""The match that a view shows, for the engine. No I/O."""

from typing import Any

from tavla_engine.events import Ending
from tavla_engine.match import Cube, Match, Offer, Outcome, Phase, Resignation, Turn
from tavla_engine.rules import Rules, valid_rules
from tavla_protocol.view import View

BEFORE_DICE = ("open", "reveal")


def match_of(view: View, rules: Rules | None = None) -> Match:
    """The match that a view shows, as far as it tells. A raccoon that waits for an answer looks as a double.

    rules: the view's; by default as far as this version knows them. Raises: ValueError, for what no match can show.
    """
    if rules is None:
        known: dict[str, Any] = {name: value for name, value in view.rules.items() if name in Rules._fields}
        rules = valid_rules(Rules(**known))
    near = bool(rules.length) and max(view.score) == rules.length - 1
    waits = Phase.MOVE if view.dice else Phase.ROLL if view.offer is None else Phase.CUBE
    turned = view.owner is not None or (view.cube > 1 and not rules.automatic_doubles)
    return Match(
        rules,
        phase=Phase.READY if view.phase in BEFORE_DICE else Phase(view.phase),
        score=view.score,
        game=view.game,
        crawford=view.crawford,
        crawford_done=view.crawford or (near and not _just_came_near(view, rules.length)),
        board=(view.row(0), view.row(1)),
        turn=view.turn,
        dice=(view.dice[0], view.dice[1]) if view.dice else None,
        cube=Cube(view.cube, view.owner, turned),
        offer=None if view.offer is None else Offer(view.offer, 1 - view.turn, int(view.offer != view.turn)),
        resignation=view.resignation and Resignation(*view.resignation, waits),
        ready=view.ready,
        auto_roll=view.auto_roll,
        auto_play=view.auto_play,
        rolls=view.rolls,
        last=tuple(turn_of(turn) for turn in view.last),
        outcome=view.outcome and Outcome(*view.outcome[:3], Ending(view.outcome[3])),
        opened=view.rolls,
        aborts=view.aborts,
    )


def _just_came_near(view: View, length: int) -> bool:
    """True if the last game was the first to bring a player within a point of the match: the Crawford game is next."""
    winner, points, *_ = view.outcome or (None, 0)
    if view.phase != "ready" or winner is None or not points:
        return False
    return max(view.score[winner] - points, view.score[1 - winner]) < length - 1


def turn_of(turn: tuple[int, ...]) -> Turn:
    """A turn as `last` of a view has it."""
    seat, one, two, *points = turn
    return Turn(seat, (one, two), tuple(zip(points[::2], points[1::2], strict=True)))
