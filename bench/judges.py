"""Judges beside each other: PR of the sides, marks and cube verdicts by the house, Sage and GNU Backgammon.

`python -m bench.judges FOLDER ...` judges each match in these folders by all of them. The referee is the mean of Sage
at three plies and GNU Backgammon at two, who know nothing of each other, and a rollout by Sage where they differ by
DISPUTED or more. Stopped, it goes on with the matches that it lacks.
"""

import itertools
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, cast

import numpy as np
from bgsage import BgBotAnalyzer
from tavla_bots.analysis import analyse
from tavla_bots.house_judge import HouseJudge
from tavla_bots.judging import CubeEquities, PlayRanking, PositionJudge, judge_match, turn_of
from tavla_bots.sage import SageJudge, SageProcess, board_of, stakes_of
from tavla_bots.sage_script import ROLLOUT, SageProgram
from tavla_cli.records.files import read
from tavla_client import Turn
from tavla_engine.actions import Seat
from tavla_engine.analysis import Finding
from tavla_engine.match import Match
from tavla_engine.position import Position

from bench.levels import performance
from bench.progress import results_of
from tests.support.results import recorded, table

DISPUTED = 0.04  # of equity lost
ROLLED = 3  # plays of a rollout, and the one that was made
HOUSE, SAGE, GNUBG = JUDGES = ("house", "Sage, 3 plies", "GNU Backgammon, 2-ply")
MISTAKE, DOUBTFUL = 0.08, 0.04  # from which on `?` and `?!` mark a decision
GOOD, MANY = 10.0, 50  # PR of a good side, and decisions from which on a side has a figure


class Program(SageProgram):
    """Sage's program in this process."""

    def __init__(self) -> None:
        super().__init__()
        self._rolling = BgBotAnalyzer(eval_level="rollout", **ROLLOUT | {"filter_max_moves": 1})

    def ask(self, **question: Any) -> Any:
        """The answer to a question, as its process gives it."""
        return (self.plays if "after" in question else self.cube)(**question)

    def rolled(self, board: list[int], dice: Sequence[int], after: list[list[int]], stakes: Any) -> list[float]:
        """Equities of plays by a rollout."""
        found = self._rolling.checker_play(board, *dice, force_boards=after, **stakes).moves
        return [next(one.equity for one in found if list(one.board) == play) for play in after]


class WithoutLuck:
    """A judge who says nothing of luck: it belongs to no judgement of a decision."""

    def luck(self, match: Match, opening: bool) -> float:
        """None."""
        return 0.0


class HouseWithoutLuck(WithoutLuck, HouseJudge):
    """The house as a judge, without luck."""

    def __init__(self) -> None:
        super().__init__()
        self.name = HOUSE


class SageWithoutLuck(WithoutLuck, SageJudge):
    """Sage as a judge in this process, whose CPU is read, without luck."""

    def __init__(self, name: str = SAGE) -> None:
        self.program = Program()
        self._process = cast(SageProcess, self.program)  # which it asks in the same way
        self.name = name
        self._last = None, None


class Referee(SageWithoutLuck):
    """Sage as a referee, by a rollout. disputed: of each decision of a match, in order; of others it says nothing."""

    def __init__(self, disputed: Sequence[bool]) -> None:
        super().__init__("referee")
        self._disputed = iter(disputed)

    def ranking(self, turn: Turn, made: Position) -> PlayRanking:
        """The plays that seem best, and the one that was made."""
        if not next(self._disputed):
            return PlayRanking([(play, 0.0) for play in turn.plays if play.after == made], False)
        seen = super().ranking(turn, made).plays
        plays = [play for place, (play, _) in enumerate(seen) if place < ROLLED or play.after == made]
        after = [board_of(play.after) for play in plays]
        found = self.program.rolled(board_of(turn.board), turn.dice, after, stakes_of(turn))
        return PlayRanking(sorted(zip(plays, found, strict=True), key=lambda one: -one[1]), False)

    def cube(self, match: Match, seat: Seat, doubled: bool) -> CubeEquities:
        """Waiting and a double."""
        if not next(self._disputed):
            return CubeEquities(0.0, 0.0)
        turn = turn_of(match, seat)
        found = self.program.rollout(board_of(turn.board), None, None, stakes_of(turn))
        return CubeEquities(found[0][1], found[1][1])


Key = tuple[int, int, int, str]  # of a decision: game, turn, seat, and play, double or answer


def key_of(found: Finding) -> Key:
    """The key of a decision."""
    kind = "play" if found.dice else "answer" if found.done in ("take", "drop") else "double"
    return found.game, found.turn, found.seat, kind


