"""The arena: no rounds; those who wait are paired every few seconds, by their ranks. Pure."""

from collections.abc import Callable

from tavla_server.features.tournaments.events import Paired
from tavla_server.features.tournaments.formats.rounds import OVER
from tavla_server.features.tournaments.lots import draw
from tavla_server.features.tournaments.state import Entrant, Tournament, by_performance
from tavla_server.features.tournaments.waiting import Question, Waiting

MOST = 1_000_000
REMATCH_MS = 15_000  # of fewer than FEW who wait, the last two opponents meet again after so long: another may come
FEW = 4


def rounds(players: int, wanted: int) -> int:
    """No rounds."""
    return 0


def refusal(state: Tournament, player: str, now_ms: int) -> str:
    """The time is over."""
    return OVER if now_ms >= state.plan.ends_ms else ""


def pairing(state: Tournament, waiting: list[Entrant], now_ms: int) -> Question | list[Paired]:
    """Players who wait, in the order of their ranks among all."""
    seed, round_ = state.plan.seed, str(len(state.pairs))

    def order(entrant: Entrant) -> tuple[int, tuple[float, float], bytes]:
        return -entrant.score.points, by_performance(entrant), draw(seed, round_, entrant.player.id)

    ids = {entrant.player.id for entrant in waiting}
    ranked = enumerate(sorted(state.entrants.values(), key=order))
    found = [(rank, entrant) for rank, entrant in ranked if entrant.player.id in ids]
    few = len(found) < FEW
    return Question(
        False,
        [
            Waiting(
                entrant.player.id,
                rank,
                () if not entrant.last or (few and now_ms - entrant.since_ms >= REMATCH_MS) else (entrant.last,),
                entrant.since_ms < state.paired_ms,
            )
            for rank, entrant in found
        ],
    )


def apart(asked: Question, state: Tournament, network: Callable[[str], str], now_ms: int) -> Question:
    """The question, with the networks of those who are not to meet others of the same one, as long as others may come.

    network: of a player, "" = unknown. A club behind one address is on its own, and meets at once.
    """
    networks = {one.id: network(one.id) for one in asked.waiting}
    entrants = state.entrants.values()
    if len({*networks.values()}) == 1:
        (same,) = {*networks.values()}
        if all(network(one.player.id) in ("", same) for one in entrants if not one.gone):
            return asked
    new = {one.player.id for one in entrants if now_ms - one.since_ms < REMATCH_MS}
    waiting = [one._replace(network=networks[one.id]) if one.id in new else one for one in asked.waiting]
    return asked._replace(waiting=waiting)


def ranks(state: Tournament, entrant: Entrant) -> tuple[int, ...]:
    """Points alone."""
    return (entrant.score.points,)
