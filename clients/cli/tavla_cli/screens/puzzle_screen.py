"""A position to be solved: its board, the answer that is typed, and what it was worth."""

import asyncio
from collections.abc import Sequence

from msgspec.structs import replace
from rich.console import RenderableType
from rich.text import Text
from tavla_client import Turn
from tavla_engine.match import Match
from tavla_protocol.messages import Finding

from tavla_cli.input.choices import CUBE, choice_of
from tavla_cli.input.parsing import BadCommand
from tavla_cli.input.terminal import open_terminal
from tavla_cli.records.steps import view_of
from tavla_cli.records.streak import count, day_now
from tavla_cli.screens.board import draw
from tavla_cli.screens.hints import best_lines, ranked_plays
from tavla_cli.text.prompts import question
from tavla_cli.text.puzzles import after, is_right, streak_text, verdict

SHOWN = 5  # plays with their equities
SIDES = ("white", "black")


class PuzzleScreen:
    """A screen that asks for one position after the other."""

    def __init__(self, ascii_only: bool) -> None:
        self._question, self._words, self._between = "", list[str](), False
        self._terminal = open_terminal(ascii_only, lambda: self._question, lambda: self._words, lambda: self._between)

    def show(self, *what: RenderableType) -> None:
        """Write lines."""
        self._terminal.show(*what)

    async def ask(self, at: Match, names: tuple[str, str] = SIDES) -> str:
        """The choice of the user; "" = they go."""
        view = view_of(at)
        view = replace(view, players=names, rules={**view.rules, "beavers": 0})  # which is not asked for
        seat = view.to_act[0]
        self.show(draw(view, seat, self._terminal.look, seat, columns=self._terminal.columns))
        self._prompt(question(view, seat), [*CUBE.get(view.phase, ()), "quit"])
        while (line := await self._terminal.read()) is not None:
            try:
                if line.strip():
                    return choice_of(line, at)
            except BadCommand as error:
                self.show(Text(str(error)))
        return ""

    async def tell(
        self,
        key: str,
        at: Match,
        choice: str,
        finding: Finding,
        by: str,
        more: Sequence[RenderableType],
        comes_back: bool = False,
        right: bool | None = None,
    ) -> None:
        """Say what a choice was worth, what the house bot would play, and more. key: of the position, in the streak.

        right: the server's word; None = the choice deserves no mark.
        """
        view = view_of(at)
        turn = Turn("", view, view.to_act[0])
        plays = await asyncio.to_thread(ranked_plays, turn) if at.dice else []
        own = next((one for one in plays if one[0].after == after(at, choice)), None)
        loss = plays[0][1] - own[1] if own else None
        streak = count(key, is_right(at, choice, finding, loss) if right is None else right, comes_back)
        back = streak.again.get(key)
        said = [*verdict(at, choice, finding, by, loss), streak_text(streak.right, back and back[1] - day_now())]
        best = [one for place, one in enumerate(plays) if place < SHOWN or one is own]
        self.show(*map(Text, said), *best_lines(turn, best), *more)
        await self._terminal.drain()

    async def wants_more(self) -> bool:
        """True if the user wants the next one."""
        self._prompt("Enter shows the next one, quit ends", ["quit"], between=True)
        line = await self._terminal.read()
        return line is not None and not line.strip()

    def _prompt(self, text: str, words: list[str], between: bool = False) -> None:
        self._question, self._words, self._between = text, words, between
        self._terminal.refresh()
