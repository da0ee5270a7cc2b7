"""A bot by its name: one's own, one of an installed module, one that ships with Tavla."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tavla_bots.house import House
from tavla_cli.bots import loading
from tavla_cli.bots.loading import NoBot, load

MINE = "from tavla_client import Bot\n\nclass Mine(Bot):\n    pass\n\nclass NoBot:\n    pass\n"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with a module of the user's own."""
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "two.py").write_text(MINE.replace("Mine", "One") + "class Two(Bot):\n    pass\n")
    (tmp_path / "misspelt.py").write_text(MINE.replace("class Mine(Bot):", "class Odd(Bot):\n    chose_play = print"))
    (tmp_path / "needy.py").write_text("import math\nimport tavla_surely_not_there\n")
    (tmp_path / "unfinished.py").write_text("class Mine(:\n")
    yield tmp_path
    if str(tmp_path) in sys.path:
        sys.path.remove(str(tmp_path))


def test_a_bot_is_found_in_the_folder_in_a_module_and_among_those_of_tavla(folder: Path) -> None:
    assert load("mine:Mine", folder).__name__ == "Mine"
    assert load("tavla_bots.house:House", folder) is House
    assert load("expert", folder) is House


def test_a_bot_is_found_by_its_file(folder: Path) -> None:
    (folder / "deep").mkdir()
    (folder / "deep" / "more.py").write_text(MINE + "\nclass Other(Mine):\n    pass\n")
    assert load("mine.py:Mine", folder).__name__ == "Mine"
    assert load("mine.py", folder).__name__ == "Mine", "it has but one"
    assert load("./deep/more.py:Other", folder).__name__ == "Other"
    assert load(f"{folder}/deep/more.py:Other", folder).__name__ == "Other"


def test_a_misspelt_hook_refuses_its_own_bot_alone(folder: Path) -> None:
    text = MINE + "\nclass Odd(Bot):\n    chose_play = print\n\nclass Odder(Odd):\n    pass\n"
    (folder / "both.py").write_text(text)
    assert load("both.py:Mine", folder).__name__ == "Mine"
    for name in ("Odd", "Odder"):
        with pytest.raises(NoBot, match=r"Odd\.chose_play is no hook: write choose_play"):
            load(f"both.py:{name}", folder)


NOT_FOUND = [  # name, what is said
    ("nowhere:Bot", "there is no nowhere.py in"),
    ("tavla_bots.nowhere:Bot", "no module tavla_bots.nowhere"),
    ("mine:Missing", "mine has no class Missing that is a tavla_client.Bot"),
    ("mine:NoBot", "mine has no class NoBot that is a tavla_client.Bot; it has mine:Mine"),
    ("nowhere.py:Bot", "there is no file .*nowhere.py"),
    ("nowhere.py", "there is no file .*nowhere.py"),
    ("two.py", "two.py has 2 classes that are a tavla_client.Bot: say which, as two.py:One"),
    ("misspelt.py", "Odd.chose_play is no hook: write choose_play"),
    ("needy:Mine", r"needy.py has failed:\n\nTraceback .*\n  File .*needy.py\", line 2, (.*\n)*ModuleNotFoundError"),
    ("unfinished.py", r"unfinished.py has failed:\n\n  File .*unfinished.py\", line 1\n(.*\n)*SyntaxError"),
    ("unheard-of", "there is no bot 'unheard-of': choose one of .*expert"),
]


@pytest.mark.parametrize(("name", "sentence"), NOT_FOUND)
def test_where_there_is_no_such_bot_it_is_said_what_to_do(folder: Path, name: str, sentence: str) -> None:
    with pytest.raises(NoBot, match=sentence):
        load(name, folder)


def test_without_the_bots_of_tavla_it_is_said_how_to_get_them(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(loading, "SHIPPED", "tavla_bots_that_nobody_has")
    with pytest.raises(NoBot, match=r"pip install 'tavla\[bots\]'"):
        load("expert", folder)


def test_a_module_that_fails_is_not_taken_for_one_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "tavla_broken.py").write_text("import tavla_surely_not_there\n")
    monkeypatch.syspath_prepend(elsewhere)
    with pytest.raises(ModuleNotFoundError, match="surely_not_there"):
        load("tavla_broken:Broken", folder)


def test_a_library_that_the_bots_need_and_that_is_broken_is_told(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    (folder / "tavla_odd_bots.py").write_text("import tavla_surely_not_there\n")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(loading, "SHIPPED", "tavla_odd_bots")
    with pytest.raises(ModuleNotFoundError, match="surely_not_there"):
        load("expert", folder)
