"""A replay as text. Pure: a step in, lines out; 80 columns and 24 rows show all of it."""

import textwrap
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from rich.text import Text

from tavla_cli.records.ids import id_lines
from tavla_cli.records.steps import Step, turns_of
from tavla_cli.screens.board import draw
from tavla_cli.text.cleaning import clean
from tavla_cli.text.look import Look
from tavla_cli.text.prompts import waited_for

HELP = " Left Right turn  Up Down game  Space play  f flip  d deeper  s save  q quit"
_SAID = 4  # lines at most


class Replay(NamedTuple):
    """State of a replay. title: of the match. more: it goes on, and the last step is not its end."""

    title: str
    steps: Sequence[Step]
    place: int
    side: int
    more: bool = False
    notice: str = ""


def lines(replay: Replay, look: Look, columns: int, rows: int) -> list[Text]:
    """The screen from top to bottom."""
    step = replay.steps[replay.place]
    board = draw(step.view, replay.side, look, columns=columns).split("\n", allow_blank=True)
    head = [Text(replay.title, look.style("bold"))]
    notice = textwrap.wrap(clean(replay.notice).strip(), max(columns - 1, 10))
    foot = [
        *(Text(f" {line}") for line in id_lines(step.match)),
        Text(f" {_status(replay, step)}"),
        *(Text(f" {line}", look.style("dim")) for line in notice or [HELP]),
    ]
    space = max(1, min(_SAID, rows - len(head) - len(board) - len(foot)))
    said = _told(step, columns - 1)[-space:]
    body = [*head, *board, *said, *[Text("")] * (space - len(said)), *foot]
    for line in body:
        line.truncate(columns)
    return body[:rows]


def _told(step: Step, columns: int) -> list[Text]:
    sentences = list(step.said)
    if (asked := waited_for(step.view)) and step.view.game:
        sentences.append(asked)
    wrap = partial(textwrap.wrap, width=max(1, columns), break_long_words=False, break_on_hyphens=False)
    return [Text(f" {line}") for sentence in sentences for line in wrap(sentence)]


def _status(replay: Replay, step: Step) -> str:
    """Place in the match, and when that was."""
    turns = turns_of(replay.steps)
    games = max(turns)
    parts = [f"game {step.match.game} of {games}{'+' * replay.more}" if games else "nothing has been played yet"]
    if step.turn:
        parts.append(f"turn {step.turn} of {turns[step.match.game]}")
    first = next((other.time_ms for other in replay.steps if other.time_ms), 0)
    if step.time_ms:
        before = replay.steps[replay.place - 1].time_ms if replay.place else 0
        took = f", {_span(step.time_ms - before)} after the step before" if before else ""
        parts.append(f"{_span(step.time_ms - first)} since the start{took}")
    return ", ".join(parts)


def _span(ms: int) -> str:
    hours, minutes = divmod(max(ms, 0) // 60_000, 60)
    seconds = max(ms, 0) // 1000 % 60
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
