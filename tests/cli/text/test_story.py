"""Story of a match, told from each side."""

import pytest
from msgspec.structs import replace
from tavla_cli.text.story import result, start_text, story, void_while_seeking
from tavla_protocol.view import View

from tests.support.wire.match_views import (
    ACCEPTED,
    BEAVERED,
    BLOT,
    DANCED,
    DROPPED,
    FORFEITED,
    HIT,
    LAST_TURN,
    MOVED,
    NEXT,
    OFFERED,
    RESIGNED,
    TAKEN,
    TO_MOVE,
    TO_ROLL,
    WON,
    V,
)

ASKED = replace(TO_ROLL, aborts=(TO_ROLL.rolls, None))
STORIES = [  # before, after, the reader's seat, what is told
    (TO_MOVE, MOVED, 0, ["you play 3-1: 8/5 6/5"]),
    (TO_MOVE, MOVED, 1, ["ada plays 3-1: 8/5 6/5"]),
    (BLOT, HIT, None, ["ada plays 3-1: 8/5* 6/5"]),
    (BLOT, DANCED, 1, ["ada plays 3-1: 8/5* 6/5", "you roll 6-6 and cannot move"]),
    (HIT, DANCED, 0, ["bob rolls 6-6 and cannot move"]),
    (TO_ROLL, replace(TO_ROLL, phase="move", dice=(5, 5), rolls=5), 0, []),
    (TO_ROLL, OFFERED, 1, ["ada doubles to 2"]),
    (TO_ROLL, OFFERED, 0, ["you double to 2"]),
    (OFFERED, TAKEN, 0, ["bob takes the cube at 2"]),
    (OFFERED, BEAVERED, 0, ["bob beavers to 4"]),
    (OFFERED, DROPPED, 1, ["you drop the cube: ada wins 1 point"]),
    (TO_MOVE, RESIGNED, 1, ["ada offers to resign a gammon"]),
    (RESIGNED, TO_MOVE, 0, ["bob refuses the resignation"]),
    (RESIGNED, ACCEPTED, 0, ["you resign a gammon: bob wins 2 points"]),
    (TO_MOVE, FORFEITED, None, ["ada forfeits the game: bob wins 3 points"]),
    (LAST_TURN, WON, 0, ["you play 2-1: 1/off", "you win a backgammon: 3 points"]),
    (WON, replace(WON, ready=(True, False)), 0, []),
    (TO_ROLL, ASKED, 1, ["ada asks to abort the match, so that nobody wins it; abort agrees, to play on declines"]),
    (ASKED, TO_ROLL, 1, ["ada plays on: nobody is asked to abort the match any more"]),
    (WON, NEXT, 0, ["game 2 begins: bob starts with 6-5, the cube is at 2 after ties in the opening roll"]),
    (
        replace(V, phase="open", game=0, players=(None, "bob")),
        TO_MOVE,
        1,
        [
            "ada sits down",
            "game 1 begins: ada starts with 3-1",
        ],
    ),
    (
        replace(TO_MOVE, ratings=(1500, 1600)),
        replace(TO_MOVE, phase="over", ratings=(1510, 1598)),
        0,
        ["ratings: ada 1510 (+10), bob 1598 (-2)"],
    ),
]


@pytest.mark.parametrize(("before", "after", "you", "told"), STORIES)
def test_what_happened_is_told_in_order(before: View, after: View, you: int | None, told: list[str]) -> None:
    assert list(story(before, after, you)) == told


STARTS = [  # view, the reader's seat, how the game began
    (TO_MOVE, 0, "game 1 begins: you start with 3-1"),
    (TO_MOVE, None, "game 1 begins: ada starts with 3-1"),
    (
        replace(TO_MOVE, game=4, crawford=True),
        1,
        "game 4 begins (the Crawford game: nobody may double): ada starts with 3-1",
    ),
    (replace(TO_ROLL, last=(), cube=4), 1, "game 1 begins, the cube is at 4 after ties in the opening roll"),
]


@pytest.mark.parametrize(("view", "you", "sentence"), STARTS)
def test_a_game_begins_in_one_sentence(view: View, you: int | None, sentence: str) -> None:
    assert start_text(view, you) == sentence


RESULTS = [  # view, seat, sentence
    (replace(WON, phase="over"), 0, "you win the match 3 to 0"),
    (replace(WON, phase="over"), 1, "ada wins the match 3 to 0"),
    (
        replace(V, phase="over", score=(1, 2), outcome=(1, 0, 0, "forfeit")),
        0,
        "you forfeit the match at ada 1, bob 2, match to 3 points: bob wins",
    ),
    (
        replace(V, phase="over", outcome=(0, 0, 0, "time")),
        0,
        "bob runs out of time at ada 0, bob 0, match to 3 points: you win",
    ),
    (replace(V, phase="over", score=(4, 6), outcome=(1, 0, 0, "left")), 1, "the session is over, you lead at 6 to 4"),
    (replace(V, phase="over", score=(4, 4), outcome=(None, 0, 0, "left")), 1, "the session is over, level at 4 to 4"),
    (replace(V, phase="over", game=0), 0, "the table was closed before a match began"),
    (replace(V, phase="over", outcome=(None, 0, 0, "voided")), 0, "by a ruling this match does not count"),
    (
        replace(V, phase="over", outcome=(None, 0, 0, "put_back")),
        0,
        "the server was brought back from a backup older than the first roll: this match does not count",
    ),
    (
        replace(V, phase="over", score=(1, 2), outcome=(1, 0, 0, "adjudicated")),
        0,
        "decided by a ruling, at ada 1, bob 2, match to 3 points: bob wins",
    ),
    (
        replace(V, phase="over", outcome=(0, 0, 0, "adjudicated"), used=(200_000, 241_900)),
        0,
        "the time of the round is over, at ada 0, bob 0, match to 3 points: you win, with 3:20 used against 4:01",
    ),
    (
        replace(V, phase="over", outcome=(1, 0, 0, "adjudicated"), used=(12_900, 12_100)),
        0,
        "the time of the round is over, at ada 0, bob 0, match to 3 points: bob wins, with 12.1 s used against 12.9 s",
    ),
    (
        replace(V, phase="over", outcome=(None, 0, 0, "of a later version")),
        0,
        "the match is over, at ada 0, bob 0, match to 3 points: nobody wins it",
    ),
    (
        replace(V, phase="over", game=0, unrevealed=(1,)),
        0,
        "the match is void, and nobody loses anything: no seed for the dice came from bob",
    ),
    (
        replace(V, phase="over", game=0, unrevealed=(0, 1)),
        0,
        "the match is void, and nobody loses anything: the server says that no seed for the dice came from you and bob",
    ),
]


@pytest.mark.parametrize(("view", "you", "sentence"), RESULTS)
def test_a_match_ends_in_one_sentence(view: View, you: int | None, sentence: str) -> None:
    assert result(view, you) == sentence


@pytest.mark.parametrize(
    ("late", "text"),
    [
        ((1,), "no seed for the dice came from bob; nobody loses anything, and you wait on in your place"),
        ((0,), "the server says that no seed for the dice came from you"),
    ],
)
def test_a_match_that_came_to_nothing_while_one_seeks_is_told(late: tuple[int, ...], text: str) -> None:
    view = replace(V, phase="over", game=0, unrevealed=late)
    assert void_while_seeking(view, 0, "") == f"an opponent was found, but the match is void: {text}"
    assert ("place. Lines fail" in void_while_seeking(view, 0, "Lines fail")) == (late == (1,))
