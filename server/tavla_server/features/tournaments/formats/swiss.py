"""The Swiss system: in each round those meet who have won as much, and nobody twice. Pure.

Within a score group the lot decides. With an odd number one of the lowest group has a bye, which is worth a win, and
nobody a second one. Players may come late, and miss rounds: these are worth nothing.

Ties: Buchholz, the points of all opponents; then Sonneborn-Berger, the points of those that were beaten. A bye counts
as an opponent with as many points as the player has, and so does a match to which one of the two did not come, for both
of them. Source: FIDE's tie-break regulations, article 16, "unplayed rounds"; the Swiss tournaments of FIBS rank by
both, in this order.
"""

from tavla_server.features.tournaments.events import Paired
from tavla_server.features.tournaments.formats.rounds import OVER, doublings, no_more, plays_again
from tavla_server.features.tournaments.lots import draw
from tavla_server.features.tournaments.state import Entrant, Tournament
from tavla_server.features.tournaments.waiting import Question, Waiting

MOST = 1_000_000


def rounds(players: int, wanted: int) -> int:
    """Rounds, as many as give one player all wins, or as are wanted; no more than there are opponents."""
    return min(wanted or doublings(players), players - 1 + players % 2)


def refusal(state: Tournament, player: str, now_ms: int) -> str:
    """The last round has begun."""
    return OVER if no_more(state, now_ms) and not plays_again(state, player) else ""


def pairing(state: Tournament, waiting: list[Entrant], now_ms: int) -> Question | list[Paired]:
    """Players who wait, by their points, and whom they have met."""
    seed, round_ = state.plan.seed, str(state.round)
    ranked = sorted(waiting, key=lambda one: (-one.score.points, draw(seed, round_, one.player.id)))
    return Question(True, [_asked(state, entrant) for entrant in ranked]) if len(ranked) > 1 else []


def _asked(state: Tournament, entrant: Entrant) -> Waiting:
    met = state.opponents(entrant)
    has_had_bye = len(met) < len(entrant.results)
    ids = tuple(other.player.id for _, other in met)
    return Waiting(entrant.player.id, entrant.score.points, ids, has_had_bye)


def ranks(state: Tournament, entrant: Entrant) -> tuple[int, ...]:
    """Points, Buchholz, Sonneborn-Berger."""
    points, met = entrant.score.points, state.opponents(entrant)
    worth = [(result.won, other.score.points if result.played else points) for result, other in met]
    byes = points * (len(entrant.results) - len(met))
    return points, byes + sum(each for _, each in worth), byes + sum(each for won, each in worth if won)
