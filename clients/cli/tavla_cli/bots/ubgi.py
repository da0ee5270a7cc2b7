"""A bot as an engine of UBGI 0.2: a controller asks it line by line, over standard input and output.

Source: github.com/bungogood/bgci, docs/ubgi-v0.2-spec.md. A position by its GNU Position ID is one for money, with the
cube in the middle; an XGID says score and cube, too. Nothing can be set but the game, which controllers name; no take
is asked for.
"""

import re

from tavla_client import Bot, Failures, Turn
from tavla_engine import actions as a
from tavla_engine.conditions import no_double
from tavla_engine.errors import BadText
from tavla_engine.match import Cube, Match, Phase
from tavla_engine.midgame import game_in_progress, rules_of
from tavla_engine.notation import format_moves
from tavla_engine.positionid import parse_position_id
from tavla_engine.rules import Variant
from tavla_engine.xgid import parse_xgid

from tavla_cli.bots.local_match import Side
from tavla_cli.records.steps import view_of

QUIT = "quit"
_GAME, _PLAYED = "game.variant", "backgammon"  # a key and its only value
_DICE = re.compile("([1-6]) ([1-6])")
_PARSE = {
    "gnubgid": lambda text: game_in_progress(
        rules_of(0, True, Variant.STANDARD), parse_position_id(text), 0, (0, 0), Cube(), False, None
    ),
    "xgid": parse_xgid,
}


class Engine:
    """An engine of UBGI: a bot that is asked. name: what it is called."""

    def __init__(self, bot: Bot, name: str, failures: Failures) -> None:
        self._bot, self._name, self._failures = bot, name, failures
        self._match: Match | None = None

    async def answer(self, line: str) -> list[str]:
        """Lines to be written, if any."""
        match line.split():
            case ["ubgi"]:
                return [f"id name Tavla {self._name}", "id author Tavla", "proto 0.2", "ubgiok"]
            case ["isready"]:
                return ["readyok"]
            case ["newgame"]:
                self._match = None
            case ["position", kind, text] if kind in _PARSE:
                return self._place(kind, text)
            case ["dice", *dice]:
                return self._roll(" ".join(dice))
            case ["go", *what] if what in ([], ["chequer"], ["role", "chequer"], ["cube"]):
                return [await self._decide(what[-1:])]
            case ["keys"]:
                return [f"key {_GAME} enum {_PLAYED} {_PLAYED}"]
            case ["get", key] if key == _GAME:
                return [f"value {_GAME} {_PLAYED}"]
            case ["set", key, game] if key == _GAME:
                return [] if game == _PLAYED else [f"error bad_value {_GAME} must_be {_PLAYED}"]
            case []:
                pass
            case ["go" | "position" | "set" | "get", *_]:
                return [f"error unsupported {line.strip():.80}"]
            case _:
                return [f"error bad_command {line.strip():.80}"]
        return []

    def _place(self, kind: str, text: str) -> list[str]:
        try:
            self._match = _PARSE[kind](text)
        except BadText as bad:
            return [f"error bad_value {bad}"]
        return []

    def _roll(self, text: str) -> list[str]:
        dice = _DICE.fullmatch(text)
        if dice is None:
            return [f"error bad_value two dice of 1 to 6, not {text:.80}"]
        if self._match is None or self._match.phase not in (Phase.ROLL, Phase.MOVE):
            return ["error bad_state dice are rolled in a position without a double"]
        one = self._match
        board = one.position
        self._match = game_in_progress(
            one.rules, board, one.turn, one.score, one.cube, one.crawford, (int(dice[1]), int(dice[2]))
        )
        return []

    async def _decide(self, what: list[str]) -> str:
        match = self._match
        if match is None:
            return "error bad_state missing position"
        cube = what == ["cube"] or (not what and match.phase is Phase.ROLL)
        if match.phase is not (Phase.ROLL if cube else Phase.MOVE):
            return "error bad_state the cube is turned before the roll, and checkers are moved after it"
        if cube and no_double(match, match.turn) is not None:
            return "bestcube nodouble"
        action = await Side(self._bot, Turn("", view_of(match), match.turn), self._failures).action(match)
        if isinstance(action, a.Move):
            return f"bestmove {format_moves(action.moves) or 'pass'}"
        return "bestcube double" if isinstance(action, a.Double) else "bestcube nodouble"
