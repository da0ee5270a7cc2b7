"""`tavla collection`: files are added, listed, replayed by their ids, and removed."""

from pathlib import Path

import pytest

from tests.support.players.plain import unique
from tests.support.players.programs import Ended, Machine

pytestmark = pytest.mark.slow  # each starts programs

SECRET = "correct horse"
FIELD = Path(__file__).parents[2] / "data" / "field"
NONE = Ended(0, "you keep no match: tavla collection add FILE\n", "")


def test_files_are_added_listed_replayed_and_removed(here: Machine, tmp_path: Path) -> None:
    assert here.run("register", unique("ada"), typed=f"{SECRET}\n").code == 0
    assert here.run("collection") == NONE
    (tmp_path / "notes.txt").write_text("no match")
    good, bad = str(FIELD / "concedes.mat"), str(tmp_path / "notes.txt")
    added = here.run("collection", "add", good, bad, "--me", "CEM")
    assert added.code == 1
    assert "1 of 2 files could not be added" in added.errors
    assert bad in added.errors
    match = added.text.split(": ")[1].split(",")[0]
    heads, row = here.run("collection").text.splitlines()
    assert heads.split()[:4] == ["added", "match", "players", "score"]
    assert row.split()[1:] == [match, "cem*", "-", "dea", "3-0", "3", "points"]
    assert here.run("replay", match).text == here.run("replay", good).text
    assert here.run("export", match).text == here.run("export", good).text
    assert here.run("collection", "remove", match).code == 0
    assert here.run("collection") == NONE
    assert here.run("collection", "remove", match).errors == "Error: your collection has no such match\n"
    assert here.run("collection", "add").code == 2
