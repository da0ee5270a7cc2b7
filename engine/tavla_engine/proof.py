"""The proof of a match's dice, as its export has it: what was committed to, what was revealed, and every roll.

The referee judges whether it holds, and what was played with it.
"""

from collections.abc import Iterable
from typing import Any

from tavla_engine.events import Event, OpeningRolled, Rolled

Pair = tuple[str, str]


def proof_of(
    match: str, terms: str, committed: str, commitments: Pair, seeds: Pair, seed: str, events: Iterable[Event]
) -> dict[str, Any]:
    """The proof as plain data, for JSON.

    terms: their text. committed: the server's commitment; commitments, seeds: the players', by seat. seed: the server's
    newest, in hex. events: all of the match, in order.
    rolls: [number, die, die], as they were drawn; opening rolls have a fourth item, true.
    """
    drawn = [event for event in events if isinstance(event, OpeningRolled | Rolled)]
    return {
        "match": match,
        "terms": terms,
        "commitment": committed,
        "commitments": list(commitments),
        "seeds": list(seeds),
        "seed": seed,
        "rolls": [
            [number, *event.dice, *([True] if isinstance(event, OpeningRolled) else [])]
            for number, event in enumerate(drawn, 1)
        ],
    }
