"""Phases of a game, by which errors are counted."""

import pytest
from tavla_engine.position import Position, row

from bench.phases import Phase, phase
from tests.support.games.bots import START

HOME = row(p6=5, p5=4, p4=3, p3=3)
ANCHOR = row(p20=2, p13=5, p8=3, p6=5)
PHASES = [
    (START, 6, Phase.OPENING),
    (START, 7, Phase.CONTACT),
    (Position(HOME, ANCHOR), 30, Phase.HOLDING),
    (Position(ANCHOR, HOME), 30, Phase.HOLDING),
    (Position(row(p24=2, p21=2, p8=5, p6=6), HOME), 30, Phase.BACKGAME),
    (Position(row(p24=2, p21=2, p8=5, p6=6), row(p13=5, p8=5, p6=5)), 30, Phase.HOLDING),
    (Position(HOME, row(p20=1, p6=14)), 30, Phase.CONTACT),
    (Position(HOME, row(p13=5, p6=10)), 30, Phase.BEAR_OFF),
    (Position(row(p13=5, p6=10), HOME), 30, Phase.RACE),
]


@pytest.mark.parametrize(("position", "turn", "expected"), PHASES)
def test_positions_have_their_phase(position: Position, turn: int, expected: Phase) -> None:
    assert phase(position, turn) is expected
