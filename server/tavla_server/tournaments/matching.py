"""Who plays whom of those who wait, by maximum-weight matching; in a process of its own, for 1,000 players take 60 ms.

`python -m tavla_server.tournaments.matching` reads one request after the other, and ends with its input: with its
server, whatever ends that. Pure, but for that.
"""

import sys

import msgspec
import rustworkx

from tavla_server.tournaments.waiting import HEAD_BYTES, Pairs, Waiting

NEIGHBOURS = 8  # in rank with whom each may be paired: with all others 1,000 players would take minutes
OVERLOOKED = 10_000  # as many ranks of difference is it worth to pair a player who was left over the last time

_request = msgspec.msgpack.Decoder(list[Waiting])
_encode = msgspec.msgpack.Encoder().encode


def match(waiting: list[Waiting]) -> Pairs:
    """As many pairs as can be, their ranks as near as can be. waiting: in the order of their ranks.

    No two who may meet are left over.
    """
    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(len(waiting)))
    graph.add_edges_from(
        [
            (i, j, _weight(one, waiting[j]))
            for i, one in enumerate(waiting)
            for j in range(i + 1, min(i + 1 + NEIGHBOURS, len(waiting)))
            if _may_meet(one, waiting[j])
        ]
    )
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    pairs = sorted(sorted(pair) for pair in found)
    left = sorted({*range(len(waiting))} - {at for pair in pairs for at in pair})
    while left:  # few, and far from each other
        one = left.pop(0)
        other = next((at for at in left if _may_meet(waiting[one], waiting[at])), None)
        if other is not None:
            left.remove(other)
            pairs.append([one, other])
    return [(waiting[one].id, waiting[other].id) for one, other in pairs]


def _may_meet(one: Waiting, other: Waiting) -> bool:
    return one.last != other.id and other.last != one.id


def _weight(one: Waiting, other: Waiting) -> int:
    return OVERLOOKED * (1 + one.overlooked + other.overlooked) - abs(one.rank - other.rank)


def serve() -> None:
    """Answer requests until there are no more."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while head := source.read(HEAD_BYTES):
        answer = _encode(match(_request.decode(source.read(int.from_bytes(head, "big")))))
        target.write(len(answer).to_bytes(HEAD_BYTES, "big") + answer)
        target.flush()


if __name__ == "__main__":
    serve()
