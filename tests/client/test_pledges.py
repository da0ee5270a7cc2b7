"""The seeds that we have committed to outlive the program that has drawn them."""

import itertools
import os
import stat
import time
from pathlib import Path

import pytest
from msgspec.structs import replace
from tavla_client.pledges import KEPT, KEPT_S, RECENT_S, TALLY, Counts, End, Pledge, Pledges
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


def test_a_pledge_that_came_to_nothing_goes_and_old_ones_go_by_themselves(tmp_path: Path) -> None:
    pledges = Pledges(tmp_path)
    never, old, broken = pledges.make(), pledges.make(), pledges.make()
    pledges.forget(never)
    pledges.forget(never)
    then = time.time() - KEPT_S - 60
    os.utime(tmp_path / old, (then, then))
    (tmp_path / broken).write_text("{")
    later = Pledges(tmp_path)
    assert [later.find(one) for one in (never, old, broken)] == [None] * 3
    assert sorted(path.name for path in tmp_path.iterdir()) == [broken]


# --- what has become of matches ---


def ended(pledges: Pledges, end: End, match: str = "m1") -> Pledge:
    """An entry of a match that ended so."""
    pledge = pledges.find(pledges.make())
    assert pledge is not None
    bound = pledges.bind(pledge, match, "terms", 0)
    assert bound is not None
    return pledges.note(bound, replace(bound, end=end))


def test_an_entry_stays_when_its_match_is_over_and_is_counted(tmp_path: Path) -> None:
    pledges = Pledges(tmp_path)
    ends: list[End] = ["played", "A", "B", "A", "put_back", "void", ""]
    for number, end in enumerate(ends):
        ended(pledges, end, f"m{number}")
    pledges.make()
    kept = pledges.revealed_for("m1")
    assert kept is not None
    pledges.forget(kept.commitment)
    for one in (pledges, Pledges(tmp_path)):
        assert one.counts == Counts(matches=7, no_seed=2, by_server=1, put_back=1)
        assert one.revealed_for("m1") == kept


def test_what_is_kept_of_an_old_entry_is_a_number_and_two_programs_count_it_once(tmp_path: Path) -> None:
    ends: list[End] = ["A", "B", "played", "put_back"]
    first = Pledges(tmp_path)
    entries = [ended(first, end) for end in ends]
    then = time.time() - KEPT_S - 60
    for entry in entries:
        os.utime(tmp_path / entry.commitment, (then, then))
    read_before = Pledges(tmp_path, now=lambda: then)
    for one in (Pledges(tmp_path), Pledges(tmp_path), read_before, Pledges(tmp_path)):
        assert one.counts == Counts(4, 1, 1, 1)
    (left,) = tmp_path.iterdir()
    assert (left.name, sorted(left.read_text()), stat.S_IMODE(left.stat().st_mode)) == (TALLY, [*".ABP"], 0o600)


def test_of_very_many_matches_the_oldest_are_but_counted() -> None:
    clock = itertools.count()
    pledges = Pledges(now=lambda: next(clock))
    running = ended(pledges, "", "first of all")
    for number in range(KEPT + 5):
        ended(pledges, "A", f"m{number}")
    assert pledges.counts == Counts(KEPT + 6, KEPT + 5)
    assert pledges.find(running.commitment) == running
    assert [pledges.revealed_for(f"m{number}") is None for number in (4, 5)] == [True, False]


def test_the_first_end_and_the_first_fault_stay_and_a_version_alone_is_not_written(tmp_path: Path) -> None:
    pledges = Pledges(tmp_path, now=lambda: 7.0)
    entry = ended(pledges, "A")
    assert entry.ended_ms == 7000
    assert pledges.note(entry, replace(entry, end="played", fault="wrong")).end == "A"
    assert pledges.note(entry, replace(entry, seq=9)).seq == 0


def test_seeds_that_fail_to_come_twice_within_an_hour_are_told_from_those_of_two_days() -> None:
    now_s = 0.0
    pledges = Pledges(now=lambda: now_s)
    ended(pledges, "A")
    ended(pledges, "played")
    assert not pledges.has_failed_again()
    now_s += RECENT_S + 1
    ended(pledges, "A")
    assert not pledges.has_failed_again()
    now_s += RECENT_S - 1
    ended(pledges, "A")
    assert pledges.has_failed_again()


COUNTED = [
    (Counts(0), ""),
    (
        Counts(1),
        "Of 1 match here none ended before the first roll because no seed came from the other player, and none by the"
        " server's doing.",
    ),
    (
        Counts(41, 2, 1),
        "Of 41 matches here 2 ended before the first roll because no seed came from the other player, and 1 by the"
        " server's doing. Lines fail: some of the first kind are usual. The second kind is not usual: if there are more"
        " of them, play elsewhere.",
    ),
    (
        Counts(9, 0, 0, 2),
        "Of 9 matches here none ended before the first roll because no seed came from the other player, and none by"
        " the server's doing. 2 more ended because a backup was put back.",
    ),
]


@pytest.mark.parametrize(("counts", "text"), COUNTED)
def test_counts_are_told_in_sentences(counts: Counts, text: str) -> None:
    assert counts.text == text


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
