"""Packed rows: a mapping as any other, in a third of the memory."""

import random
import tracemalloc

import pytest
from tavla_server.cluster.packed_rows import PackedRows


def filled(number: int) -> PackedRows:
    """So many players, each with a row."""
    rows = PackedRows()
    for player in range(number):
        rows.change(f"node:{player:016x}", b"%d" % player * 10)
    return rows


def test_rows_come_change_and_go_as_in_any_mapping(rng: random.Random) -> None:
    rows, plain = PackedRows(), dict[str, bytes]()
    for step in range(20_000):
        key = f"{rng.choice(('', 'a:', 'b:'))}{rng.randrange(1000)}"
        row = None if rng.random() < 0.3 + 0.4 * (step > 10_000) else rng.randbytes(rng.randrange(300))
        assert rows.get(key) == plain.get(key) == rows.change(key, row)
        if row is None:
            plain.pop(key, None)
        else:
            plain[key] = row
        assert (len(rows), key in rows) == (len(plain), key in plain)
    assert dict(rows) == dict(rows.items()) == plain
    players = {key.rpartition(":")[2] for key in plain} | {"none"}
    assert all(rows.of(player) == sum(key.endswith(f":{player}") for key in plain) for player in players)


@pytest.mark.parametrize("key", ["", "a", "node", "node:", "de:1", "1", ":1", "node:1\0node:2", "\0", "node:1\0"])
def test_what_looks_like_a_part_of_the_keys_is_none(key: str) -> None:
    rows = PackedRows()
    rows.change("node:1", b"row")
    rows.change("node:2", b"other")
    assert key not in rows
    assert rows.get(key) is None
    assert rows.change(key, None) is None
    if "\0" in key:
        rows.change(key, b"no")
    assert dict(rows) == {"node:1": b"row", "node:2": b"other"}
    assert rows.of("1") == 1


def test_rows_that_stay_are_all_seen_by_one_who_looks_while_others_come_and_go() -> None:
    rows = filled(1000)
    stay = set(rows)
    seen = set()
    for number, (key, _) in enumerate(rows.each()):
        seen.add(key)
        rows.change(f"later:{number}", b"")
        rows.change(f"later:{number - 50}", None)
        if number == 20_000:
            break
    assert stay <= seen


@pytest.mark.slow
def test_a_row_takes_hardly_more_than_its_bytes() -> None:
    tracemalloc.start()
    rows = filled(20_000)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken < 1.2 * sum(len(key) + len(row) for key, row in rows.items())
