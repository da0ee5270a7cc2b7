"""An engine that speaks GNU Backgammon's protocol for external players, as a bot: GNU Backgammon itself, and others.

It waits on a socket, is asked there line by line (`tavla_engine.fibs`), and never sees a server.
"""

import os
import socket
import threading
from collections.abc import Mapping, Sequence
from typing import ClassVar

from tavla_client import Bot, ClientError, Result, Turn
from tavla_engine.fibs import fibs
from tavla_engine.match import Cube, Match
from tavla_engine.midgame import game_in_progress, rules_of, with_offer
from tavla_engine.notation import parse_play
from tavla_engine.position import Move
from tavla_engine.rules import Variant

from tavla_bots.gnubg import Gnubg

ADDRESS = "TAVLA_EXTERNAL"  # variable of the environment: HOST:PORT


class External(Bot):
    """The engine at the address in TAVLA_EXTERNAL. Raises, when it is made: ClientError, where none answers."""

    level = "external"
    plays: ClassVar[Mapping[str, Sequence[bool | int | str]]] = {**Gnubg.plays, "variant": ("standard",)}

    def __init__(self) -> None:
        address = os.environ.get(ADDRESS, "")
        host, _, port = address.rpartition(":")
        try:
            self._socket = socket.create_connection((host, int(port)))
        except (OSError, ValueError) as error:
            text = f"no engine answers at {address!r} ({error}): start it, and set {ADDRESS} to its HOST:PORT"
            raise ClientError(text) from None
        self._lines = self._socket.makefile("rw", encoding="utf-8", newline="\n")
        self._lock = threading.Lock()  # a hook whose caller has given up may still be at it

    def choose_play(self, turn: Turn) -> Sequence[Move]:
        """The program's play, or none where nothing can be played."""
        return parse_play(self._ask(_asked(turn, turn.seat)))

    def offer_double(self, turn: Turn) -> bool:
        """True if it doubles."""
        return self._ask(_asked(turn, turn.seat)).startswith("d")

    def take_double(self, turn: Turn) -> bool:
        """True if it takes, or would beaver."""
        return self._ask(with_offer(_asked(turn, 1 - turn.seat), 0)).startswith(("a", "t", "b"))

    def on_match_end(self, result: Result) -> None:
        """The connection ends with its match."""
        self._lines.close()
        self._socket.close()

    def _ask(self, match: Match) -> str:
        """The program's answer. Raises: OSError, ValueError, when it has gone or cannot say."""
        with self._lock:
            self._lines.write(fibs(match) + "\n")
            self._lines.flush()
            said = self._lines.readline()
        if not said or said.startswith("Error"):
            raise ValueError(f"the engine says {said.strip()!r:.80}")
        return said.strip("\0\r\n ").lower()


def _asked(turn: Turn, on_roll: int) -> Match:
    """The match as the engine is told it."""
    view, length = turn.view, int(turn.rules.get("length", 0))
    board = turn.board if on_roll == turn.seat else turn.board.other_side()
    dice = (view.dice[0], view.dice[1]) if view.dice else None
    cube = Cube(view.cube, view.owner)
    return game_in_progress(
        rules_of(length, True, Variant.STANDARD), board, on_roll, view.score, cube, view.crawford, dice
    )
