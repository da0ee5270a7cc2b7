"""Decisions on players of a tournament who are called otherwise, become others, or are forgotten. Pure."""

import itertools
import re

from tavla_engine.terms import SOMEONE

from tavla_server.features.tournaments.decider import decision
from tavla_server.features.tournaments.events import Event, Left, Renamed
from tavla_server.features.tournaments.state import Tournament
from tavla_server.player import Player


def is_someone(name: str) -> bool:
    """True if a name stands for a player whose account was closed."""
    return re.fullmatch(rf"{SOMEONE}(-\d+)?", name) is not None


@decision
def anonymity(state: Tournament, now_ms: int, player: str) -> list[Event]:
    """A player's account was closed: to all others it is `someone`, or `someone-2`."""
    known = _named(state, player)
    if known is None or is_someone(known.name):
        return []
    taken = {entrant.player.name for entrant in state.entrants.values()}
    names = (SOMEONE if number == 1 else f"{SOMEONE}-{number}" for number in itertools.count(1))
    return [Renamed(player, known._replace(name=next(name for name in names if name not in taken)))]


@decision
def merge(state: Tournament, now_ms: int, player: str, into: Player) -> list[Event]:
    """A player has become another one, or is called otherwise. Of one who was in it as both, the old one leaves it."""
    known = _named(state, player)
    if known is None or known[:3] == into[:3]:
        return []
    is_two = player != into.id and into.id in state.entrants and player in state.entrants
    by_both = state.plan.by.id == player
    gone = [Left(player)] if is_two and not state.entrants[player].gone else []
    return [*gone, Renamed(player, into)] if by_both or not is_two else [*gone]


def _named(state: Tournament, player: str) -> Player | None:
    """A player who is in the tournament, has made it, or has decided something of it."""
    if player in state.entrants:
        return state.entrants[player].player
    others = [state.plan.by, *(ruling.directed.by for ruling in state.rulings)]
    return next((one for one in others if one is not None and one.id == player), None)
