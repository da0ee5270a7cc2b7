"""Runs inside GNU Backgammon, in its own Python: answers each line of JSON on standard input with one. See `gnubg.py`.

Standard output is full of boards, so the answers go to a file descriptor of their own.
"""

import json
import os
import sys
from typing import Any

import gnubg

START = "4HPwATDgc/ABMA:cAkAAAAAAAAA"  # some game in which dice can be set
CONTEXT = {
    "cubeful": 1,
    "plies": int(os.environ["TAVLA_PLIES"]),
    "deterministic": 0,
    "prune": 1,
    "noise": float(os.environ["TAVLA_NOISE"]),
}


def answer(request: dict[str, Any]) -> Any:
    """Move: from, to, from, to, ... Cube: equities of no double, double and take, double and drop. Else: outlook."""
    cube = gnubg.cubeinfo(*[tuple(value) if isinstance(value, list) else value for value in request["cube"]])
    cube["jacoby"] = request["jacoby"]
    board = tuple(tuple(row) for row in request["board"])
    if request["what"] == "move":
        gnubg.command("set dice {} {}".format(*request["dice"]))
        return gnubg.findbestmove(board, cube, CONTEXT)
    if request["what"] == "cube":
        return gnubg.cfevaluate(board, cube, CONTEXT)[1:4]
    return gnubg.evaluate(board, cube, CONTEXT)


gnubg.command("set gnubgid " + START)
with os.fdopen(int(os.environ["TAVLA_ANSWERS"]), "w") as answers:
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), file=answers, flush=True)
