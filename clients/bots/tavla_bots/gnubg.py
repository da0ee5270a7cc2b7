"""GNU Backgammon as a bot: the real program, in a process of its own, one for each match.

It is asked through its own Python (`gnubg_script`) with plain positions, scores and cubes; it never sees a server.
We are its player 1, the opponent is 0.
"""

import json
import subprocess
import threading
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from tavla_client import Bot, ClientError, Play, Result, Turn
from tavla_engine.position import BAR, rows_after

from tavla_bots.evaluator import Outlook
from tavla_bots.gnubg_process import GnubgProcess, gnubg_path

_CENTRED = -1


class Gnubg(Bot):
    """GNU Backgammon (gnubg) at its level `expert`.

    plies: how far it looks ahead. noise: the error that it makes, in equity.

    Raises, when it is made: ClientError, where the program is not installed.
    """

    level = "gnubg"
    plays: ClassVar[Mapping[str, Sequence[bool | int | str]]] = {  # what it knows: its matches have a cube
        "variant": ("standard", "nackgammon"),
        "cube": (True,),
        "backgammons": (True,),
        "hit_and_run": (True,),
    }
    plies = 0
    noise = 0.0

    @classmethod
    def missing(cls) -> str:
        """Reason: the program is not there."""
        return "" if gnubg_path() else "GNU Backgammon is not installed: on Debian, apt-get install gnubg"

    def __init__(self) -> None:
        program = gnubg_path()
        if program is None:
            raise ClientError(self.missing())
        self._engine = _Engine(program, self.plies, self.noise)

    def choose_play(self, turn: Turn) -> Play:
        """The program's best play.

        Ours is the one that leads to the same position: it may write the moves in another way.
        """
        flat = self._engine.ask("move", turn.board, _cube(turn), dice=turn.dice)
        moves = [(source, target) for source, target in zip(flat[::2], flat[1::2], strict=True) if source]
        after = rows_after(turn.board, moves)
        return next(play for play in turn.plays if play.after == after)

    def offer_double(self, turn: Turn) -> bool:
        """True if doubling is right, and the game is not too good to be ended by a drop."""
        no_double, taken, dropped = self._engine.ask("cube", turn.board, _cube(turn))
        return bool(min(taken, dropped) > no_double)

    def take_double(self, turn: Turn) -> bool:
        """True if taking is right."""
        _, taken, dropped = self._engine.ask("cube", turn.board.other_side(), _cube(turn, we_roll=False))
        return bool(taken <= dropped)

    def accept_resign(self, turn: Turn) -> bool:
        """True if the offer is worth as much as playing on, in points and without the cube."""
        we_roll = turn.view.turn == turn.seat
        board = turn.board if we_roll else turn.board.other_side()
        equity = Outlook(*self._engine.ask("outlook", board, _cube(turn, we_roll))[:5]).equity
        return bool(turn.offered_resignation >= (equity if we_roll else -equity) - 0.01)

    def on_match_end(self, result: Result) -> None:
        """The process ends with its match."""
        self._engine.stop()


class GnubgCasual(Gnubg):
    """GNU Backgammon at its level `casual play`."""

    level = "gnubg-casual"
    noise = 0.05


class GnubgWorldClass(Gnubg):
    """GNU Backgammon at its level `world class`: a second or two for each decision."""

    level = "gnubg-world-class"
    plies = 2


class _Engine:
    """The process, started when it is first asked, and again should it end."""

    def __init__(self, program: str, plies: int, noise: float) -> None:
        self._program = program
        self._settings = {"TAVLA_PLIES": str(plies), "TAVLA_NOISE": str(noise)}
        self._process: GnubgProcess | None = None
        self._lock = threading.Lock()  # a hook whose caller has given up may still be at it

    def ask(self, what: str, board: Any, cube: dict[str, Any], **more: Any) -> Any:
        """The program's answer. Raises: OSError, ValueError, when it has died."""
        rows = [list(row[1 : BAR + 1]) for row in (board.theirs, board.mine)]
        request = json.dumps({"what": what, "board": rows, **cube, **more})
        with self._lock:
            if self._process is None or self._process.process.poll() is not None:
                self._process = GnubgProcess(self._program, "gnubg_script.py", self._settings, stdin=subprocess.PIPE)
            stdin = self._process.process.stdin
            assert stdin is not None, "a pipe"
            stdin.write(request + "\n")
            stdin.flush()
            return json.loads(self._process.answers.readline())

    def stop(self) -> None:
        """End the process, if there is one."""
        with self._lock:
            if self._process is not None:
                self._process.end()


def _cube(turn: Turn, we_roll: bool = True) -> dict[str, Any]:
    """Cube info, as GNU Backgammon calls it, and whether the Jacoby rule is on."""
    view, length = turn.view, int(turn.rules.get("length", 0))
    owner = _CENTRED if view.owner is None else int(view.owner == turn.seat)
    score = [turn.score[1], turn.score[0]] if length else [0, 0]
    info = [view.cube, owner, int(we_roll), length, score, int(view.crawford), 0]
    return {"cube": info, "jacoby": int(bool(turn.rules.get("jacoby")))}
