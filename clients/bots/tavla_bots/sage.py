"""Sage, the engine of the package `bgsage`, as a judge: asked position by position, in a process of its own.

It says nothing where it is wrong, so it is never asked about games that it does not know. More than 15 checkers of a
side end its process. Two plies, and three where the choice differs or is near: see `sage_script.py`.
"""

import importlib.util
import json
import os
import subprocess
import sys
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

from tavla_client import Turn, fits
from tavla_engine.actions import Seat
from tavla_engine.match import Match
from tavla_engine.position import BAR, Position
from tavla_engine.setup import CHECKERS

from tavla_bots.judging import CubeEquities, JudgeDeath, PlayRanking, turn_of

# Away above 25 is taken for 25; of other options it knows nothing.
KNOWN: Mapping[str, Sequence[bool | int | str]] = {
    "variant": ("standard", "nackgammon"),
    "length": range(26),
    "cube": (True,),
    "cube_cap": (0,),
    "beavers": (0, 1),
    "backgammons": (True,),
    "hit_and_run": (True,),
}
KILLED = -9  # how a process ends that the system has stopped
ENVIRONMENT = {"BGBOT_MULTIPLY_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}


def knows(start: Match) -> bool:
    """True if Sage judges such matches rightly."""
    rules = start.rules
    is_usual = not rules.length or (rules.crawford and not rules.automatic_doubles)  # other matches were never tried
    return is_usual and fits(KNOWN, rules._asdict()) and all(sum(row) <= CHECKERS for row in start.board)


def is_installed() -> bool:
    """True if the package is there; whether it runs on this machine shows at its start."""
    return importlib.util.find_spec("bgsage") is not None


class NoSage(Exception):
    """Absence of Sage: it is not installed, or has ended at its trial, as it does without AVX2."""


class SageProcess:
    """Sage's process, which ends when this is referred to no longer, and with this process. name: with its version."""

    def __init__(self) -> None:
        """Raises: NoSage, JudgeDeath."""
        if not is_installed():
            raise NoSage
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tavla_bots.sage_script"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # Ctrl-C is for us
            env={**os.environ, **ENVIRONMENT},
        )
        self.pid = self._process.pid
        self.end = weakref.finalize(self, _end, self._process)
        try:
            self.name: str = self._answer()["name"]
        except JudgeDeath:
            if self._process.wait() == KILLED:  # which is no word about this machine
                raise
            raise NoSage from None

    @property
    def has_ended(self) -> bool:
        """True if it answers nothing any more."""
        return self._process.poll() is not None

    def ask(self, **question: Any) -> Any:
        """The answer to a question, see `sage_script.py`. Raises: JudgeDeath."""
        assert self._process.stdin is not None, "a pipe"
        try:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
        except OSError:
            pass  # it has ended: no answer will come
        return self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None, "a pipe"
        line = self._process.stdout.readline()
        if not line:
            raise JudgeDeath("Sage has ended at its work: try again, or choose another judge")
        return json.loads(line)


def _end(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.communicate()


class SageJudge:
    """Sage as a judge of positions. name: as a verdict has it, with the depth."""

    def __init__(self) -> None:
        """Raises: NoSage, JudgeDeath."""
        self._process = SageProcess()
        self.name = f"{self._process.name}, 3 plies (GNU Backgammon's 2)"
        self.rollout_name = f"{self._process.name}, rollout of 72 games"
        self.pid, self.end = self._process.pid, self._process.end
        self._last: tuple[Any, Any] = None, None  # about the cube, with its answer: a double, a take and luck share it

    def ranking(self, turn: Turn, made: Position) -> PlayRanking:
        """Every play; those near the best, and the one that was made, at depth."""
        places: dict[Position, int] = {play.after: place for place, play in enumerate(turn.plays)}
        after = [board_of(play.after) for play in turn.plays]
        stakes = stakes_of(turn)
        found = self._process.ask(board=board_of(turn.board), after=after, made=places[made], stakes=stakes)
        plays = found["plays"]
        return PlayRanking([(turn.plays[place], equity) for place, equity in plays], plays[0][0] != found["first"])

    def cube(self, match: Match, seat: Seat, doubled: bool) -> CubeEquities:
        """Waiting and a double."""
        return CubeEquities(*self._asked(turn_of(match, seat), doubled)["cube"])

    def luck(self, match: Match, opening: bool) -> float:
        """Luck at two plies."""
        assert match.dice is not None, "just rolled"
        rolls = self._asked(turn_of(match, match.turn), None)["rolls"]
        weights = [(1 + (high != low)) * (high != low or not opening) for high, low, _ in rolls]
        mean = sum(weight * equity for weight, (*_, equity) in zip(weights, rolls, strict=True)) / sum(weights)
        return float(next(equity for *roll, equity in rolls if tuple(roll) == match.dice) - mean)

    def rollout(self, turn: Turn, made: Position | None) -> list[tuple[int, float, float]]:
        """A short rollout of the plays that seem best and of the one that was made: place, equity, standard error.

        made: None = it is about the cube: two rows, of waiting and of a double that is taken.
        """
        dice, board = turn.view.dice, made and board_of(made)
        after = [board_of(play.after) for play in turn.plays] if made else []
        found = self._process.ask(
            board=board_of(turn.board), dice=dice if made else None, made=board, stakes=stakes_of(turn)
        )
        return [(after.index(one) if made else 0, equity, error) for one, equity, error in found]

    def _asked(self, turn: Turn, doubled: bool | None) -> Any:
        question = {"board": board_of(turn.board), "stakes": stakes_of(turn)}
        if question != self._last[0]:
            self._last = question, self._process.ask(**question, doubled=doubled)
        return self._last[1]


def board_of(position: Position) -> list[int]:
    """The position as Sage has it: points as the player counts them, the opponent's checkers below zero."""
    mine, theirs = position
    return [theirs[BAR], *(mine[point] - theirs[BAR - point] for point in range(1, BAR)), mine[BAR]]


def stakes_of(turn: Turn, ours: bool = True) -> dict[str, Any]:
    """Score and cube as Sage has them, for us or the opponent on roll: money is away 0 of both."""
    view, away = turn.view, turn.away or (0, 0)
    return {
        "cube_value": view.cube,
        "cube_owner": "centered"
        if view.owner is None
        else "player"
        if (view.owner == turn.seat) == ours
        else "opponent",
        "away1": away[not ours],
        "away2": away[ours],
        "is_crawford": view.crawford,
        "jacoby": bool(turn.rules.get("jacoby")),
        "beaver": bool(turn.rules.get("beavers")),
    }
