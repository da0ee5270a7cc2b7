"""Pairs of waiting players, by maximum-weight matching; in a process of its own, for 1,000 players take 60 ms.

`python -m tavla_server.features.tournaments.matching` reads one request after the other, and ends with its input:
with its server, whatever ends that. Pure, but for that.
"""

import signal
import sys
from collections.abc import Callable

import msgspec
import rustworkx

from tavla_server.features.tournaments.waiting import HEAD_BYTES, Pairs, Question, Waiting

NEIGHBOURS = 8  # in rank with whom each may be paired: with all others 1,000 players would take minutes
FIELD = 150  # players of a Swiss system each of whom may meet each: 40 ms; of more, as many as are near
SWISS_NEIGHBOURS = 16  # with 12, too, 1,000 players had no rematch in 20 rounds
# These outweigh all that follows: the squares of the differences of points, at most 400 each of 500 pairs.
BYE_OF_POINT = 10**6  # a bye for a player with a point more
AGAIN = 10**9
BYE_AGAIN = 10**12
OVERLOOKED = 10_000  # as many ranks of difference is it worth to pair a player who was left over the last time

_request = msgspec.msgpack.Decoder(Question)
_encode = msgspec.msgpack.Encoder().encode


def match(waiting: list[Waiting]) -> Pairs:
    """Match players: as many pairs as can be, their ranks as near as can be. waiting: in the order of their ranks.

    No two who may meet are left over.
    """
    pairs = _heaviest(waiting, NEIGHBOURS, _weight)
    left = sorted({*range(len(waiting))} - {at for pair in pairs for at in pair})
    while left:  # few, and far from each other
        one = left.pop(0)
        other = next((at for at in left if _may_meet(waiting[one], waiting[at])), None)
        if other is not None:
            left.remove(other)
            pairs.append([one, other])
    return [(waiting[one].id, waiting[other].id) for one, other in pairs]


def _heaviest(
    waiting: list[Waiting], near: int, weight: Callable[[Waiting, Waiting], int], again: bool = False
) -> list[list[int]]:
    """The matching of most pairs and then of most weight, by places. near: ranks apart. again: all may meet."""
    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(len(waiting)))
    graph.add_edges_from(
        [
            (i, j, weight(one, waiting[j]))
            for i, one in enumerate(waiting)
            for j in range(i + 1, min(i + 1 + near, len(waiting)))
            if again or _may_meet(one, waiting[j])
        ]
    )
    return sorted(sorted(pair) for pair in rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int))


def _may_meet(one: Waiting, other: Waiting) -> bool:
    is_near = bool(one.network) and one.network == other.network
    return not is_near and other.id not in one.met and one.id not in other.met


def _weight(one: Waiting, other: Waiting) -> int:
    return OVERLOOKED * (1 + one.overlooked + other.overlooked) - abs(one.rank - other.rank)


def match_all(waiting: list[Waiting]) -> Pairs:
    """Pairs of the Swiss system, all of them; the last one with a bye, if the number is odd.

    Before all else nobody has a second bye; then nobody meets an opponent again; then the bye is of the lowest; then
    points differ as little as can be. waiting: by points, the highest first, and by lot.
    """
    near = FIELD if len(waiting) <= FIELD else SWISS_NEIGHBOURS
    for again in (False, True):  # an opponent again only if there is no other way
        found = _heaviest(waiting, near, _swiss_weight, again)
        pairs = [(waiting[one].id, waiting[other].id) for one, other in found]
        left = [waiting[at] for at in sorted({*range(len(waiting))} - {at for pair in found for at in pair})]
        if len(left) < 2 and not any(one.overlooked for one in left):
            break
    return pairs + [(one.id, "") for one in left]


def _swiss_weight(one: Waiting, other: Waiting) -> int:
    again = 0 if _may_meet(one, other) else 1
    kept = BYE_AGAIN * (one.overlooked + other.overlooked) + BYE_OF_POINT * (one.rank + other.rank)
    return kept - AGAIN * again - (one.rank - other.rank) ** 2


def serve() -> None:
    """Answer requests until there are no more. A server that is killed meanwhile ends this without a word."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while head := source.read(HEAD_BYTES):
        size = int.from_bytes(head, "big")
        if len(request := source.read(size)) < size:
            return
        swiss, waiting = _request.decode(request)
        answer = _encode(match_all(waiting) if swiss else match(waiting))
        target.write(len(answer).to_bytes(HEAD_BYTES, "big") + answer)
        target.flush()


if __name__ == "__main__":
    serve()
