"""A player's finished matches as lines."""

import pytest
from msgspec.structs import replace
from tavla_cli.text.history import analysis_line, history_line, widths
from tavla_protocol import messages as m

PLAYED = m.Finished(
    match="k3v7q2xa",
    table="sofa",
    seat=1,
    players=("ada", "bob"),
    kinds=("bot", "guest"),
    rules={"length": 3},
    score=(3, 1),
    winner=0,
    ending="borne_off",
    started=1_788_999_000_000,
    ended=1_789_000_000_000,
)

LINES = [  # what differs, what is shown after the id
    ({}, ("ada (bot)", "lost 1-3", "3 points")),
    ({"seat": 0}, ("bob", "won 3-1", "3 points")),
    ({"ending": "time"}, ("ada (bot)", "lost 1-3 on time", "3 points")),
    ({"ending": "abandoned", "winner": 1}, ("ada (bot)", "won 1-3 by claim", "3 points")),
    (
        {"ending": "left", "winner": None, "rules": {"length": 0, "jacoby": True}},
        ("ada (bot)", "level 1-3", "money play"),
    ),
    ({"players": ("a\x1bda", "bob")}, ("a?da (bot)", "lost 1-3", "3 points")),
]


@pytest.mark.parametrize(("changes", "shown"), LINES)
def test_a_line_tells_whom_how_and_what(changes: dict[str, object], shown: tuple[str, str, str]) -> None:
    when, match, *rest = history_line(replace(PLAYED, **changes))
    assert match == "k3v7q2xa"
    assert len(when) == 16
    assert rest[:2] == list(shown[:2])
    assert rest[2].split(",")[0] == shown[2].split(",")[0]


def test_the_last_column_takes_what_is_left() -> None:
    wide = widths([history_line(PLAYED)], 80)
    assert sum(wide) + 2 * (len(wide) - 1) == 80
    assert widths([history_line(PLAYED)], 20)[-1] == 8


JUDGED = m.Analysis(
    by="GNU Backgammon, 2-ply", ratings=(120.204, 134.58), lost=(2.8, 4.1), decisions=(69, 60), luck=(0.42, -1.84)
)
ANALYSES = [  # what a server says, whose history it is, what is shown
    (None, 0, ""),
    (JUDGED, 0, "  PR 120.2/134.6  error rate 240.4/269.2  luck +0.42/-1.84  GNU Backgammon, 2-ply"),
    (JUDGED, 1, "  PR 134.6/120.2  error rate 269.2/240.4  luck -1.84/+0.42  GNU Backgammon, 2-ply"),
    (
        replace(JUDGED, by="Sage 2.0, 3 plies (GNU Backgammon's 2)"),
        0,
        "  PR 120.2/134.6  error rate 240.4/269.2  luck +0.42/-1.84  Sage 2.0, 3 plies",
    ),
    (
        replace(JUDGED, by="the house evaluator", rough=True),
        1,
        "  PR 134.6/120.2  error rate 269.2/240.4  luck -1.84/+0.42  the house evaluator, for now",
    ),
    (replace(JUDGED, ratings=(None, 2.0), by="x\x1b"), 0, "  PR -/2.0  error rate -/4.0  luck +0.42/-1.84  x?"),
    (m.Analysis(error="nobody can"), 0, "  not judged: nobody can"),
]


@pytest.mark.parametrize(("found", "seat", "shown"), ANALYSES)
def test_an_analysis_is_shown_own_figures_first(found: m.Analysis | None, seat: int, shown: str) -> None:
    assert analysis_line(replace(PLAYED, analysis=found, seat=seat)) == shown
