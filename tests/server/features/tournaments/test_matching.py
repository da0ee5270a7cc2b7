"""The process that pairs: who meets whom, of those who wait."""

import itertools
import random

from hypothesis import given, settings
from hypothesis import strategies as st
from tavla_server.features.tournaments.matching import NEIGHBOURS, match
from tavla_server.features.tournaments.waiting import Waiting

from tests.support.tries import tries


def test_ranks_that_are_near_meet() -> None:
    waiting = [Waiting(str(rank), rank, (), False) for rank in range(20)]
    assert all(abs(int(one) - int(other)) == 1 for one, other in match(waiting))


def test_who_was_left_over_is_not_left_over_again() -> None:
    waiting = [Waiting(str(rank), rank, (), rank == 4) for rank in range(5)]
    assert any("4" in pair for pair in match(waiting))


@given(st.integers(0, 60), st.integers(0, 2**32))
@settings(max_examples=tries(50))
def test_no_two_who_may_meet_are_left_over(players: int, seed: int) -> None:
    rng = random.Random(seed)
    waiting = [
        Waiting(str(n), n, (str(rng.choice((n // 2, n - 1, n + 1))),), rng.random() < 0.2) for n in range(players)
    ]
    pairs = match(waiting)
    paired = [id_ for pair in pairs for id_ in pair]
    assert len(set(paired)) == len(paired)
    left = [one for one in waiting if one.id not in paired]
    by_id = {one.id: one for one in waiting}
    assert not [
        (one, other)
        for one, other in itertools.combinations(left, 2)
        if other.id not in one.met and one.id not in other.met
    ]
    assert all(other not in by_id[one].met and one not in by_id[other].met for one, other in pairs)


def test_the_last_two_meet_however_far_apart_their_ranks_are() -> None:
    ids = [str(rank) for rank in range(12)]
    met = {one: tuple({*ids} - {one, *({"0", "11"} - {one} if one in ("0", "11") else ())}) for one in ids}
    assert match([Waiting(one, rank, met[one], False) for rank, one in enumerate(ids)]) == [("0", "11")]


def test_a_thousand_who_wait_are_all_paired() -> None:
    waiting = [Waiting(str(rank), rank, (str(rank ^ 1),), False) for rank in range(1000)]
    pairs = match(waiting)
    assert len(pairs) == 500
    assert all(abs(int(one) - int(other)) <= NEIGHBOURS for one, other in pairs)
