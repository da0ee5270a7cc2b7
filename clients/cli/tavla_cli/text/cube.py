"""Uses of the cube that are left in a game, from a view. Pure; the server decides."""

from tavla_protocol.view import View


def lives(view: View) -> bool:
    """True if anybody may still turn it in this game.

    Source: tavla_engine.match.no_double, which says it of one seat at this moment.
    """
    if not view.rules.get("cube", True) or view.crawford or 2 * view.cube > _limit(view):
        return False
    length = int(view.rules.get("length", 0))
    owners = (0, 1) if view.owner is None else (view.owner,)
    return not length or any(view.cube < length - view.score[seat] for seat in owners)


def may_beaver(view: View) -> bool:
    """True if the offered cube may be turned once more by who takes it.

    A view does not say how many beavers there were, but whose turn it is: an odd number when the offer is the other's.
    """
    most = int(view.rules.get("beavers", 0))
    if view.offer is None or 4 * view.cube > _limit(view):
        return False
    return most > 1 or (most == 1 and view.offer == view.turn)


def _limit(view: View) -> int | float:
    return int(view.rules.get("cube_cap", 0)) or float("inf")
