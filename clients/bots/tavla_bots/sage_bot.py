"""Sage as an opponent: two plies, and three for the cube, in one process for all matches that it plays here."""

import random
import threading
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from tavla_client import ClientError, Play, Turn

from tavla_bots import sage
from tavla_bots.house import WorldClass
from tavla_bots.judging import JudgeDeath
from tavla_bots.sage import KNOWN, NoSage, SageProcess, board_of, stakes_of

MISSING = "Sage does not run here: pip install 'tavla[analysis]', on a machine with AVX2"
FARTHEST = 25  # away, see KNOWN
WAIT_S = 1.0  # for its process, while other matches ask it: a turn takes less than two seconds


class SageBot(WorldClass):
    """Bot of Sage, the engine of the package `bgsage`: plays as two plies rank them, the cube as three see it.

    Resignations are the house's, and so are decisions of which Sage knows nothing, far from the end of a long match or
    in one without the Crawford rule, and those for which its process has no time.

    Raises, when it is made: ClientError, where Sage is not installed.
    """

    level = "sage"
    plays: ClassVar[Mapping[str, Sequence[bool | int | str]]] = {
        option: values for option, values in KNOWN.items() if option not in ("length", "beavers")
    }
    _shared: ClassVar[WeakValueDictionary[str, SageProcess]] = WeakValueDictionary()  # it ends with its last player
    _lock = threading.Lock()

    def __init__(self, rng: random.Random | None = None) -> None:
        super().__init__(rng)
        if not sage.is_installed():
            raise ClientError(MISSING)
        self._process: SageProcess | None = None  # from the first question on, in its thread: it takes half a second

    @classmethod
    def missing(cls) -> str:
        """Reason: there is no package, or no AVX2, which a trial shows."""
        try:
            SageProcess().end()
        except NoSage:
            return MISSING
        except JudgeDeath:
            pass  # it was killed, which is no word about this machine
        return ""

    @classmethod
    def _running(cls) -> SageProcess:
        """The process, begun anew where it has ended. Raises: NoSage, JudgeDeath."""
        process = cls._shared.get(cls.level)
        if process is None or process.has_ended:
            process = cls._shared[cls.level] = SageProcess()
        return process

    def choose_play(self, turn: Turn) -> Play:
        """The best play by two plies."""
        after = [board_of(play.after) for play in turn.plays]
        found = self._ask(turn, True, board=board_of(turn.board), after=after, made=None)
        return super().choose_play(turn) if found is None else turn.plays[found["plays"][0][0]]

    def offer_double(self, turn: Turn) -> bool:
        """Double when that is worth more than waiting, and a drop no less."""
        found = self._ask(turn, True, board=board_of(turn.board), doubled=False)
        if found is None:
            return super().offer_double(turn)
        waiting, taken = found["cube"]
        return bool(min(taken, 1) > waiting)

    def take_double(self, turn: Turn) -> bool:
        """Take when the opponent gains less by that than by a drop."""
        found = self._ask(turn, False, board=board_of(turn.board.other_side()), doubled=True)
        return super().take_double(turn) if found is None else bool(found["cube"][1] <= 1)

    def _ask(self, turn: Turn, we_roll: bool, **question: Any) -> Any:
        """The answer; None: there is none, or it would come too late."""
        rules, away = turn.rules, turn.away
        if rules["beavers"] not in KNOWN["beavers"]:
            return None
        if away and (max(away) > FARTHEST or not rules["crawford"] or rules["automatic_doubles"]):
            return None
        if not self._lock.acquire(timeout=WAIT_S):
            return None
        try:
            process = self._process = self._running()
            return process.ask(**question, stakes=stakes_of(turn, we_roll))
        except (JudgeDeath, NoSage):
            return None
        finally:
            self._lock.release()
