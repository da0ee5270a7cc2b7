"""View of a match that a hook gets."""

from msgspec.structs import replace
from tavla_client import Board, Turn
from tavla_engine.position import row

from tests.support.servers.scripted import VIEW

BOARD = Board(row(bar=1, p24=1, p6=2, off=11), row(p24=2, p13=5, p8=3, p6=5))


def test_a_board_counts_for_whoever_looks_at_it() -> None:
    assert (BOARD.blots, BOARD.off) == (1, 11), "a checker on the bar is no blot"
    assert (BOARD.pips, BOARD.their_pips) == (25 + 24 + 12, 167)


def test_a_turn_is_seen_from_our_seat() -> None:
    view = replace(VIEW, score=(3, 1), rules={"length": 5, "cube": False})
    ada, bob = Turn("m1", view, 0), Turn("m1", view, 1)
    assert (ada.opponent, bob.opponent) == ("bob", "ada")
    assert (ada.score, bob.score) == ((3, 1), (1, 3))
    assert (ada.away, bob.away) == ((2, 4), (4, 2))
    assert Turn("m1", VIEW, 0).away is None, "money play"
    assert ada.rules == {"length": 5, "cube": False}


def test_only_dice_of_ours_can_be_played() -> None:
    thrown = replace(VIEW, phase="move", dice=(3, 1))
    assert len(Turn("m1", thrown, 0).plays) == 16
    assert Turn("m1", thrown, 1).plays == ()
    assert Turn("m1", VIEW, 0).plays == (), "before the roll"
    assert {play.after.pips for play in Turn("m1", thrown, 0).plays} == {167 - 4}


def test_a_resignation_is_the_opponents() -> None:
    offered = replace(VIEW, resignation=(1, 2))
    assert (Turn("m1", offered, 0).offered_resignation, Turn("m1", offered, 1).offered_resignation) == (2, 0)