def verdicts(path: str) -> dict[str, Any]:
    """Findings on a match by each judge and by the referee, in order: [seat, kind, loss, counts, best]."""
    record, never, cpu = read(Path(path)), threading.Event(), dict[str, float]()

    def by(judge: PositionJudge) -> dict[Key, Finding]:
        began = time.process_time()
        found = judge_match(judge, record.start, record.events, lambda *_: None, never).findings
        cpu[judge.name] = time.process_time() - began
        return {key_of(one): one for one in found}

    gnubg = analyse(record.start, record.events, lambda *_: None, never, threads=1, judge="gnubg").findings
    judges: list[PositionJudge] = [HouseWithoutLuck(), SageWithoutLuck()]
    found = {judge.name: by(judge) for judge in judges} | {GNUBG: {key_of(one): one for one in gnubg}}
    first, second = found[SAGE], found[GNUBG]
    disputed = [key in second and abs(one.loss - second[key].loss) >= DISPUTED for key, one in first.items()]
    rolled = by(Referee(disputed))
    found["referee"] = {
        key: rolled[key]._replace(counts=one.counts)
        if is_disputed
        else one._replace(loss=(one.loss + second.get(key, one).loss) / 2)
        for (key, one), is_disputed in zip(first.items(), disputed, strict=True)
    }
    keys = [key for key in first if all(key in some for some in found.values())]
    return {name: [_plain(some[key]) for key in keys] for name, some in found.items()} | {
        "disputed": sum(disputed),
        "cpu": cpu,
    }


def sides(found: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Each side with a figure: findings of each judge on it."""
    for one, seat in itertools.product(found, (0, 1)):
        side = {name: [some for some in one[name] if some[0] == seat] for name in ("referee", *JUDGES)}
        if sum(one[3] for one in side["referee"]) >= MANY:
            yield side


def rating(findings: Sequence[Any]) -> float:
    """PR of a side."""
    return performance([(one[3], one[2]) for one in findings])[0]


def row(judge: str, all_sides: Sequence[dict[str, Any]], found: Sequence[dict[str, Any]]) -> Sequence[object]:
    """A judge's line of the table, beside the referee."""
    pairs = [(rating(side["referee"]), rating(side[judge])) for side in all_sides]
    off = np.array([abs(ours - right) for right, ours in pairs if right < GOOD])
    bad = [abs(ours - right) / right for right, ours in pairs if right >= GOOD]
    both = [pair for one in found for pair in zip(one["referee"], one[judge], strict=True)]
    marks = [ours[2] >= DOUBTFUL for right, ours in both if right[2] >= MISTAKE]
    false = [ours[2] >= MISTAKE and right[2] < DOUBTFUL for right, ours in both if right[1] == "play"]
    cubes = [ours[4] == right[4] for right, ours in both if right[1] != "play" and right[3]]
    cpu = [one["cpu"][judge] for one in found if judge in one.get("cpu", ())]
    return (
        judge,
        f"{off.mean():.2f} ± {1.96 * off.std() / len(off) ** 0.5:.2f}, {np.median(off):.2f}, {off.max():.1f}",
        share(bad),
        share(marks),
        f"{sum(false)} of {len(false)}",
        share(cubes),
        f"{np.mean(cpu):.1f} s" if cpu else "",
    )


def _plain(one: Finding) -> list[Any]:
    return [one.seat, key_of(one)[-1], round(one.loss, 5), one.counts, one.best, [one.game, one.turn, one.done]]


def share(some: Sequence[float]) -> str:
    """The mean in percent."""
    return f"{100 * np.mean(some):.0f} % of {len(some)}" if some else ""


def report(found: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The table."""
    some = [*sides(found)]
    good, rolled = sum(rating(side["referee"]) < GOOD for side in some), sum(one["disputed"] for one in found)
    decisions = sum(len(one[SAGE]) for one in found)
    yield f"{len(found)} matches, {decisions} decisions, {rolled} rolled out; of {MANY} decisions and more"
    yield f"{good} sides below PR {GOOD:.0f}, {len(some) - good} above.\n"
    head = "judge | below: mean difference, median, most | above: off by | marks of `?` and `??` | false `?`, plays"
    yield from table(f"{head} | cube verdicts | CPU a match", [row(judge, some, found) for judge in JUDGES])


def main(folders: Sequence[str]) -> None:
    """Judge all matches, then write the table."""
    files = sorted(str(file) for folder in folders for file in Path(folder).glob("*.mat"))
    with ProcessPoolExecutor(1) as pool:
        found = results_of("judges", [[file] for file in files], verdicts, pool)
    with recorded("judges"):
        print("\n".join(report(found)))


if __name__ == "__main__":
    main(sys.argv[1:])
