"""Positions that are pasted into the page: read as the engine reads them, and written back."""

import itertools

import pytest
from gvformat import board_to_ogid
from tavla_engine.gnuid import gnu_id
from tavla_engine.match import Match, Phase
from tavla_engine.position import BAR
from tavla_engine.positionid import position_id
from tavla_engine.rules import Rules, preset
from tavla_engine.xgid import xgid

from tests.support.browser.node import ask_modules
from tests.support.games.chance import states_by_chance

RULES = [
    preset("tournament", {"length": 5}),
    preset("tournament", {"length": 3, "cube_cap": 4}),
    preset("money", {"beavers": 0, "jacoby": True}),
    preset("money", {"beavers": 0, "jacoby": False}),
]
NO_CAP = 2**32

pytestmark = pytest.mark.slow


def states(rules: Rules) -> list[Match]:
    """States in which somebody has to decide something on the board or about the cube."""
    found = itertools.chain.from_iterable(states_by_chance(rules, seed, 150) for seed in range(3))
    return [match for match in found if match.phase in (Phase.ROLL, Phase.MOVE, Phase.CUBE)]


@pytest.mark.parametrize("rules", RULES)
def test_what_other_programs_write_is_read_as_the_engine_reads_it(rules: Rules) -> None:
    matches = states(rules)
    assert len(matches) > 50
    texts = [xgid(match) for match in matches]
    for match, text, said in zip(matches, texts, ask_modules("setup", texts), strict=True):
        assert said.pop("xgid") == text
        assert said == told(match), text
    for match, said in zip(matches, ask_modules("setup", [gnu_id(match) for match in matches]), strict=True):
        del said["xgid"]
        assert said == told(match) | {"cap": NO_CAP, "beavers": False}, gnu_id(match)


def ogid(match: Match) -> str:
    """The OGID of a state, by the reader of the package that wrote the format down."""
    mine, theirs = match.position
    points = [theirs[BAR], *(mine[point] - theirs[BAR - point] for point in range(1, BAR)), mine[BAR]]
    acts = match.turn if match.offer is None else 1 - match.turn
    text: str = board_to_ogid(
        points,
        mover_is_white=match.turn == 0,
        cube_value=match.cube.value,
        cube_owner="N" if match.cube.owner is None else "WB"[match.cube.owner],
        cube_action="O" if match.offer else "N",
        dice=match.dice,
        on_roll="WB"[acts],
        game_state="D" if match.offer else "R" if match.dice else "C",
        score_white=match.score[0],
        score_black=match.score[1],
        match_length=match.rules.length,
        crawford=match.crawford,
    )
    return text


@pytest.mark.parametrize("rules", RULES)
def test_an_ogid_is_read_as_its_own_package_writes_it(rules: Rules) -> None:
    matches = states(rules)
    for match, said in zip(matches, ask_modules("setup", list(map(ogid, matches))), strict=True):
        del said["xgid"]
        dice = sorted(match.dice or ())
        assert said == told(match) | {"cap": NO_CAP, "isJacoby": False, "beavers": False, "dice": dice}, ogid(match)


def told(match: Match) -> dict[str, object]:
    """The values that the page reads from a match's text."""
    return {
        "rows": [list(row) for row in match.board],
        "seat": match.turn,
        "dice": list(match.dice or ()),
        "isOffered": match.offer is not None,
        "cube": match.cube.value,
        "owner": -1 if match.cube.owner is None else match.cube.owner,
        "score": list(match.score),
        "length": match.rules.length,
        "isCrawford": match.crawford,
        "isJacoby": match.rules.jacoby,
        "beavers": match.rules.beavers > 0,
        "cap": match.rules.cube_cap or NO_CAP,
    }


def test_a_position_id_alone_is_a_game_for_money_before_the_roll() -> None:
    (match, *_) = states(RULES[0])
    (said,) = ask_modules("setup", [position_id(match.position)])
    assert said["rows"] == [list(match.position.mine), list(match.position.theirs)]
    assert (said["seat"], said["dice"], said["length"], said["cube"]) == (0, [], 0, 1)


