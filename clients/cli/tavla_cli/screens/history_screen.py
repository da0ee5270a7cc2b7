"""A player's finished matches, newest first: a page at a time on a terminal, in one piece through a pipe."""

from collections.abc import Sequence
from contextlib import suppress

from prompt_toolkit import PromptSession
from rich.console import Console
from rich.text import Text
from tavla_client import Client
from tavla_protocol import messages as m

from tavla_cli.input.terminal import is_interactive
from tavla_cli.text.history import COLUMNS, analysis_line, empty_text, history_line, page_end, widths

_AROUND = 4  # lines that are not the list's: its head, the question, what was typed; one may be too many
_PIPE_LINES = 50  # whose columns are made to fit each other, where there is no screen
_LEAST_LINES = 5


async def show_history(client: Client, console: Console, name: str | None) -> None:
    """Print the list. name: None = one's own. Raises: ClientError."""
    height = max(_LEAST_LINES, console.height - _AROUND) if is_interactive() else _PIPE_LINES
    page: list[m.Finished] = []
    count, lines = 0, 0
    async for played in client.archive.history(name):
        if lines >= height:
            if not await _wants_more(count):
                return
            page, lines = [], 0
        page.append(played)
        count, lines = count + 1, lines + (2 if played.analysis else 1)
        if lines >= height:
            _print_page(console, page)
    if 0 < lines < height:
        _print_page(console, page)
    if not count:
        console.print(empty_text(name or "", own=name is None))


def _print_page(console: Console, page: list[m.Finished]) -> None:
    lines = [history_line(played) for played in page]
    wide = widths(lines, console.width)
    _print_line(console, COLUMNS, wide, "bold")
    for line, played in zip(lines, page, strict=True):
        _print_line(console, line, wide)
        if judged := analysis_line(played):
            console.print(Text(judged, "dim"), no_wrap=True, overflow="ellipsis")


def _print_line(console: Console, line: Sequence[str], wide: Sequence[int], style: str = "") -> None:
    cells = [Text(cell) for cell in line]
    for cell, width in zip(cells, wide, strict=True):
        cell.truncate(width, overflow="ellipsis" if console.encoding.startswith("utf") else "crop", pad=True)
    text = Text("  ", style).join(cells)
    text.rstrip()
    console.print(text, no_wrap=True, crop=False)


async def _wants_more(count: int) -> bool:
    if not is_interactive():
        return True
    with suppress(EOFError, KeyboardInterrupt):
        typed = await PromptSession[str]().prompt_async(f"{page_end(count)}> ")
        return not typed.strip().lower().startswith("q")
    return False
