"""`make fuzz` in small: the harness works, and notices what is wrong."""

import random

import pytest

from tests.fuzz import mutants, mutants_in_page
from tests.fuzz.conversations import converse
from tests.fuzz.targets import TARGETS, Target, understood
from tests.support.browser.node import need_node
from tests.support.servers.valkey import Valkey
from tests.support.tries import tries

pytestmark = pytest.mark.slow

INPUTS = tries(200)  # of each target


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


@pytest.mark.parametrize("kind", mutants_in_page.READ.values(), ids=mutants_in_page.READ)
def test_a_changed_file_is_a_match_in_the_page_or_refused(kind: mutants.Kind, rng: random.Random) -> None:
    need_node()
    whole = mutants_in_page.looked_at([kind.seal(seed) for seed in kind.seeds()])
    assert all(is_match and not fault for is_match, fault, _ in whole)
    count = tries(400)
    matches, wrong = mutants_in_page.tried(kind, count, rng)
    assert wrong == []
    assert matches < count


def test_conversations_are_held(valkey: Valkey) -> None:
    answers = converse(valkey, examples=1, steps=12)
    assert answers["snapshot"] >= 2
