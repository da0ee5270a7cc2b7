"""Cost of decisions, and the performance rating that follows from it."""

import pytest
from tavla_engine.analysis import Analysis, Finding, double_finding, is_choice, mark, plain, take_finding

DOUBLES = [  # doubled, no double, taken; what was right, loss, counts
    (False, 0.4, 0.3, "no double", 0.0, True),
    (False, 0.1, -0.2, "no double", 0.0, False),
    (False, 0.5, 0.62, "double", 0.12, True),
    (False, 0.8, 1.4, "double", 0.2, True),
    (False, 1.1, 1.5, "no double", 0.0, True),  # too good
    (False, 1.3, 1.5, "no double", 0.0, False),
    (True, 0.5, 0.62, "double", 0.0, True),
    (True, 0.4, 0.3, "no double", 0.1, True),
    (True, 1.1, 1.5, "no double", 0.1, True),
    (True, 0.8, 1.4, "double", 0.0, True),
    (False, 0.1, -0.1, "no double", 0.0, True),
    (False, 0.1, -0.11, "no double", 0.0, False),  # too far from a double
    (False, 0.9995, 1.4, "double", 0.0005, False),  # all the same
    (False, 1.0, 1.4, "double", 0.0, False),  # as much now
    (True, 1.0, 2.0, "double", 0.0, False),
    (False, 1.0, 1.0, "no double", 0.0, False),  # it is taken
    (False, -0.91, -0.95, "no double", 0.0, False),  # hopeless
    (False, -0.91, -0.89, "double", 0.02, True),
    (True, -0.95, -0.95, "no double", 0.0, False),
    (True, -0.91, -0.95, "no double", 0.04, True),  # what costs something counts
]


@pytest.mark.parametrize(("doubled", "waiting", "taken", "right", "loss", "counts"), DOUBLES)
def test_what_a_double_costs(
    doubled: bool, waiting: float, taken: float, right: str, loss: float, counts: bool
) -> None:
    found = double_finding(1, 2, 0, doubled, waiting, taken)
    assert (found.done, found.best, found.counts) == ("double" if doubled else "no double", right, counts)
    assert found.loss == pytest.approx(loss)


PLAYS = [  # equities, the best first; whether there is a choice
    ([0.3], False),
    ([], False),
    ([0.3, 0.29995], False),
    ([0.3, 0.2998], True),
    ([-1.0] * 10 + [-2.0], False),  # the ten best are alike
    ([-1.0] * 9 + [-2.0], True),
]


@pytest.mark.parametrize(("equities", "choice"), PLAYS)
def test_a_play_counts_if_its_best_ones_differ(equities: list[float], choice: bool) -> None:
    assert is_choice(equities) == choice


TAKES = [
    (True, 1.0005, "drop", 0.0005),
    (True, 0.7, "take", 0.0),
    (True, 1.2, "drop", 0.2),
    (False, 1.2, "drop", 0.0),
    (False, 0.7, "take", 0.3),
]


@pytest.mark.parametrize(("took", "taken", "right", "loss"), TAKES)
def test_what_an_answer_costs(took: bool, taken: float, right: str, loss: float) -> None:
    found = take_finding(1, 2, 0, took, taken)
    assert (found.best, found.counts) == (right, abs(taken - 1) > 0.001)
    assert found.loss == pytest.approx(loss)


@pytest.mark.parametrize(
    ("loss", "sign"), [(0.0, ""), (0.039, ""), (0.04, "?!"), (0.08, "?"), (0.159, "?"), (0.16, "??")]
)
def test_a_mistake_is_marked_by_what_it_costs(loss: float, sign: str) -> None:
    assert mark(loss) == sign


def test_the_rating_is_that_of_an_average_decision() -> None:
    findings = (
        Finding(1, 1, 0, (6, 3), "24/15", "13/7 13/10", 0.03, True),
        Finding(1, 3, 0, (6, 6), "", "", 0.0, False),
        Finding(1, 5, 0, (2, 1), "6/3", "6/3", 0.0, True),
        take_finding(1, 4, 1, True, 1.5),
        double_finding(1, 4, 0, True, 0.5, 1.5),
    )
    analysis = Analysis("somebody", findings, (0.0, 0.0))
    assert analysis.all(0).rating == pytest.approx(500 * 0.03 / 3)
    assert (analysis.plays(0).decisions, analysis.cube(0).decisions) == (2, 1)
    assert (analysis.plays(1).rating, analysis.cube(1).rating) == (None, 250)
    assert [one.done for one in analysis.worst(10)] == ["take", "24/15"]
    assert len(analysis.worst(1)) == 1


def test_plain_data_has_both_players_together_and_each_decision() -> None:
    findings = (Finding(1, 1, 0, (6, 3), "24/15", "13/7 13/10", 0.03, True), take_finding(1, 4, 1, True, 1.5))
    told = plain(Analysis("a judge", findings, (0.25, -0.5)))
    assert (told["by"], told["decisions"], told["luck"]) == ("a judge", [1, 1], [0.25, -0.5])
    assert told["rating"] == pytest.approx([15.0, 250.0])
    assert told["lost"] == pytest.approx([0.03, 0.5])
    assert told["findings"][0] == findings[0]._asdict()
