"""Hints: the legal plays of one's turn; and in a match that is not rated, what the house bot thinks of the best."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.columns import Columns
from rich.console import RenderableType
from rich.text import Text
from tavla_client import Match, Play, Turn
from tavla_engine.notation import format_play

from tavla_cli.bots import loading
from tavla_cli.input.parsing import BadCommand
from tavla_cli.screens.grids import pairs
from tavla_cli.text import phrases

JUDGE = "world-class"
BEST = 3  # plays that are shown with their equities
SHOWN = 40  # a double has hundreds of plays


async def hints(match: Match) -> list[RenderableType]:
    """Lines that `hint` shows. Raises: BadCommand, with a sentence."""
    view, seat = match.view, match.seat
    if not view.rules.get("hints"):
        raise BadCommand("this match is played without hints")
    if seat is None or seat not in view.to_act or view.phase not in ("move", "roll", "cube"):
        raise BadCommand("hints come when you are to decide: it is not your turn")
    turn = Turn(match.id, view, seat)
    if view.phase != "move":
        return [Text(await asyncio.to_thread(_cube_advice, turn))]
    plays = [format_play(turn.board, play) for play in sorted(match.plays, reverse=True)]
    if not plays:
        raise BadCommand("the server has sent no plays for this turn")
    best = [] if view.rules.get("rated") else await asyncio.to_thread(ranked_plays, turn)
    lines = best_lines(turn, best[:BEST])
    lines.append(Text(f"{phrases.plural(len(plays), 'legal play')}:"))
    lines.append(Columns([Text(play) for play in plays[:SHOWN]], padding=(0, 3)))
    if len(plays) > SHOWN:
        lines.append(Text(f"and {len(plays) - SHOWN} more"))
    return lines


def ranked_plays(turn: Turn) -> list[tuple[Play, float]]:
    """Plays with the equities that the house bot gives them; none, where the bots of Tavla are not installed."""
    try:
        plays: list[tuple[Play, float]] = _judge().ranking(turn)
    except loading.NoBot:
        return []
    return plays


def best_lines(turn: Turn, plays: Sequence[tuple[Play, float]]) -> list[RenderableType]:
    """The best plays as lines; nothing for none."""
    best = [(f"  {format_play(turn.board, play.moves)}", f"{equity:+.3f}") for play, equity in plays]
    heading = Text("the house bot would play, where +1 is a game won and -1 one lost:")
    return [heading, pairs(best, gap=3)] if best else []


def _cube_advice(turn: Turn) -> str:
    if turn.view.rules.get("rated"):
        raise BadCommand("in a rated match nobody says what to do with the cube")
    try:
        judge = _judge()
    except loading.NoBot:
        raise BadCommand("hints for the cube come with the bots of Tavla: install tavla[bots]") from None
    if turn.view.phase == "roll":
        return f"the house bot would {'double' if judge.offer_double(turn) else 'roll'}"
    return f"the house bot would {'take' if judge.take_double(turn) else 'drop'}"


def _judge() -> Any:
    """The bot that hints come from. Raises: NoBot."""
    return loading.load(JUDGE, Path.cwd())()
