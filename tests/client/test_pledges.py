"""The seeds that we have committed to outlive the program that has drawn them."""

import os
import stat
import time
from pathlib import Path

from tavla_client.pledges import KEPT_S, Pledges
from tavla_engine.dice import commitment


def test_a_pledge_is_found_by_the_next_program(tmp_path: Path) -> None:
    folder = tmp_path / "config" / "seeds-ada"
    first = Pledges(folder)
    committed = first.make()
    pledge = Pledges(folder).find(committed)
    assert pledge is not None
    assert (len(pledge.seed), commitment(bytes.fromhex(pledge.seed))) == (64, committed)
    assert first.make() != committed, "each match has a seed of its own"


def test_what_was_seen_before_revealing_is_remembered_too(tmp_path: Path) -> None:
    first = Pledges(tmp_path)
    pledge = first.find(first.make())
    assert pledge is not None
    bound = first.bind(pledge, "m1", "terms", 1)
    later = Pledges(tmp_path)
    assert later.revealed_for("m1") == bound
    assert bound is not None
    assert later.bind(bound, "m1", "other terms", 1) is None
    assert later.bind(bound, "m1", "terms", 0) is None
    assert later.bind(bound, "m1", "terms", 1) == bound


def test_nobody_else_can_read_them(tmp_path: Path) -> None:
    folder = tmp_path / "seeds"
    committed = Pledges(folder).make()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / committed).stat().st_mode) == 0o600


def test_a_pledge_goes_with_its_match_and_old_ones_by_themselves(tmp_path: Path) -> None:
    pledges = Pledges(tmp_path)
    done, old, broken = pledges.make(), pledges.make(), pledges.make()
    pledges.forget(done)
    pledges.forget(done)
    then = time.time() - KEPT_S - 60
    os.utime(tmp_path / old, (then, then))
    (tmp_path / broken).write_text("{")
    later = Pledges(tmp_path)
    assert [later.find(one) for one in (done, old, broken)] == [None] * 3
    assert sorted(path.name for path in tmp_path.iterdir()) == [broken]


def test_what_was_asked_for_stays_with_it_and_with_the_one_that_takes_its_place(tmp_path: Path) -> None:
    pledges, asked = Pledges(tmp_path), {"length": 5, "cube": False}
    first = pledges.find(pledges.make(asked=asked))
    assert first is not None
    assert pledges.renew(first.commitment) == first.commitment, "its seed is not known"
    pledges.bind(first, "m1", "terms", 0)
    renewed = pledges.renew(first.commitment)
    second = Pledges(tmp_path).find(renewed)
    assert second is not None
    assert (second.asked, second.seed != first.seed, second.match) == (asked, True, "")
