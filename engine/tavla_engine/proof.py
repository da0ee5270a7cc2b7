"""The proof of a match's dice, as its export has it: what was committed to, what was revealed, and every roll."""

from collections.abc import Iterable, Mapping
from typing import Any

from tavla_engine.dice import commitment, committed_dice, keeps
from tavla_engine.events import Event, OpeningRolled, Rolled

Pair = tuple[str, str]
SIDES = ("white", "black")


def proof_of(
    match: str, committed: str, commitments: Pair, seeds: Pair, seed: str, events: Iterable[Event]
) -> dict[str, Any]:
    """The proof as plain data, for JSON.

    committed: the server's commitment; commitments, seeds: the players', by seat; "" for one who added none. seed: the
    server's, in hex. events: all of the match, in order.
    rolls: [number, die, die], as they were drawn; opening rolls have a fourth item, true.
    """
    drawn = [event for event in events if isinstance(event, OpeningRolled | Rolled)]
    return {
        "match": match,
        "commitment": committed,
        "commitments": list(commitments),
        "seeds": list(seeds),
        "seed": seed,
        "rolls": [
            [number, *event.dice, *([True] if isinstance(event, OpeningRolled) else [])]
            for number, event in enumerate(drawn, 1)
        ],
    }


def faults_of(proof: Mapping[str, Any]) -> list[str]:
    """What is wrong with a proof, a sentence each; empty for one that holds.

    Raises: KeyError, TypeError or ValueError for data that is no proof.
    """
    faults = []
    seed = bytes.fromhex(proof["seed"])
    if commitment(seed) != proof["commitment"]:
        faults.append("the server's seed is not the one it committed to")
    for side, own, committed in zip(SIDES, proof["seeds"], proof["commitments"], strict=True):
        if not keeps(own, committed):
            faults.append(f"{side}'s seed is not the one that was committed to")
    white, black = proof["seeds"]
    roll = committed_dice(seed, proof["match"], (white, black))
    for expected, (number, *dice) in enumerate(proof["rolls"], 1):
        if number != expected or tuple(dice[:2]) != roll(expected):
            faults.append(f"roll {expected} does not follow from the seeds")
    return faults
