"""A position as other programs read it: GNU Backgammon's Position ID and Match ID, and the XGID. Pure."""

from tavla_engine.events import Ending
from tavla_engine.gnuid import gnu_id
from tavla_engine.match import Cube, Match, Offer, Outcome, Phase, Resignation
from tavla_engine.rules import Rules, checked
from tavla_engine.xgid import xgid
from tavla_protocol.view import View

_NO_DICE_YET = {"open", "reveal"}


def id_lines(match: Match) -> list[str]:
    """Both as lines that can be pasted: `set gnubgid ...` and `set xgid ...` of GNU Backgammon take what is after the
    words."""
    try:
        gnu = f"GNU ID {gnu_id(match)}"
    except ValueError as error:
        gnu = f"no GNU ID: {error}"
    return [gnu, xgid(match)]


def match_of(view: View) -> Match:
    """The match that a view shows, as far as IDs tell of it. A raccoon that waits for an answer looks as a double."""
    rules = checked(Rules(**view.rules))  # type: ignore[arg-type] # `checked` makes them of the right types
    near = bool(rules.length) and max(view.score) == rules.length - 1
    return Match(
        rules,
        phase=Phase.READY if view.phase in _NO_DICE_YET else Phase(view.phase),
        score=view.score,
        game=view.game,
        crawford=view.crawford,
        crawford_done=near and not view.crawford and not _just_came_near(view, rules.length),
        board=(view.row(0), view.row(1)),
        turn=view.turn,
        dice=(view.dice[0], view.dice[1]) if view.dice else None,
        cube=Cube(view.cube, view.owner, view.owner is not None),
        offer=None if view.offer is None else Offer(view.offer, 1 - view.turn, int(view.offer != view.turn)),
        resignation=view.resignation and Resignation(*view.resignation, Phase.MOVE if view.dice else Phase.ROLL),
        outcome=view.outcome and Outcome(*view.outcome[:3], Ending(view.outcome[3])),
    )


def _just_came_near(view: View, length: int) -> bool:
    """Whether the last game brought its winner within a point of the match: the next one is the Crawford game."""
    winner, points, *_ = view.outcome or (None, 0)
    return view.phase == "ready" and winner is not None and points > 0 and view.score[winner] == length - 1
