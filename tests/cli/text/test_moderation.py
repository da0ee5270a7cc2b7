"""Figures of fair play, as moderators and players read them."""

import pytest
from msgspec.structs import replace
from tavla_cli.text.moderation import MEANING, figure_lines
from tavla_protocol.messages import Errors, Figures

from tests.support.wire.messages import FIGURES

FEW = Figures(id=1, name="ada", by="Sage 2.0", matches=1, decisions=40, performance=5.04)
MANY = replace(FIGURES, by="Sage 2.0", errors=[*FIGURES.errors, Errors("blunder", 12, 4.8, 0.71, "m2c4d6ea", 102)])
CASES = [
    (Figures(id=1, name="ada"), ["ada: no rated match was judged yet"]),
    (FEW, ["ada: PR 5.0 in 1 rated match, 40 decisions, by Sage 2.0", f"  {MEANING}"]),
    (
        MANY,
        [
            "ada: PR 5.2 ± 0.8 in 34 rated matches, 3120 decisions, by Sage 2.0",
            "  rating 1723.40, experience 210",
            "  hard plays: 251 of 412 as the judge; 7.1 s for one, 5.2 s for another",
            "  plays most with bob (12), eve (9)",
            "  play: 2410 decisions, PR 5.4, 26.1 lost, at most 0.62 in match k3v9q2xa, decision 31",
            "  take: 55 decisions, PR 21.8, 2.4 lost, at most 0.71 in match m2c4d6ea, decision 102",
            "  bear-off: 380 decisions, PR 1.6, 1.2 lost, at most 0.21 in match k3v9q2xa, decision 88",
            "  blunder: 12 decisions, 4.8 lost, at most 0.71 in match m2c4d6ea, decision 102",
            "  best: bar/20 13/8, 0.14 ahead of the next one in match k3v9q2xa, decision 47",
            f"  {MEANING}",
        ],
    ),
]


@pytest.mark.parametrize(("found", "lines"), CASES)
def test_figures_are_told_as_far_as_there_are_some(found: Figures, lines: list[str]) -> None:
    assert list(figure_lines(found)) == lines
