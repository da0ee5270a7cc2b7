"""`python -m tavla_bots.sage_script`: Sage (the package `bgsage`) in a process of its own, which `sage.py` starts.

Standard input and output are lines of JSON. The first answer has the program's name, once it has judged a position:
without AVX2 it ends there, with no word. What asks it says a number of plies as Sage counts them, the network alone
being one. It ends with its input, whatever it is at: a question cannot be taken back.
"""

import json
import os
import sys
import threading
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from queue import SimpleQueue
from typing import Any

import bgbot_cpp
from bgsage import STARTING_BOARD, BgBotAnalyzer, flip_board
from bgsage.weights import bearoff_db_path, default_weights

OTHERS = {"centered": "CENTERED", "player": "OPPONENT", "opponent": "PLAYER"}  # owner of the cube, for the other side
NEAR, MOST = 0.12, 8  # equity by the network alone, and plays: those that two plies see
CLOSE = 0.04  # equity by two plies: those that three see
MEMORY_BYTES = 512 << 20  # of addresses; it takes 200 MB
FAR = 0.2  # a double that would cost more needs no third ply
# 72 games, cut after five turns, as its level `truncated1` has it, but of two plays: a second for each.
ROLLOUT = {"n_trials": 72, "truncation_depth": 5, "ultra_late_threshold": 2, "filter_max_moves": 2}
ROLLS, ORDERED = [(high, low) for high in range(1, 7) for low in range(1, high + 1)], 36


