"""`make fuzz` in small: the harness works, and notices what is wrong."""

import random

import pytest

from tests.fuzz import mutants
from tests.fuzz.conversations import converse
from tests.fuzz.targets import TARGETS, Target, understood
from tests.support.servers.processes import Valkey

INPUTS = 60  # of each target


def changed(data: bytes, rng: random.Random) -> bytes:
    """An input with some bytes changed, taken out or put in."""
    changing = bytearray(data)
    for _ in range(rng.randint(0, 4)):
        at = rng.randint(0, len(changing))
        changing[at : at + rng.randint(0, 2)] = rng.randbytes(rng.randint(0, 2))
    return bytes(changing)


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_a_target_takes_its_seeds_and_what_is_near_them(target: Target, rng: random.Random) -> None:
    seeds = target.seeds()
    for data in [*seeds[:INPUTS], *(changed(rng.choice(seeds), rng) for _ in range(INPUTS))]:
        target.check(data[: target.longest])


def test_a_refusal_without_a_word_is_noticed() -> None:
    def refuse(_: str) -> None:
        raise ValueError

    with pytest.raises(AssertionError):
        understood(refuse, "x", ValueError)


@pytest.mark.parametrize("kind", mutants.KINDS.values(), ids=mutants.KINDS)
def test_a_changed_file_is_a_match_or_a_sentence(kind: mutants.Kind, rng: random.Random) -> None:
    assert all(mutants.check(kind.seal(seed), rng) for seed in kind.seeds()), "as long as it is whole"
    assert False in [mutants.check(kind.mutant(rng), rng) for _ in range(INPUTS)]


def test_conversations_are_held(valkey: Valkey) -> None:
    answers = converse(valkey, examples=1, steps=12)
    assert answers["snapshot"] >= 2
