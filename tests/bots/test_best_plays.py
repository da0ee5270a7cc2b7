"""Best plays of a match: hard ones that were right."""

from tavla_bots.best_plays import MOST, BestPlay, best_plays
from tavla_bots.error_sums import with_numbers
from tavla_engine.analysis import Analysis, Finding
from tavla_engine.decisions import decisions
from tavla_engine.mat import import_mat

from tests.support.games.gnubg_matches import MAT_FILES

DICE = (3, 1)
RIGHT = Finding(0, 0, 0, DICE, "8/5 6/5", "8/5 6/5", 0.0, True, hard=True, margin=0.1)
NONE = [  # what of a play keeps it from being one of the best
    RIGHT._replace(loss=0.02),
    RIGHT._replace(counts=False),
    RIGHT._replace(hard=False),
    RIGHT._replace(hard=None),
    RIGHT._replace(margin=None),
    RIGHT._replace(margin=0.0004),
]
MARGINS = (0.02, 0.3, 0.05, 0.2)


def test_they_are_the_hard_ones_that_were_right_and_furthest_ahead_of_the_next() -> None:
    record = import_mat(MAT_FILES[0].read_text())
    plays = [one for one in decisions(record.start, record.events) if one.what == "play" and one.seat == 0]
    found = [*NONE, *(RIGHT._replace(margin=margin) for margin in MARGINS)]
    placed = [one._replace(game=at.at.game, turn=at.turn) for one, at in zip(found, plays, strict=False)]
    analysis = Analysis("x", tuple(placed), (0.0, 0.0))
    white, black = best_plays(analysis, record.start, record.events)
    margins = {number: one.margin for number, _, one in with_numbers(analysis, record.start, record.events)}
    assert [one.margin for one in white] == sorted(MARGINS, reverse=True)[:MOST]
    assert white == [BestPlay(RIGHT.done, margins[one.number] or 0, one.number) for one in white]
    assert black == []
