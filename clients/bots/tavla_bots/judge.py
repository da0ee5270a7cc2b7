"""`python -m tavla_bots.judge sage|gnubg|house`: judges one match, for a server with `--analysis`.

Standard input is a line of JSON, {"rules": {option: value}, "events": [event, ...], "times": [ms, ...], "then": judge}:
the engine's events, as msgspec encodes them, with the time of each, and who shall judge the match later, if somebody
shall. Standard output is lines of JSON: {"seen": [plays so far, all plays]}, and at last an analysis as
`tavla_engine.analysis.plain` has it, with "rough" (then it will be another judge), "thinking" and "errors" by seat, see
`ThinkingTime` and `ErrorSum`, and "puzzles", see `puzzles_of`; or {"error": why nobody here can judge it}. It is as
polite to other programs as it can be, and ends soon after its standard input does.
"""

import json
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
from tavla_engine import events as e
from tavla_engine.analysis import Analysis, plain
from tavla_engine.conditions import no_double
from tavla_engine.decisions import Decision, Theme, decisions, kind_of, phase, theme
from tavla_engine.events import Event
from tavla_engine.match import Match, Phase, new_match
from tavla_engine.rules import Rules, valid_rules
from tavla_engine.xgid import tells, xgid

from tavla_bots.analysis import analyse, judge_for
from tavla_bots.judging import AnalysisStopped, CannotAnalyse, JudgeDeath

POLITENESS = 19  # the most there is: play goes first
AHEAD = 0.05  # equity that the right answer of a puzzle is ahead of all others
MOST = 8  # puzzles of a match


class Task(msgspec.Struct):
    """A task: a match to be judged. times: of its events, in ms. then: who shall judge it later; "" = nobody."""

    rules: dict[str, Any]
    events: list[Event]
    times: list[int]
    then: str = ""


MOST_MS = 60_000  # a player may have been away


class ThinkingTime(NamedTuple):
    """Thinking time of one player, over plays that count. right: hard ones in which the choice was the judge's.

    hard_ms, others_ms: of all together, each of MOST_MS at most.
    """

    hard: int = 0
    right: int = 0
    hard_ms: int = 0
    others: int = 0
    others_ms: int = 0


def thinking_times(found: Analysis, events: Sequence[Event], times: Sequence[int]) -> tuple[ThinkingTime, ThinkingTime]:
    """Thinking time by seat; none where the judge does not tell what was hard. times: of the events, in ms."""
    took = _times_by_play(events, times)
    sums = [ThinkingTime(), ThinkingTime()]
    for one in found.findings:
        if one.hard is None or not one.counts:
            continue
        ms, is_right = took[one.game, one.turn], one.loss == 0
        more = ThinkingTime(1, is_right, ms) if one.hard else ThinkingTime(others=1, others_ms=ms)
        sums[one.seat] = ThinkingTime(*map(sum, zip(sums[one.seat], more, strict=True)))
    return sums[0], sums[1]


def _times_by_play(events: Sequence[Event], times: Sequence[int]) -> dict[tuple[int, int], int]:
    """Times from the roll to the play, by game and turn."""
    took, game, turn, rolled = dict[tuple[int, int], int](), 0, 1, 0
    for event, time in zip(events, times, strict=True):
        match event:
            case e.GameStarted():
                game, turn = game + 1, 1
            case e.OpeningRolled() | e.Rolled():
                rolled = time
            case e.Moved():
                took[game, turn] = min(max(time - rolled, 0), MOST_MS)
                turn += 1
    return took


_KINDS = {"no double": "double", "drop": "take"}


class ErrorSum(NamedTuple):
    """A sum of the errors of one player, in decisions of one kind or in one phase.

    what: `play`, `double`, `take`, or a phase. decisions: those that count. loss: equity, of all together; worst: of
    the costliest one; number: its own among the match's decisions, from 1, as the page's review counts them.
    """

    what: str
    decisions: int = 0
    loss: float = 0.0
    worst: float = 0.0
    number: int = 0


def error_sums(found: Analysis, start: Match, events: Sequence[Event]) -> tuple[list[ErrorSum], list[ErrorSum]]:
    """Sums by seat, each kind and phase that occurs once."""
    by_place = {(one.game, one.turn, one.seat, kind_of(one.done)): one for one in found.findings}
    sums: tuple[dict[str, ErrorSum], dict[str, ErrorSum]] = ({}, {})
    asked = (one for one in decisions(start, events) if _is_asked(one))
    for number, (at, turn, seat, what) in enumerate(asked, 1):
        one = by_place.get((at.game, turn, seat, what))
        if one is None or not (one.counts or one.loss):
            continue
        loss = round(one.loss, 3)
        for name in (_KINDS.get(what, what), phase(at)):
            _, count, lost, worst, place = sums[seat].get(name, ErrorSum(name))
            most = (loss, number) if loss > worst else (worst, place)
            sums[seat][name] = ErrorSum(name, count + one.counts, round(lost + loss, 3), *most)
    return list(sums[0].values()), list(sums[1].values())


def _is_asked(one: Decision) -> bool:
    """True for what the page's review counts as a decision."""
    if one.at.offer and one.at.offer.beavers:
        return False
    return one.what != "no double" or (one.at.phase is Phase.ROLL and no_double(one.at, one.seat) is None)


def answer_to(line: bytes, judge: str, stop: threading.Event) -> dict[str, Any]:
    """The answer to a line. Raises: AnalysisStopped; JudgeDeath, after which one may ask again."""
    task = msgspec.json.decode(line, type=Task)
    start = new_match(valid_rules(Rules(**task.rules)))
    try:
        rough = bool(task.then) and judge_for(start, task.then) != judge_for(start, judge)
        found = analyse(start, task.events, _tell, stop, threads=1, judge=judge)
        times = thinking_times(found, task.events, task.times)
        more = {"rough": rough, "thinking": times, "errors": error_sums(found, start, task.events)}
        return plain(found) | more | {"puzzles": list(puzzles_of(found, start, task.events))}
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
