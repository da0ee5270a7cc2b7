"""Matches judged by GNU Backgammon, the real program, just as it judges them itself."""

import itertools
import json
import select
import subprocess
from collections.abc import Iterator, Sequence
from threading import Event as Flag
from typing import Any

from tavla_engine.analysis import Analysis, Finding, double_finding, take_finding
from tavla_engine.events import Event
from tavla_engine.match import Match
from tavla_engine.positionid import parse_position_id
from tavla_engine.sgf import export_sgf

from tavla_bots.gnubg_process import GnubgProcess
from tavla_bots.judging import AnalysisStopped, CannotAnalyse, JudgeDeath, Progress, play_finding, plays_by_game

TICK_S = 0.2  # between two looks at whether it shall stop


def by_gnubg(
    program: str, start: Match, events: Sequence[Event], progress: Progress, stop: Flag, threads: int
) -> Analysis:
    """The analysis of GNU Backgammon, with its usual settings: two plies for plays and the cube."""
    findings: list[Finding] = []
    luck = [0.0, 0.0]
    lines = _told(program, export_sgf(("white", "black"), start, events), stop, threads)
    head: dict[str, int] | None = next(lines, None)
    if head is None:
        raise CannotAnalyse("GNU Backgammon cannot be asked in its own Python: is this another build of it?")
    games, number, plays = head["games"], 0, plays_by_game(events)
    progress(0, sum(plays))
    for number, game in enumerate(lines, 1):
        findings += _findings(start.game + number, game)
        for one in game:
            luck[one["seat"]] += one.get("luck", 0.0)
        progress(sum(plays[:number]), sum(plays))
    if number < games:
        raise JudgeDeath(f"GNU Backgammon has ended after {number} of {games} games")
    return Analysis("GNU Backgammon, 2-ply", tuple(findings), (luck[0], luck[1]))


def _told(program: str, sgf: str, stop: Flag, threads: int) -> Iterator[Any]:
    """The lines that `analysis_script` writes."""
    settings = {"TAVLA_MATCH": "match.sgf", "TAVLA_THREADS": str(threads)}
    gnubg = GnubgProcess(program, "analysis_script.py", settings, stdin=subprocess.DEVNULL, match=sgf)
    try:
        while line := _line(gnubg.answers, stop):
            yield json.loads(line)
    finally:
        gnubg.end()


def _line(answers: Any, stop: Flag) -> str:
    while not select.select([answers], [], [], TICK_S)[0]:
        if stop.is_set():
            raise AnalysisStopped
    return str(answers.readline())


def _findings(game: int, told: Sequence[dict[str, Any]]) -> Iterator[Finding]:
    """Of one game. A beaver is passed over, and its answer counts as a take, as in its own statistics."""
    turn = 1
    taken: float | None = None  # what the double that waits for an answer is worth
    for before, one in itertools.pairwise([{"what": ""}, *told]):
        seat, beaver = one["seat"], before["what"] == one["what"] == "double"
        match one["what"]:
            case "move":
                if "cubes" in one:
                    yield double_finding(game, turn, seat, False, *one["cubes"])
                if one.get("plays"):
                    yield from _play(game, turn, one)
                turn += 1
            case "double" if "cubes" in one and not beaver:
                taken = one["cubes"][1]
                yield double_finding(game, turn, seat, True, *one["cubes"])
            case "take" | "drop" if taken is not None:
                yield take_finding(game, turn, seat, one["what"] == "take", taken, one["mark"])


def _play(game: int, turn: int, one: dict[str, Any]) -> Iterator[Finding]:
    position = parse_position_id(one["board"])
    moves, *plays = ([(a, b) for a, b in play] for play in (one["move"], *(play for play, _ in one["plays"])))
    ranked = [(play, score) for play, (_, score) in zip(plays, one["plays"], strict=True)]
    dice = (max(one["dice"]), min(one["dice"]))
    yield from play_finding(game, turn, one["seat"], dice, position, moves, ranked, one["mark"])
