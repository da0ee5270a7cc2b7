"""Levels of the computer: the newest figures, and the words for them."""

from bench.levels import HOUSE, word
from tests.support.results import RESULTS, ROOT


def test_each_level_is_as_good_as_its_word() -> None:
    """The newest figures, and what the page of the bots shows."""
    table = (RESULTS / "levels.md").read_text("utf-8")
    rows = [
        [cell.strip("` ") for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("| `")
    ]
    assert tuple(level for level, *_ in rows) == HOUSE
    assert [said for _, said, *_ in rows] == [word(float(rating.split()[0])) for *_, rating, _, _ in rows]
    assert [said for _, said, *_ in rows][:4] == ["beginner", "casual player", "intermediate", "advanced"]
    assert table.strip() in (ROOT / "clients" / "bots" / "README.md").read_text("utf-8")