class SageProgram:
    """Sage as a program of questions and answers: its evaluator, and how deeply it looks."""

    def __init__(self) -> None:
        weights = default_weights()
        self._network = bgbot_cpp.create_strategy(
            weights.strategy_type, weights.weight_paths_list, weights.hidden_sizes_list
        )
        self._bearoff = bgbot_cpp.BearoffDB()
        self._bearoff.load(bearoff_db_path())
        self._cubes = BgBotAnalyzer(eval_level="3ply")
        self._rollouts: BgBotAnalyzer | None = None

    def plays(
        self, board: list[int], after: list[list[int]], made: int | None, stakes: dict[str, Any]
    ) -> dict[str, Any]:
        """Plays by their number, with their equities, the best first; those seen most deeply before others. first: the
        best one by the network alone.

        after: the board after each play. made: the number of the one that was made; None: one is to be chosen, by two
        plies.
        """

        def values(places: Iterable[int], plies: int) -> dict[int, float]:
            found = {place: self._equity(board, after[place], plies, stakes) for place in places}
            return dict(sorted(found.items(), key=lambda item: -item[1]))

        shallow = values(range(len(after)), 1)
        near = [*_near(shallow, NEAR)][:MOST]
        if made is None:
            deepest = shallow if len(near) == 1 else values(near, 2)
        else:
            deep = shallow if near == [made] else values({*near, made}, 2)
            close = [*_near(deep, CLOSE)][:MOST]
            deepest = deep if close == [made] else values({*close, made}, 3)
        ranked = {**deepest, **{place: value for place, value in shallow.items() if place not in deepest}}
        return {"plays": [*ranked.items()], "first": next(iter(shallow))}

    def _equity(self, board: list[int], after: list[int], plies: int, stakes: dict[str, Any]) -> float:
        """The equity after a play, which is what the opponent has not."""
        theirs = {**stakes, "away1": stakes["away2"], "away2": stakes["away1"]}
        owner = getattr(bgbot_cpp.CubeOwner, OTHERS[theirs.pop("cube_owner")])
        found = bgbot_cpp.cubeful_probs_and_equity_nply(
            flip_board(after), owner, self._network, plies, bearoff_db=self._bearoff, root_board=board, **theirs
        )
        return -float(found["equity"])

    def cube(self, board: list[int], doubled: bool | None, stakes: dict[str, Any]) -> dict[str, Any]:
        """Equities of waiting, of a double that is taken, and of each roll: [high, low, equity].

        doubled: the cube was offered; None = it could not be, the rolls alone are asked for.
        """
        rolls = [[high, low, self._rolled(board, high, low, stakes)] for high, low in ROLLS]
        waiting = sum(equity * (1 + (high != low)) for high, low, equity in rolls) / ORDERED
        taken = 0.0 if doubled is None else self._taken(board, stakes)
        if doubled or (doubled is False and min(taken, 1) > waiting - FAR):
            found = self._cubes.cube_action(board, **stakes)  # it reads its weights anew at each call: 26 ms
            waiting, taken = found.equity_nd, found.equity_dt
        return {"cube": [waiting, taken], "rolls": rolls}

    def rollout(
        self, board: list[int], dice: list[int] | None, made: list[int] | None, stakes: dict[str, Any]
    ) -> list[tuple[list[int], float, float]]:
        """A rollout of the two plays that seem best and the one that was made: board after it, equity, standard error.

        Without dice two rows: waiting, and a double that is taken.
        """
        rollouts = self._rollouts = self._rollouts or BgBotAnalyzer(eval_level="rollout", **ROLLOUT)
        if dice is None:
            cube = rollouts.cube_action(board, **stakes)
            return [(board, cube.equity_nd, cube.equity_nd_se or 0), (board, cube.equity_dt, cube.equity_dt_se or 0)]
        found = rollouts.checker_play(board, *dice, force_boards=[made] if made else None, **stakes).moves
        return [(one.board, one.equity, one.std_error) for one in found if one.std_error is not None]

    def _rolled(self, board: list[int], high: int, low: int, stakes: dict[str, Any]) -> float:
        """The equity of a roll at two plies; who cannot move stays where he is."""
        after = bgbot_cpp.possible_moves(board, high, low) or [board]
        return max(self._equity(board, list(one), 1, stakes) for one in after)

    def _taken(self, board: list[int], stakes: dict[str, Any]) -> float:
        """The equity of a double that is taken, at two plies and this cube."""
        value, score = stakes["cube_value"], (stakes["away1"], stakes["away2"])
        doubled = {name: value for name, value in stakes.items() if name != "cube_owner"} | {"cube_value": 2 * value}
        owner = bgbot_cpp.CubeOwner.OPPONENT
        equity = bgbot_cpp.cubeful_equity_nply(board, owner, self._network, 2, bearoff_db=self._bearoff, **doubled)
        if not any(score):
            return 2 * float(equity)
        chance = bgbot_cpp.eq2mwc(equity, *score, 2 * value, stakes["is_crawford"])
        return float(bgbot_cpp.mwc2eq(chance, *score, value, stakes["is_crawford"]))


def _near(values: dict[int, float], margin: float) -> Iterator[int]:
    """Plays that lose less than this by some values, which are in order."""
    best = max(values.values())
    return (place for place, value in values.items() if best - value < margin)


def limit_memory() -> None:
    """Let no fault take the machine's memory."""
    if sys.platform == "linux":  # elsewhere there is no such limit, or none that holds
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def main() -> None:
    """Answer each line."""
    limit_memory()
    program = SageProgram()
    trial = {"cube_value": 1, "cube_owner": "centered", "away1": 0, "away2": 0, "jacoby": False, "beaver": False}
    program.plays(STARTING_BOARD, bgbot_cpp.possible_moves(STARTING_BOARD, 3, 1), 0, {**trial, "is_crawford": False})
    major, minor, *_ = version("bgsage").split(".")
    print(json.dumps({"name": f"Sage {major}.{minor}"}), flush=True)
    lines = SimpleQueue[str]()

    def read() -> None:
        for line in sys.stdin:
            lines.put(line)
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    while True:
        question = json.loads(lines.get())
        ask = program.plays if "after" in question else program.rollout if "dice" in question else program.cube
        answer = ask(**question)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
