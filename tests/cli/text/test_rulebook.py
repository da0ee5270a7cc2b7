"""The rules to be read: of the game, and of each preset."""

import pytest
from tavla_cli.text import rulebook
from tavla_engine.rules import PRESETS, Rules

COLUMNS = [40, 78]


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_explained_with_all_in_which_it_differs(name: str, columns: int) -> None:
    lines = rulebook.of_preset(name, columns)
    text = " ".join(line.strip() for line in lines)
    assert PRESETS[name].text in text
    assert f"tavla create --preset {name}" in text
    rules, usual = PRESETS[name].rules._asdict(), Rules()._asdict()
    differing = [option for option, value in rules.items() if value != usual[option]]
    assert sum(line.startswith("  - ") for line in lines) == len(differing)
    assert all(len(line) <= columns for line in lines if not line.startswith("  tavla "))


@pytest.mark.parametrize("columns", COLUMNS)
def test_the_whole_rules_can_be_read(columns: int) -> None:
    lines = rulebook.backgammon(columns)
    text = " ".join(line.strip() for line in lines)
    for block in rulebook.BACKGAMMON.strip().split("\n\n"):
        assert block[2:] in lines if block.startswith("# ") else block.replace("\n", " ") in text
    assert all(len(line) <= columns for line in lines)


def test_every_option_that_a_preset_changes_can_be_told() -> None:
    assert set(rulebook._TOLD) == set(Rules._fields) - {"opening", "variant", "delay_s", "reserve_s", "rated"}


def test_the_overview_names_all_there_is_to_read() -> None:
    text = "\n".join(rulebook.overview(78))
    for name in ("backgammon", *PRESETS):
        assert f"tavla rules {name}" in text
