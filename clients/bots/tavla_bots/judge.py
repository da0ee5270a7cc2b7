"""`python -m tavla_bots.judge sage|gnubg|house`: judges one match, for a server with `--analysis`.

Standard input is a line of JSON, {"rules": {option: value}, "events": [event, ...], "times": [ms, ...], "then": judge}:
the engine's events, as msgspec encodes them, with the time of each, and who shall judge the match later, if somebody
shall. Standard output is lines of JSON: {"seen": [plays so far, all plays]}, and at last an analysis as
`tavla_engine.analysis.plain` has it, with "rough" (then it will be another judge) and "thinking" (by seat, see
`thinking_time.py`), or {"error": why nobody here can judge it}. It is as polite to other programs as it can be, and
ends soon after its standard input does.
"""

import json
import os
import sys
import threading
from typing import Any

import msgspec
from tavla_engine.analysis import plain
from tavla_engine.events import Event
from tavla_engine.match import new_match
from tavla_engine.rules import Rules, valid_rules

from tavla_bots.analysis import analyse, judge_for
from tavla_bots.judging import AnalysisStopped, CannotAnalyse, JudgeDeath
from tavla_bots.thinking_time import thinking_times

POLITENESS = 19  # the most there is: play goes first


class Task(msgspec.Struct):
    """A task: a match to be judged. times: of its events, in ms. then: who shall judge it later; "" = nobody."""

    rules: dict[str, Any]
    events: list[Event]
    times: list[int]
    then: str = ""


def answer_to(line: bytes, judge: str, stop: threading.Event) -> dict[str, Any]:
    """The answer to a line. Raises: AnalysisStopped; JudgeDeath, after which one may ask again."""
    task = msgspec.json.decode(line, type=Task)
    start = new_match(valid_rules(Rules(**task.rules)))
    try:
        rough = bool(task.then) and judge_for(start, task.then) != judge_for(start, judge)
        found = analyse(start, task.events, _tell, stop, threads=1, judge=judge)
        return plain(found) | {"rough": rough, "thinking": thinking_times(found, task.events, task.times)}
    except JudgeDeath:
        raise
    except CannotAnalyse as error:
        return {"error": str(error)}


def _tell(done: int, plays: int) -> None:
    print(json.dumps({"seen": [done, plays]}), flush=True)


def main() -> None:
    """Judge the match on standard input."""
    os.nice(POLITENESS)
    line, stop = sys.stdin.buffer.readline(), threading.Event()

    def wait_for_end() -> None:
        os.read(sys.stdin.fileno(), 1)  # the parent has ended
        stop.set()

    threading.Thread(target=wait_for_end, daemon=True).start()
    try:
        print(json.dumps(answer_to(line, sys.argv[1], stop)), flush=True)
    except AnalysisStopped:
        sys.exit(1)


if __name__ == "__main__":
    main()