START = "-b----E-C---eE---c-e----B-"
FAULTS = [  # a text, and the beginning of what is said of it
    ("", "This is no position"),
    ("hello", "This is no position"),
    (f"XGID={START}:0:0:1:31:0:0:0:0", "An XGID has ten fields"),
    (f"XGID={START}-:0:0:1:31:0:0:0:0:10", "The first field has 26 signs"),
    (f"XGID={START}:x:0:1:31:0:0:0:0:10", "The cube is told as a power of two"),
    (f"XGID={START}:33:0:1:31:0:0:0:0:10", "The cube is told as a power of two"),
    (f"XGID={START}:0:2:1:31:0:0:0:0:10", "The third field"),
    (f"XGID={START}:0:0:0:31:0:0:0:0:10", "The fourth field"),
    (f"XGID={START}:0:0:1:71:0:0:0:0:10", "The fifth field"),
    (f"XGID={START}:0:0:1:31:x:0:0:0:10", "The sixth and seventh field"),
    (f"XGID={START}:0:0:1:31:0:0:4:0:10", "The eighth field"),
    (f"XGID={START}:0:0:1:31:0:0:0:65:10", "The ninth field"),
    ("XGID=Ab----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", "A checker stands on the bar"),
    ("XGID=-b----E-C---eE---c-e----F-:0:0:1:31:0:0:0:0:10", "A player has more than 15 checkers"),
    ("XGID=-b----------e----c-e------:0:0:1:31:0:0:0:0:10", "A player has no checkers left"),
    (f"XGID={START}:0:0:1:31:7:0:0:7:10", "By this score the match is over"),
    (f"XGID={START}:1:-1:1:D:0:0:0:7:10", "A player doubles with the other one's cube"),
    (f"XGID={START}:0:0:1:31:0:0:1:7:10", "It is the Crawford game only"),
    (f"XGID={START}:1:0:1:31:6:0:1:7:10", "In the Crawford game nobody may double"),
    (f"XGID={START}:2:1:1:00:4:0:1:5:10", "In the Crawford game nobody may double"),
    ("//////////////", "A player has more than 15 checkers"),
    ("11ccccchhhjjjjj:66666888dddddoo:N0N:70:B:C:0:0:5:0", "An OGID is"),
    ("OGID=11ccccchhhjjjjj:66666888dddddoo", "An OGID is"),
    ("11ccccchhhjjjjjp:66666888dddddoo:N0N::B:C:0:0:5:0", "A checker stands on the bar"),
]


def test_what_is_no_position_is_not_read_and_each_fault_has_a_sentence_of_its_own() -> None:
    texts = [text for text, _ in FAULTS]
    assert {*ask_modules("setup", texts)} == {None}
    for (text, begins), said in zip(FAULTS, ask_modules("setupFault", texts), strict=True):
        assert said.startswith(begins), text


def test_a_target_is_marked_where_the_checker_will_lie_whoever_plays() -> None:
    """Below the fifth checker of a point, and in the tray, where the top player's lie from the top."""
    questions = [
        {"isMine": mine, "own": [count] * 26, "point": point}
        for mine in (True, False)
        for point in range(25)
        for count in (range(15) if point == 0 else range(5))
    ]
    for question, (mark, checker) in zip(questions, ask_modules("mark", questions), strict=True):
        assert mark == checker, question


def test_of_two_on_the_bar_the_one_on_roll_is_carried() -> None:
    bar = "XGID=aA-----------------------A:0:0:{turn}:31:0:0:0:0:10"
    white, black = (bar.format(turn=turn) for turn in (1, -1))
    assert ask_modules("carried", [[white, 25, 3], [black, 25, 3]]) == [
        white.replace("aA-----------------------A", "aA-A----------------------"),
        black.replace("aA-----------------------A", "-A-a---------------------A"),
    ]
