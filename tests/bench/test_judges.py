"""The table of judges, out of their findings."""

from typing import Any

import pytest

pytest.importorskip("bgsage")

from bench.judges import HOUSE, JUDGES, SAGE, HouseWithoutLuck, report


def findings(losses: dict[int, float], best: str = "take") -> list[list[Any]]:
    """Fifty plays and an answer of each seat. losses: of the first seat, by play."""
    plays = [[seat, "play", losses.get(n, 0.0) if not seat else 0.0, True, "8/5"] for seat in (0, 1) for n in range(50)]
    return [*plays, [0, "answer", 0.0, True, best]]


def test_differences_marks_and_verdicts_are_those_beside_the_referee() -> None:
    right, same = findings({0: 0.1, 1: 0.09}), findings({0: 0.1, 1: 0.09})
    other = findings({0: 0.05, 2: 0.2}, best="drop")
    found = dict.fromkeys(JUDGES, same) | {"referee": right, "house": other, "disputed": 3, "cpu": {"house": 2.0}}
    lines = [*report([found])]
    assert lines[0].startswith("1 matches, 101 decisions, 3 rolled out")
    house, sage = (next(line for line in lines if line.startswith(f"| {name} ")) for name in (HOUSE, SAGE))
    assert "0.29 ± 0.41, 0.29, 0.6 | " in house
    assert house.endswith("| 50 % of 2 | 1 of 100 | 0 % of 1 | 2.0 s |")
    assert sage.endswith("| 100 % of 2 | 0 of 100 | 100 % of 1 |  |")


def test_the_house_is_named_as_the_table_names_it() -> None:
    assert HouseWithoutLuck().name == HOUSE
