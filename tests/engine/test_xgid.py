"""XGID: the fields one by one, live matches there and back, and what is no XGID."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tavla_engine.errors import BadText
from tavla_engine.match import Cube, Match, Offer, Phase
from tavla_engine.position import row
from tavla_engine.rules import Rules, Variant, preset
from tavla_engine.xgid import parse_xgid, xgid

from tests.support.games.chance import states_by_chance
from tests.support.games.engine import MONEY, TOURNAMENT, doubled, on_roll, to_move
from tests.support.games.gnu_ids import RECORDS, match_of, told

START = "-b----E-C---eE---c-e----B-"
SCATTERED = (row(off=2, p1=1, p6=11, bar=1), row(off=0, p1=3, p20=2, p8=8, bar=2))
NEAR = on_roll(TOURNAMENT, score=(6, 2), crawford_done=True)

FORMS: list[tuple[Match, str, str]] = [
    (on_roll(TOURNAMENT), f"XGID={START}:0:0:1:00:0:0:0:7:10", "seat 0 is bottom"),
    (on_roll(TOURNAMENT, seat=1), f"XGID={START}:0:0:-1:00:0:0:0:7:10", "the board does not turn round"),
    (to_move((6, 3)), f"XGID={START}:0:0:1:63:0:0:3:0:10", "money: Jacoby 1 + beavers 2"),
    (on_roll(preset("club")), f"XGID={START}:0:0:1:00:0:0:0:0:6", "a cap of 64"),
    (on_roll(preset("club", {"cube_cap": 2})), f"XGID={START}:0:0:1:00:0:0:0:0:1", "a cap of 2"),
    (on_roll(cube=Cube(4, 0, turned=True)), f"XGID={START}:2:1:1:00:0:0:3:0:10", "bottom owns the cube"),
    (on_roll(cube=Cube(4, 1, turned=True)), f"XGID={START}:2:-1:1:00:0:0:3:0:10", "top owns the cube"),
    (doubled(TOURNAMENT, score=(3, 4)), f"XGID={START}:0:0:1:D:3:4:0:7:10", "bottom has doubled"),
    (replace(NEAR, crawford=True), f"XGID={START}:0:0:1:00:6:2:1:7:10", "the Crawford game"),
    (NEAR, f"XGID={START}:0:0:1:00:6:2:0:7:10", "after it"),
    (on_roll(preset("tournament", {"cube": False})), f"XGID={START}:0:0:1:00:0:0:0:7:0", "no cube"),
    (on_roll(board=SCATTERED), "XGID=bA---bK----------h------cA:0:0:1:00:0:0:3:0:10", "both on the bar, two off"),
]


@pytest.mark.parametrize(("match", "text", "why"), FORMS)
def test_each_field_says_what_it_should(match: Match, text: str, why: str) -> None:
    assert xgid(match) == text, why
    assert parse_xgid(text) == match, why
    assert parse_xgid(f"  {text.removeprefix('XGID=')}\n") == match, "the prefix may be left out"


def test_beavers_and_raccoons_are_answered_in_turn() -> None:
    rules = preset("money", {"beavers": 2})
    match = replace(doubled(rules, cube=Cube(2)), offer=Offer(seat=1, holder=1, beavers=1))
    raccoon = replace(doubled(rules, cube=Cube(4)), offer=Offer(seat=0, holder=1, beavers=2))
    for state, letter in ((match, "B"), (raccoon, "R")):
        assert f":1:{letter}:" in xgid(state)
        for text in (xgid(state), xgid(state).replace(letter + ":", letter * 2 + ":")):
            assert parse_xgid(text).offer == state.offer


def test_a_cube_without_cap_may_pass_the_usual_one() -> None:
    match = on_roll(cube=Cube(2**20, 0, turned=True))
    assert xgid(match).endswith(":20:1:1:00:0:0:3:0:20")
    assert parse_xgid(xgid(match)).cube == match.cube


def test_gnu_backgammons_states_survive() -> None:
    for match in map(match_of, RECORDS):
        if match.resignation:
            match = replace(match, phase=match.resignation.phase, resignation=None)
        assert told(parse_xgid(xgid(match))) == told(match)


@pytest.mark.parametrize("variant", Variant)
@pytest.mark.parametrize("rules", [preset("tournament", {"length": 3}), MONEY, preset("mpgn"), preset("club")])
def test_a_live_match_comes_back_from_its_xgid(rules: Rules, variant: Variant) -> None:
    for match in states_by_chance(rules._replace(variant=variant), seed=len(variant), count=200):
        if match.phase in (Phase.ROLL, Phase.MOVE, Phase.CUBE):
            again = parse_xgid(xgid(match), variant)
            if match.offer and match.offer.beavers:
                match = replace(match, cube=match.cube._replace(owner=None))
                again = replace(again, cube=again.cube._replace(owner=None))
            assert told(again) == told(match)
            assert again.rules.cube_cap == rules.cube_cap


BAD = [
    ("", "looks like"),
    ("XGID=", "looks like"),
    (f"XGID={START}:0:0:1:00:0:0:0:7", "looks like"),
    (f"XGID={START}:0:0:1:07:0:0:0:7:10", "looks like"),
    (f"XGID={START}:0:0:0:00:0:0:0:7:10", "looks like"),
    (f"XGID={START}:0:2:1:00:0:0:0:7:10", "looks like"),
    (f"XGID={START[:-1]}p:0:0:1:00:0:0:0:7:10", "looks like"),
    (f"XGID=A{START[1:]}:0:0:1:00:0:0:0:7:10", "opponent's bar"),
    (f"XGID={START[:-1]}a:0:0:1:00:0:0:0:7:10", "opponent's bar"),
    (f"XGID={START[:-1]}A:0:0:1:00:0:0:0:7:10", "16 checkers, more than 15"),
    (f"XGID={START}:0:0:1:00:0:0:0:65:10", "64 points at most"),
    (f"XGID={START}:0:0:1:00:7:0:0:7:10", "this match is over"),
    (f"XGID={START}:0:0:1:00:5:0:1:7:10", "no Crawford game at this score"),
    (f"XGID={START}:0:0:1:D:6:0:1:7:10", "nobody doubles in the Crawford game"),
    (f"XGID={START}:1:0:1:00:6:0:1:7:10", "nobody doubles in the Crawford game"),
    (f"XGID={START}:1:-1:1:D:0:0:0:7:10", "belongs to the opponent"),
    ("XGID=-------------------------B:0:0:1:00:0:0:0:7:10", "the game is over"),
    (f"XGID={START}:0:0:1:00:0:0:2:7:10", "0 or 1 in a match"),
    (f"XGID={START}:33:0:1:00:0:0:0:7:10", "2^32 at most"),
    (f"XGID={START}:0:0:1:00:0:0:1:0:0", "Jacoby rule needs the cube"),
]


@pytest.mark.parametrize(("text", "reason"), BAD)
def test_what_is_no_xgid_is_refused(text: str, reason: str) -> None:
    with pytest.raises(BadText) as caught:
        parse_xgid(text)
    assert reason in str(caught.value)


field = st.sampled_from(["0", "1", "-1", "2", "3", "7", "10", "33", "63", "00", "D", "B", "RR", "x", ""])
board = st.sampled_from([START, START.upper(), START.lower()]) | st.text("-abcoABCO", min_size=26, max_size=26)


@given(st.text() | st.tuples(board, st.lists(field, min_size=9, max_size=9)).map(lambda t: ":".join([t[0], *t[1]])))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        match = parse_xgid(text)
    except BadText:
        return
    assert told(parse_xgid(xgid(match))) == told(match)
