"""Matches judged: by GNU Backgammon, the real program, where it is installed and knows the rules, else by the house."""

import itertools
import json
import os
import select
import subprocess
from collections.abc import Callable, Iterator, Sequence
from threading import Event as Flag
from typing import Any, NamedTuple

from msgspec.structs import replace
from tavla_client import Turn, fits
from tavla_engine import events as e
from tavla_engine.actions import Seat
from tavla_engine.analysis import Analysis, Finding, double_finding, take_finding
from tavla_engine.apply import apply
from tavla_engine.conditions import no_double
from tavla_engine.events import Ending, Event
from tavla_engine.match import Match, Phase
from tavla_engine.notation import format_play
from tavla_engine.position import Play, Position, rows_after
from tavla_engine.positionid import parse_position_id
from tavla_engine.sgf import export_sgf
from tavla_protocol.match_view import view_of

from tavla_bots.cube import Stakes, holding, weights
from tavla_bots.evaluator import NETWORKS, equities, evaluate
from tavla_bots.gnubg import Gnubg
from tavla_bots.gnubg_process import GnubgProcess, gnubg_path
from tavla_bots.house import House
from tavla_bots.lookahead import CHANCES, ROLLS, after_rolls

TICK_S = 0.2  # between two looks at whether it shall stop
HOUSE = "the house evaluator"  # as the name of the judge

Progress = Callable[[int, int], None]  # games that are done, and how many there are


class CannotAnalyse(ValueError):
    """A match that no judge here can analyse. str(error) says why."""


class AnalysisStopped(Exception):
    """The analysis was cancelled."""


def analyse(
    start: Match, events: Sequence[Event], progress: Progress, stop: Flag, threads: int | None = None
) -> Analysis:
    """Judge a match, or as much as there is of it. Takes seconds to minutes; call it in a thread of its own.

    threads: of GNU Backgammon's; None = as many as there are processors.
    Raises: CannotAnalyse. Stopped, soon after `stop` is set.
    """
    if start.rules.variant not in NETWORKS:
        raise CannotAnalyse(f"nobody here can judge {start.rules.variant}")
    if not any(isinstance(event, e.GameStarted) for event in events):
        raise CannotAnalyse("no game was begun")
    program = gnubg_path() if fits(Gnubg.plays, start.rules._asdict()) else None
    if program is None or os.name == "nt":  # it is talked to through a pipe that Windows does not know
        return by_house(start, events, progress, stop)
    return by_gnubg(program, start, events, progress, stop, threads or os.cpu_count() or 1)


# --- GNU Backgammon -----------------------------------------------------------------------------------------------


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
    games, number = head["games"], 0
    progress(0, games)
    for number, game in enumerate(lines, 1):
        findings += _findings(start.game + number, game)
        for one in game:
            luck[one["seat"]] += one.get("luck", 0.0)
        progress(number, games)
    if number < games:
        raise CannotAnalyse(f"GNU Backgammon has ended after {number} of {games} games")
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
    plays = [(rows_after(position, play), play, score) for play, score in one["plays"]]
    done = rows_after(position, one["move"])
    score = next((score for after, _, score in plays if after == done), None)
    if score is not None:
        _, best, most = plays[0]  # its own choice; one further down that it saw less deeply may seem to be better
        texts = [format_play(position, [(a, b) for a, b in play]) for play in (one["move"], best)]
        dice = (max(one["dice"]), min(one["dice"]))
        loss = max(most - score, 0.0)
        yield Finding(game, turn, one["seat"], dice, texts[0], texts[1], loss, len(plays) > 1, one["mark"])


# --- The house evaluator ------------------------------------------------------------------------------------------


def by_house(start: Match, events: Sequence[Event], progress: Progress, stop: Flag) -> Analysis:
    """A judge of one ply, plays without the cube: weaker than GNU Backgammon, but always there."""
    house, findings, luck = House(), list[Finding](), [0.0, 0.0]
    games = sum(isinstance(event, e.GameStarted) for event in events)
    match, turn = start, 1
    for event, following in itertools.zip_longest(events, events[1:]):
        if stop.is_set():
            raise AnalysisStopped
        if isinstance(event, e.GameStarted):
            progress(match.game - start.game, games)
            turn = 1
        findings += _judged(house, match, event, turn, following)
        match = apply(match, event)
        if isinstance(event, e.Rolled):
            luck[match.turn] += _luck(match)
        elif isinstance(event, e.OpeningRolled) and event.die_0 != event.die_1:
            luck[match.turn] += _luck(match, doubles=False)
        turn += isinstance(event, e.Moved)
    progress(games, games)
    return Analysis(HOUSE, tuple(findings), (luck[0], luck[1]))


class _Cube(NamedTuple):
    """Equities of waiting, and of a double that is taken."""

    no_double: float
    taken: float


def _judged(house: House, match: Match, event: Event, turn: int, following: Event | None) -> Iterator[Finding]:
    match event:
        case e.Moved(seat, moves) if moves:
            yield _judged_play(house, match, seat, moves, turn)
        case e.Rolled(seat) if match.phase is Phase.ROLL and no_double(match, seat) is None:
            yield double_finding(match.game, turn, seat, False, *_cube(match, seat))
        case e.Doubled(seat):
            yield double_finding(match.game, turn, seat, True, *_cube(match, seat))
        case e.Taken(seat) if match.offer and not match.offer.beavers:
            yield take_finding(match.game, turn, seat, True, _cube(match, 1 - seat).taken)
        case e.GameEnded(winner, _, _, Ending.DROP) if match.offer and not match.offer.beavers:
            yield take_finding(match.game, turn, 1 - winner, False, _cube(match, winner).taken)


def _judged_play(house: House, match: Match, seat: Seat, moves: Play, turn: int) -> Finding:
    assert match.dice is not None, "a turn has dice"
    ranked = house.ranking(_turn(match, seat))
    done = rows_after(match.position, moves)
    score = next(equity for play, equity in ranked if play.after == done)
    text, better = (format_play(match.position, play) for play in (moves, ranked[0][0].moves))
    return Finding(match.game, turn, seat, match.dice, text, better, ranked[0][1] - score, len(ranked) > 1)


def _cube(match: Match, seat: Seat) -> _Cube:
    outlook = evaluate([Position(match.board[seat], match.board[1 - seat])])[0]
    stakes = Stakes.of(_turn(match, seat))
    return _Cube(stakes.equity(holding(outlook, stakes)), stakes.equity(holding(outlook, stakes.after_double())))


def _luck(match: Match, doubles: bool = True) -> float:
    """Luck of a roll: how much better the best play with it is than the average. doubles: it might have been one."""
    assert match.dice is not None, "just rolled"
    stakes = Stakes.of(_turn(match, match.turn)).other_side()
    value = weights(stakes)
    best = -equities(after_rolls([match.position], value, match.rules.hit_and_run)[0], value) / stakes.unit
    chances = CHANCES if doubles else CHANCES * [high != low for high, low in ROLLS]
    return float(best[ROLLS.index(match.dice)] - best @ chances / chances.sum())


def _turn(match: Match, seat: Seat) -> Turn:
    """A decision as the house bot sees it."""
    rules: dict[str, Any] = {name: getattr(value, "value", value) for name, value in match.rules._asdict().items()}
    return Turn("", replace(view_of(match), rules=rules), seat)
