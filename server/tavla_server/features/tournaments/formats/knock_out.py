"""The knock-out: who loses is out, but for a consolation. Pure.

Seeded by rating, in the standard order: the first two can meet in the final alone, and the byes are those of the first.
The losers of the first round play a consolation from the second round on, those of its first round a last chance. Who
does not wait when a round begins loses it to the opponent. Each match has a winner: one that was void, or aborted, is
played again in its round. If neither player came, the winner is the one on seat 0, where the lot put this player.
"""

from tavla_server.features.tournaments.events import Paired
from tavla_server.features.tournaments.formats.rounds import BEGUN, OVER, doublings, no_more, plays_again
from tavla_server.features.tournaments.lots import draw
from tavla_server.features.tournaments.state import Entrant, Pair, Tournament

MOST = 1_000_000
BRACKETS = ("main", "consolation", "last chance")  # each begins a round after the one before it

OUT = "you are out of this tournament: its standings say how far you came"


def rounds(players: int, wanted: int) -> int:
    """Rounds, as many as leave one."""
    return doublings(players)


def refusal(state: Tournament, player: str, now_ms: int) -> str:
    """The last round has begun; or the first one, without the player; or the player is out."""
    entrant = state.entrants.get(player)
    if entrant is not None and _plays(state, entrant):
        return ""
    if no_more(state, now_ms):
        return OVER
    if not state.round:
        return ""
    if entrant is None or not entrant.results:
        return BEGUN
    return "" if _goes_on(state, entrant) else OUT


def _plays(state: Tournament, entrant: Entrant) -> bool:
    """True if a player has a match of this round that is not over, or is to be played again."""
    return entrant.number is not None or plays_again(state, entrant.player.id)


def _goes_on(state: Tournament, entrant: Entrant) -> bool:
    last = entrant.results[-1]
    pair = state.pairs[last.number]
    if last.won:  # the pairs of a bracket's round stand side by side: in a final there is one
        beside = state.pairs[max(0, last.number - 1) : last.number + 2]
        return any(other is not pair and _is_beside(pair, other) for other in beside)
    if not pair.round == pair.bracket + 1 == state.round < len(BRACKETS):
        return False
    return any(all(other.players) and other is not pair and _is_beside(pair, other) for other in state.pairs)


def _is_beside(pair: Pair, other: Pair) -> bool:
    return (other.round, other.bracket) == (pair.round, pair.bracket)


def pairing(state: Tournament, waiting: list[Entrant], now_ms: int) -> list[Paired]:
    """The winners of the last round, side by side; and the losers of a bracket's first round, for the next bracket."""
    if not state.round:
        return _first(state, waiting, 0)
    found = []
    for bracket in range(len(BRACKETS)):
        last = [pair for pair in state.pairs if (pair.round, pair.bracket) == (state.round, bracket)]
        winners = [pair.players[_winner(pair)] for pair in last]
        if len(winners) > 1:
            found += [Paired(two, bracket) for two in zip(winners[::2], winners[1::2], strict=True)]
        if state.round == bracket + 1 < len(BRACKETS):
            losers = {pair.players[1 - _winner(pair)] for pair in last}
            found += _first(state, [entrant for entrant in waiting if entrant.player.id in losers], bracket + 1)
    return found


def _winner(pair: Pair) -> int:
    assert pair.scored is not None, "the round is over"
    assert pair.scored.winner is not None, "each match has a winner"
    return pair.scored.winner


def _first(state: Tournament, entrants: list[Entrant], bracket: int) -> list[Paired]:
    """The first round of a bracket."""
    seed = state.plan.seed
    if len(entrants) < 2:
        return []
    seeded = sorted(entrants, key=lambda entrant: (-entrant.rating, draw(seed, entrant.player.id)))
    places = [0]
    while len(places) < len(seeded):
        places = [place for one in places for place in (one, 2 * len(places) - 1 - one)]
    ids = [seeded[place].player.id if place < len(seeded) else "" for place in places]
    return [Paired(two, bracket) for two in zip(ids[::2], ids[1::2], strict=True)]


def ranks(state: Tournament, entrant: Entrant) -> tuple[int, ...]:
    """Rounds won in each bracket."""
    won = [state.pairs[result.number].bracket for result in entrant.results if result.won]
    return tuple(won.count(bracket) for bracket in range(len(BRACKETS)))
