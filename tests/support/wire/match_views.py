"""Views of a match at its moments, for tables: before and after a play, a double, a resignation, the last turn."""

from msgspec.structs import replace
from tavla_engine.position import row
from tavla_protocol.view import View

from tests.support.games.agreed import KINDS, NAMES, SALTS

START = row(p24=2, p13=5, p8=3, p6=5)
V = View(
    name="ada",
    rules={"length": 3, "cube": True, "forfeit_multiplier": 0},
    players=NAMES,
    kinds=KINDS,
    salts=SALTS,
    points=START + START,
    game=1,
    rolls=1,
)
TO_MOVE = replace(V, phase="move", dice=(3, 1))
MOVED = replace(
    V, phase="roll", turn=1, last=((0, 3, 1, 8, 5, 6, 5),), points=row(p24=2, p13=5, p8=2, p6=4, p5=2) + START
)
BLOT = replace(TO_MOVE, points=START + row(p24=1, p20=1, p13=5, p8=3, p6=5))
HIT = replace(
    MOVED,
    last=((0, 3, 1, 8, 5, 6, 5),),
    points=row(p24=2, p13=5, p8=2, p6=4, p5=2) + row(p24=1, p13=5, p8=3, p6=5, bar=1),
)
DANCED = replace(HIT, phase="move", turn=0, dice=(6, 2), rolls=3, last=(*HIT.last, (1, 6, 6)))
TO_ROLL = replace(V, phase="roll", turn=0, last=((1, 2, 1, 13, 11, 6, 5),), rolls=4)
OFFERED = replace(TO_ROLL, phase="cube", offer=0)
TAKEN = replace(TO_ROLL, phase="move", cube=2, owner=1, dice=(4, 4), rolls=5)
DROPPED = replace(TO_ROLL, phase="ready", score=(1, 0), outcome=(0, 1, 1, "drop"))
BEAVERED = replace(OFFERED, cube=2, owner=1, offer=1)
RESIGNED = replace(TO_MOVE, phase="resign", resignation=(0, 2))
ACCEPTED = replace(TO_MOVE, phase="ready", dice=(), score=(0, 2), outcome=(1, 2, 2, "resignation"))
FORFEITED = replace(ACCEPTED, score=(0, 3), outcome=(1, 3, 3, "forfeit"))
LAST_TURN = replace(V, phase="move", dice=(2, 1), points=row(p1=1, off=14) + row(p24=15), rolls=60)
WON = replace(
    LAST_TURN,
    phase="ready",
    dice=(),
    last=((0, 2, 1, 1, 0),),
    points=row(off=15) + row(p24=15),
    score=(3, 0),
    outcome=(0, 3, 3, "borne_off"),
)
NEXT = replace(WON, phase="move", game=2, turn=1, dice=(6, 5), outcome=None, last=(), rolls=62, cube=2)
