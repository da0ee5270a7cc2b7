"""`python -m tavla_bots.deeper sage|house`: looks deeper at one decision, for a server with `--analysis`.

Standard input is a line of JSON, {"xgid": position, "made": play, "" for the cube}. Standard output is a line of JSON
for each look, the deeper one later: {"by": judge, "choices": [[choice, equity, error], ...]}, the best first; equity of
the player on roll, or who has doubled; error: the true one is within so much in 95 of 100 cases, null = it is not
known. It is as polite as the judge of matches, and ends soon after its standard input does.
"""

import json
import os
import sys
import threading
from collections.abc import Iterator
from typing import Any

from tavla_engine.match import Match
from tavla_engine.notation import format_play, parse_play
from tavla_engine.plays import resolve_play
from tavla_engine.position import Position
from tavla_engine.xgid import parse_xgid

from tavla_bots.analysis import judge_for, position_judge
from tavla_bots.judge import POLITENESS
from tavla_bots.judging import turn_of
from tavla_bots.sage import SageJudge

SHOWN = 5  # plays, and the one that was made
NORMAL = 1.96  # standard errors: 95 %
Row = tuple[str, float, float | None]


def looks(at: Match, made: str, judge: str) -> Iterator[dict[str, Any]]:
    """Answers about a decision, as the program tells them, the deeper one later. made: the play; "" = the cube."""
    asked, seat = position_judge(judge_for(at, judge)), at.offer.seat if at.offer else at.turn
    turn = turn_of(at, seat)
    if not at.dice:
        yield {"by": asked.name, "choices": _cube_rows(*((equity, None) for equity in asked.cube(at, seat, True)))}
        if isinstance(asked, SageJudge):
            cube = ((equity, NORMAL * error) for _, equity, error in asked.rollout(turn, None))
            yield {"by": asked.rollout_name, "choices": _cube_rows(*cube)}
        return
    own = Position(*resolve_play(at.position, at.dice, parse_play(made), at.rules.hit_and_run)[1])
    names = {play.after: format_play(at.position, play.moves) for play in turn.plays}
    ranked = enumerate(asked.ranking(turn, own).plays)
    rows = [(names[play.after], equity, None) for place, (play, equity) in ranked if place < SHOWN or play.after == own]
    yield {"by": asked.name, "choices": rows}
    if isinstance(asked, SageJudge):
        found = [
            (names[turn.plays[place].after], equity, NORMAL * error)
            for place, equity, error in asked.rollout(turn, own)
        ]
        yield {"by": asked.rollout_name, "choices": sorted(found, key=lambda row: -row[1])}


def _cube_rows(waiting: tuple[float, float | None], taken: tuple[float, float | None]) -> list[Row]:
    """Rows of the cube: the best of the doubler first, as far as the opponent answers well."""
    double: list[Row] = sorted([("double, take", *taken), ("double, drop", 1.0, None)], key=lambda row: row[1])
    return sorted([("no double", *waiting), double[0]], key=lambda row: -row[1]) + double[1:]


def main() -> None:
    """Look at the decision on standard input."""
    os.nice(POLITENESS)
    task = json.loads(sys.stdin.buffer.readline())

    def wait_for_end() -> None:
        os.read(sys.stdin.fileno(), 1)  # the parent has ended, or wants no answer any more
        os._exit(1)

    threading.Thread(target=wait_for_end, daemon=True).start()
    for look in looks(parse_xgid(task["xgid"]), task["made"], sys.argv[1]):
        print(json.dumps(look), flush=True)


if __name__ == "__main__":
    main()
