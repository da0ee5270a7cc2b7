"""Text of an analysis, in lines that fit 80 columns."""

from tavla_bots.house_judge import HOUSE
from tavla_cli.text.analysis import WORST, caution, summary, worst
from tavla_engine.analysis import Analysis, Finding, take_finding

NAMES = ("ada", "somebody-called-long")
ANALYSIS = Analysis(
    "somebody",
    (
        Finding(1, 3, 0, (6, 3), "24/15", "13/7 13/10", 0.0312, True),
        Finding(1, 5, 0, (2, 1), "6/3", "6/3", 0.0, True),
        take_finding(12, 104, 1, True, 1.5),
    ),
    (0.25, -1.5),
)


def test_what_the_house_evaluator_cannot_do_is_said() -> None:
    (first, *_) = caution(ANALYSIS._replace(by=HOUSE))
    assert first == "It is a rough judge: a PR is off by 0.7 in the mean, and by 2 at times."
    assert not [*caution(ANALYSIS)]


def test_both_players_stand_side_by_side() -> None:
    assert list(summary(ANALYSIS, NAMES)) == [
        "                    ada                         somebody-called-long",
        "performance rating  7.80                        250.00",
        "lost by plays       0.031 in 2                  0.000 in 0",
        "lost with the cube  0.000 in 0                  0.500 in 1",
        "luck of the dice    +0.250                      -1.500",
        "PR is 500 times the loss of a decision; those count that eXtreme Gammon counts.",
    ]


def test_the_worst_come_first() -> None:
    assert list(worst(ANALYSIS.worst(WORST), NAMES)) == [
        "  lost  game turn  who         roll  what was done          better",
        " 0.500    12  104  somebody-c  cube  take                   drop",
        " 0.031     1    3  ada         6-3   24/15                  13/7 13/10",
    ]


def test_who_made_no_mistake_reads_so() -> None:
    assert list(worst([], NAMES)) == ["no decision has cost anything"]
    assert "no decision" in list(summary(ANALYSIS._replace(findings=()), NAMES))[1]
