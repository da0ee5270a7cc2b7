"""`python -m tavla_bots.judge sage|gnubg|house|glance`: judges one match, for a server with `--analysis`.

Standard input is a line of JSON, {"rules": {option: value}, "events": [event, ...], "times": [ms, ...], "then": judge}:
the engine's events, as msgspec encodes them, with the time of each, and who shall judge the match later, if somebody
shall; or {"document": match in a file, packed, in base64, "then": judge}. Standard output is lines of JSON:
{"seen": [plays so far, all plays]}, and at last an analysis as `tavla_engine.analysis.plain` has it, with "rough" (then
it will be another judge), "thinking", "errors", "best" (by seat, see `thinking_time.py`, `error_sums.py`,
`best_plays.py`) and "puzzles" (see `puzzles_of`), or {"error": why nobody here can judge it}. It is as polite to other
programs as it can be, and ends soon after its standard input does.
"""

import json
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from tavla_engine.analysis import Analysis, plain
from tavla_engine.decisions import Theme, decisions, kind_of, theme
from tavla_engine.events import Event
from tavla_engine.match import Match, new_match
from tavla_engine.rules import Rules, valid_rules
from tavla_engine.xgid import tells, xgid
from tavla_protocol.file_match import unpack

from tavla_bots.analysis import HOUSE, analyse, judge_for
from tavla_bots.best_plays import best_plays
from tavla_bots.error_sums import error_sums
from tavla_bots.judging import AnalysisStopped, CannotAnalyse, JudgeDeath
from tavla_bots.thinking_time import thinking_times

POLITENESS = 19  # the most there is: play goes first
AHEAD = 0.05  # equity that the right answer of a puzzle is ahead of all others
MOST = 8  # puzzles of a match


class Task(msgspec.Struct):
    """A task: a match to be judged. times: of its events, in ms. then: who shall judge it later; "" = nobody.

    document: in place of all that, one in a file, which knows no times.
    """

    rules: dict[str, Any] = {}
    events: list[Event] = []
    times: list[int] = []
    then: str = ""
    document: bytes = b""

    @property
    def match(self) -> tuple[Match, list[Event], list[int]]:
        """The match at its start, its events, and the time of each."""
        if not self.document:
            return new_match(valid_rules(Rules(**self.rules))), self.events, self.times
        read = unpack(self.document).record()
        return read.start, read.events, [0] * len(read.events)


def answer_to(line: bytes, judge: str, stop: threading.Event) -> dict[str, Any]:
    """The answer to a line. Raises: AnalysisStopped; JudgeDeath, after which one may ask again."""
    task = msgspec.json.decode(line, type=Task)
    start, events, times = task.match
    try:
        last = judge_for(start, task.then or judge)
        rough = bool(task.then) and last != HOUSE
        found = analyse(start, events, _tell, stop, threads=1, judge=judge if rough else last)
        more = {"rough": rough, "thinking": thinking_times(found, events, times)}
        more |= {"errors": error_sums(found, start, events), "puzzles": list(puzzles_of(found, start, events))}
        return plain(found) | more | {"best": best_plays(found, start, events)}
    except JudgeDeath:
        raise
    except CannotAnalyse as error:
        return {"error": str(error)}


def puzzles_of(
    found: Analysis, start: Match, events: Sequence[Event]
) -> Iterator[tuple[str, Theme, float, tuple[Any, ...]]]:
    """The costliest decisions that had one right answer, which was not found; none where no XGID tells the rules.

    Each is its XGID, theme and margin, and the finding as it is sent.
    """
    missed = [one for one in found.worst(len(found.findings)) if min(one.loss, one.margin or 0) >= AHEAD][:MOST]
    asked = {(one.game, one.turn, one.seat, kind_of(one.done)): one for one in missed if tells(start.rules)}
    for at, turn, seat, what in decisions(start, events) if asked else ():
        one = asked.get((at.game, turn, seat, what))
        if one and not (at.offer and at.offer.beavers):
            sent = one.game, one.turn, one.seat, one.done, one.best, round(one.loss, 3), one.mark
            yield xgid(at), theme(at, one.done, one.best), round(one.margin or 0, 3), sent


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
