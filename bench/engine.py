"""Speed of the rules: `python -m bench.engine`.

All legal plays of 3,000 positions, and a verdict on each of those plays, on one core. OpenSpiel's C++
`legal_actions` on the same positions in the same run is the yardstick, if `open-spiel` is installed; for a
double it looks at two of the four dice only.
"""

import ctypes
import gzip
import importlib.metadata
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tavla_engine.dice import Dice
from tavla_engine.plays import check_play, legal_plays
from tavla_engine.position import BAR, OFF, Position

from tests.support.results import recorded

DATA = Path(__file__).parent.parent / "tests" / "data" / "legal_plays.jsonl.gz"
ROUNDS = 5  # each call counts with its fastest round, so that a busy machine does not blur the figures

Roll = tuple[Position, Dice]


def run() -> list[tuple[str, str]]:
    """Rows of (what, figures)."""
    with gzip.open(DATA, "rt") as lines:
        cases = [json.loads(line) for line in lines]
    rolls: list[Roll] = [
        (Position(bytes(case["mine"]), bytes(case["theirs"])), (case["dice"][0], case["dice"][1])) for case in cases
    ]
    plays = [(position, dice, play) for position, dice in rolls for play in legal_plays(position, dice).values()]
    two_dice = [(position, dice, play) for position, dice, play in plays if len(play) == 2 and dice[0] != dice[1]]
    return [
        ("legal_plays", figures(lambda roll: len(legal_plays(*roll)), rolls)),
        ("check_play", figures(lambda turn: len(check_play(*turn)) // 2, plays)),
        ("check_play, two dice", figures(lambda turn: len(check_play(*turn)) // 2, two_dice)),
        ("OpenSpiel legal_actions", open_spiel(rolls)),
    ]


def figures(call: Callable[[Any], int], inputs: Sequence[Any]) -> str:
    """Rates and times of a call that returns its number of results."""
    fastest = [float("inf")] * len(inputs)
    results = 0
    for _ in range(ROUNDS):
        results = 0
        for i, value in enumerate(inputs):
            start = time.perf_counter()
            results += call(value)
            fastest[i] = min(fastest[i], time.perf_counter() - start)
    total = sum(fastest)
    fastest.sort()
    median, p99, worst = (1e6 * fastest[int(len(inputs) * part)] for part in (0.5, 0.99, 1 - 1 / len(inputs)))
    return (
        f"{len(inputs) / total:9,.0f} calls/s {results / total:11,.0f} results/s"
        f"   median {median:5.1f} us   p99 {p99:5.0f} us   worst {worst:5.0f} us"
    )


# ---- OpenSpiel: its Python module cannot set up a position, so its C++ method is called directly

SPIEL_VERSION = "2.0.2"  # the one whose objects are laid out as below
STATE = "_ZN10open_spiel10backgammon15BackgammonState"
SET_STATE = STATE + "8SetStateEibRKSt6vectorIiSaIiEES6_S6_RKS2_IS4_SaIS4_EE"
HOLDER = 16  # bytes: where a Python object of pybind11 points to its C++ object


class Vector(ctypes.Structure):
    """A std::vector that its library owns."""

    _fields_ = (("begin", ctypes.c_void_p), ("end", ctypes.c_void_p), ("limit", ctypes.c_void_p))


def vector(kind: Any, items: Sequence[Any]) -> tuple[Vector, Any]:
    """A vector, and the array that has to outlive it."""
    array = (kind * len(items))(*items)
    begin = ctypes.addressof(array)
    end = begin + ctypes.sizeof(array)
    return Vector(begin, end, end), array


def open_spiel(rolls: Sequence[Roll]) -> str:
    try:
        import pyspiel

        if importlib.metadata.version("open-spiel") != SPIEL_VERSION:
            return f"skipped: only open-spiel {SPIEL_VERSION} can be set up with a position"
        set_state = ctypes.CDLL(pyspiel.__file__)[SET_STATE]
    except (ImportError, AttributeError, OSError) as error:
        return f"skipped: {error} (pip install open-spiel=={SPIEL_VERSION})"
    set_state.restype = None
    games = {15: pyspiel.load_game("backgammon"), 3: pyspiel.load_game("backgammon(hyper_backgammon=true)")}
    states = []
    for (mine, theirs), dice in rolls:
        state = games[sum(mine)].new_initial_state()
        state.apply_action(0)
        numbers = [dice, (mine[BAR], theirs[BAR]), (mine[OFF], theirs[OFF]), mine[24:0:-1], theirs[1:BAR]]
        vectors = [vector(ctypes.c_int, some) for some in numbers]
        board, _alive = vector(Vector, [some for some, _ in vectors[3:]])
        holder = ctypes.c_void_p.from_address(id(state) + HOLDER).value
        assert holder, "not an object of pybind11"
        pointer = ctypes.c_void_p.from_address(holder)
        set_state(pointer, 0, False, *(ctypes.byref(some) for some, _ in vectors[:3]), ctypes.byref(board))
        assert [state.board(0, point) for point in range(24)] == list(mine[24:0:-1]), "the position did not arrive"
        states.append(state)
    return figures(lambda state: len(state.legal_actions()), states)


def main() -> None:
    for what, measured in run():
        print(f"    {what:24} {measured}")


if __name__ == "__main__":
    with recorded("engine"):
        main()
