"""The line for an external player: what GNU Backgammon wrote, live matches there and back, and what is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tavla_engine.errors import BadText
from tavla_engine.fibs import fibs, parse_fibs
from tavla_engine.match import Phase
from tavla_engine.rules import Rules, preset
from tavla_engine.xgid import xgid

from tests.support.games.chance import states_by_chance
from tests.support.games.engine import MONEY
from tests.support.games.gnu_ids import told

START = "0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
REST = "1:-1:0:25:0:0:0:0:0:0"

WROTE = [  # GNU Backgammon 1.07.001 to an external player, and the XGID of that moment: its player 1 is seat 0
    (
        "board:gnubg:root:5:0:0:-1:0:-1:2:0:2:3:0:1:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:-1:2:1:2:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1",
        "XGID=a-aB-BC-A---eE---c-e----B-:0:0:-1:21:0:0:0:5:10",
        "to be played, player 0",
    ),
    (
        "\0board:gnubg:root:5:0:0:0:0:0:0:0:0:5:-2:3:0:0:0:-3:5:0:0:0:-1:-2:-3:-2:0:-2:1:0:1:1:4:2:4:2:2:1:0:0:1:-1:0:25:0:0:0:0:0:0:0:1\n",
        "XGID=------EbC---cE---abcb-bA-A:1:1:1:42:0:0:0:5:10",
        "player 1 owns the cube",
    ),
    (
        "board:root:gnubg:3:0:1:0:0:-1:0:0:-1:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:0:0:0:0:1:1:1:1:1:-1:0:25:0:0:0:0:0:0:0:1",
        "XGID=--a--aE-C---eE---c-e----B-:0:0:1:D:0:1:0:3:10",
        "player 1 has doubled, and player 0 leads",
    ),
    (
        "board:gnubg:root:2:1:0:-1:0:-1:0:0:2:4:0:2:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:-1:6:5:6:5:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0",
        "XGID=a-a--BD-B---eE---c-e----B-:0:0:-1:65:0:1:1:2:10",
        "the Crawford game",
    ),
]


@pytest.mark.parametrize(("line", "position", "why"), WROTE, ids=[case[2] for case in WROTE])
def test_what_gnu_backgammon_wrote(line: str, position: str, why: str) -> None:
    match = parse_fibs(line)
    assert xgid(match) == position, why
    assert fibs(match).split(":")[3:] == line.strip("\0\n").split(":")[3:], "to the byte, but for the names"


@pytest.mark.parametrize("rules", [preset("tournament", {"length": 3}), MONEY])
def test_a_live_match_comes_back_from_its_line(rules: Rules) -> None:
    for match in states_by_chance(rules, seed=3, count=300):
        if match.phase in (Phase.ROLL, Phase.MOVE, Phase.CUBE) and not (match.offer and match.offer.beavers):
            assert told(parse_fibs(fibs(match))) == told(match)


BAD = [
    ("", "is asked for by board:"),
    ("version", "not by 'version'"),
    (f"board:a:b:7:0:0:{START}:1:0:0:0:0:1:1:1:0:{REST}:0", "52 fields"),
    (f"board:a:b:65:0:0:{START}:1:0:0:0:0:1:1:1:0:{REST}:0:1", "1 to 64 points"),
    (f"board:a:b:7:7:0:{START}:1:0:0:0:0:1:1:1:0:{REST}:0:1", "below the length"),
    (f"board:a:b:7:-1:0:{START}:1:0:0:0:0:1:1:1:0:{REST}:0:1", "below the length"),
    (f"board:a:b:7:0:0:{START}:0:0:0:0:0:1:1:1:0:{REST}:0:1", "1 or -1 is on roll"),
    (f"board:a:b:7:0:0:{START}:1:7:1:7:1:1:1:1:0:{REST}:0:1", "a die shows"),
    (f"board:a:b:7:0:0:{START}:1:-1:1:-1:1:1:1:1:0:{REST}:0:1", "a die shows"),
    (f"board:a:b:7:0:0:{START}:1:0:0:0:0:3:1:1:0:{REST}:0:1", "1, 2, 4 and so on"),
    (f"board:a:b:7:0:0:{START}:1:0:0:0:0:1:1:1:0:{REST}:0:0", "needs one point"),
    (f"board:a:b:7:6:0:{START}:1:0:0:0:0:1:1:1:1:{REST}:0:0", "nobody doubles in the Crawford game"),
    (f"board:a:b:7:0:0:{START.replace('5', '6')}:1:0:0:0:0:1:1:1:0:{REST}:0:1", "17 checkers"),
]


@pytest.mark.parametrize(("line", "reason"), BAD)
def test_what_is_no_line_is_refused(line: str, reason: str) -> None:
    with pytest.raises(BadText) as caught:
        parse_fibs(line)
    assert reason in str(caught.value)


number = st.integers(-2, 6) | st.integers(-(10**9), 10**9)


@given(st.text() | st.lists(number, min_size=50, max_size=50).map(lambda it: "board:a:b:" + ":".join(map(str, it))))
def test_any_text_is_read_or_refused(line: str) -> None:
    try:
        match = parse_fibs(line)
    except BadText:
        return
    assert told(parse_fibs(fibs(match))) == told(match)
