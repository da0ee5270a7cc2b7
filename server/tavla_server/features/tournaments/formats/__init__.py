"""Formats of tournaments: who plays whom, who is still in it, who is ahead; by the journal alone. Pure."""

from typing import Protocol

from tavla_server.features.tournaments.events import Paired
from tavla_server.features.tournaments.formats import arena, knock_out, round_robin, swiss
from tavla_server.features.tournaments.state import Entrant, Tournament, by_performance
from tavla_server.features.tournaments.waiting import Question


class Format(Protocol):
    """A format, which is a module.

    MOST: players that it takes, if not the server takes fewer.
    """

    MOST: int

    def rounds(self, players: int, wanted: int) -> int:
        """Number of rounds for so many players. wanted: 0 = as many as there are to be."""

    def refusal(self, state: Tournament, player: str, now_ms: int) -> str:
        """The reason why there is no more match for a player; "" = there may be one."""

    def pairing(self, state: Tournament, waiting: list[Entrant], now_ms: int) -> Question | list[Paired]:
        """Pairs of waiting players, or the question to the process that pairs; [] = no player can play."""

    def ranks(self, state: Tournament, entrant: Entrant) -> tuple[int, ...]:
        """Points, and what tells those apart that have as many: the highest are the first."""


FORMATS: dict[str, Format] = {"arena": arena, "swiss": swiss, "round-robin": round_robin, "knock-out": knock_out}


def format_of(state: Tournament) -> Format:
    """The format of a tournament that was made."""
    return FORMATS[state.plan.format]


Place = tuple[tuple[int, ...], tuple[float, float], str]


def place_of(state: Tournament, entrant: Entrant) -> Place:
    """The place of a player among all, the first first: by ranks, then performance, then the rating that came."""
    ranks = format_of(state).ranks(state, entrant)
    return tuple(-rank for rank in ranks), by_performance(entrant), entrant.player.id


def standings(state: Tournament) -> list[Entrant]:
    """All players, the first first."""
    there = (entrant for entrant in state.entrants.values() if entrant.plays)
    return sorted(there, key=lambda entrant: place_of(state, entrant))
