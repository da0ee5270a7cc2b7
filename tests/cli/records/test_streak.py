"""How many positions were answered right in a row."""

from pathlib import Path

from tavla_cli.records.streak import FILE, KEPT, Streak, count, read_streak


def test_the_first_answer_counts_and_is_remembered(tmp_path: Path) -> None:
    assert count("a", is_right=True, folder=tmp_path) == Streak(1, ("a",))
    assert count("b", is_right=True, folder=tmp_path) == Streak(2, ("b", "a"))
    assert count("b", is_right=False, folder=tmp_path) == Streak(2, ("b", "a"))
    assert count("c", is_right=False, folder=tmp_path).right == 0
    assert read_streak(tmp_path) == Streak(0, ("c", "b", "a"))
    (tmp_path / FILE).write_text("{")
    assert read_streak(tmp_path) == Streak()


def test_so_many_are_remembered() -> None:
    streak = Streak()
    for number in range(KEPT + 5):
        streak = streak.after(str(number), is_right=True)
    assert (streak.right, len(streak.done), streak.done[0]) == (KEPT + 5, KEPT, str(KEPT + 4))
