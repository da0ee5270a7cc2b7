"""Pages of a tournament's record, made in pieces between which others have their turn: 1,000 players take 40 ms."""

import asyncio
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from tavla_protocol import messages as m

from tavla_server.features.tournaments.formats import place_of
from tavla_server.features.tournaments.state import Tournament
from tavla_server.features.tournaments.views import pairing_of, row_of, ruling_of, standing_of

PIECE = 20  # standings or pairings: a millisecond
KNOWN = 4  # tables of standings, of the tournaments that were asked for last

T = TypeVar("T")


class RecordPages:
    """The pages of records. A table of standings is made once for each state of a tournament."""

    def __init__(self) -> None:
        self._known: list[tuple[Tournament, list[tuple[str, m.Standing]]]] = []

    async def page(self, tournament: str, state: Tournament, after: int, most: int) -> m.TournamentRecorded:
        """Pairings from number `after` on, and with the first ones all else."""
        until = min(after + most, len(state.pairs))
        next_ = until if until < len(state.pairs) else None
        pairings = await _in_pieces(pairing_of(tournament, state, number) for number in range(after, until))
        if after:
            return m.TournamentRecorded(id=0, tournament=tournament, pairings=pairings, next=next_)
        return m.TournamentRecorded(
            id=0,
            tournament=tournament,
            about=row_of(state),
            closed=state.closed_ms,
            players=await self._standings(tournament, state),
            pairings=pairings,
            rulings=[ruling_of(tournament, state, ruling) for ruling in state.rulings],
            next=next_,
        )

    async def _standings(self, tournament: str, state: Tournament) -> list[tuple[str, m.Standing]]:
        """All players with their standings, the first first."""
        if (known := next((rows for of, rows in self._known if of is state), None)) is not None:
            return known
        there = [entrant for entrant in state.entrants.values() if entrant.plays]
        placed = await _in_pieces((place_of(state, entrant), entrant) for entrant in there)
        placed.sort(key=lambda one: one[0])
        rows = await _in_pieces((entrant.player.name, standing_of(tournament, state, entrant)) for _, entrant in placed)
        self._known = [*self._known[1 - KNOWN :], (state, rows)]
        return rows


async def _in_pieces(made: Iterable[T]) -> list[T]:
    found: list[T] = []
    rest: Iterator[T] = iter(made)
    while piece := list(islice(rest, PIECE)):
        found += piece
        await asyncio.sleep(0)
    return found
