"""The round robin: each plays each, once, by the circle method. Pure.

With an odd number each has one bye, which is worth a win, as it is for all. Who does not wait when a round begins loses
it to the opponent. Ties: wins against those with as many points; then Sonneborn-Berger, the points of those that were
beaten. Pairs are fixed: so an opponent who did not come counts as one who lost, with all points that they have, and a
bye, which each has, as none. Source: FIDE's tie-break regulations, "direct encounter" and "Sonneborn-Berger" for round
robins.
"""

from tavla_server.features.tournaments.events import Paired
from tavla_server.features.tournaments.formats.rounds import BEGUN, OVER, no_more, plays_again
from tavla_server.features.tournaments.lots import draw
from tavla_server.features.tournaments.state import Entrant, Tournament

MOST = 32  # 31 rounds


def rounds(players: int, wanted: int) -> int:
    """A round for each opponent, and with an odd number one for the bye."""
    return players - 1 + players % 2


def refusal(state: Tournament, player: str, now_ms: int) -> str:
    """The last round has begun; or the first one, without the player."""
    if no_more(state, now_ms) and not plays_again(state, player):
        return OVER
    return BEGUN if state.round and player not in _circle(state) else ""


def pairing(state: Tournament, waiting: list[Entrant], now_ms: int) -> list[Paired]:
    """The first round by lot, and with it all others."""
    seed = state.plan.seed
    if state.round:
        circle = _circle(state)
    else:
        circle = sorted((entrant.player.id for entrant in waiting), key=lambda id_: draw(seed, id_))
        circle += [""] * (len(circle) % 2)
    first, *others = circle
    turned = [first, *others[state.round :], *others[: state.round]]
    half = len(turned) // 2
    return [_paired(one, other) for one, other in zip(turned[:half], reversed(turned[half:]), strict=True)]


def _paired(one: str, other: str) -> Paired:
    return Paired((one, other) if one else (other, one))


def _circle(state: Tournament) -> list[str]:
    """All players as they sat in the first round, each half of them opposite the other; "" = the bye."""
    pairs = [pair.players for pair in state.pairs if pair.round == 1]
    return [one for one, _ in pairs] + [other for _, other in reversed(pairs)]


def ranks(state: Tournament, entrant: Entrant) -> tuple[int, ...]:
    """Points, wins against those with as many, Sonneborn-Berger."""
    points = entrant.score.points
    beaten = [other.score.points for result, other in state.opponents(entrant) if result.won]
    return points, beaten.count(points), sum(beaten)
