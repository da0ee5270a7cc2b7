"""docs/dice.md has the table of what a server that cheats is caught at, as tests of each program hold it."""

from pathlib import Path

from tests.support.servers.rigged.caught import CAUGHT, NEVER, markdown
from tests.support.servers.rigged.modes import MODES

PAGE = (Path(__file__).parents[2] / "docs" / "dice.md").read_text(encoding="utf-8")


def test_the_table_is_the_one_that_tests_hold() -> None:
    assert f"\n\n{markdown()}\n" in PAGE


def test_every_way_to_cheat_is_in_it_with_why_it_is_not_caught() -> None:
    assert CAUGHT.keys() == {mode for mode in MODES if not mode.startswith("bad_")}
    assert {mode for mode, row in CAUGHT.items() if row.why} == {mode for mode, row in CAUGHT.items() if NEVER in row}
