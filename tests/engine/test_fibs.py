"""The line for an external player: as GNU Backgammon writes it, to the byte but for the names."""

import pytest
from tavla_engine.fibs import fibs
from tavla_engine.xgid import parse_xgid

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
    match = parse_xgid(position)
    assert fibs(match).split(":")[3:] == line.strip("\0\n").split(":")[3:], why
