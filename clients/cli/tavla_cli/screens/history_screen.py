"""Someone's finished matches, newest first: a page at a time on a terminal, in one piece through a pipe."""

from contextlib import suppress

from prompt_toolkit import PromptSession
from rich.console import Console
from rich.text import Text
from tavla_client import Client
from tavla_protocol import messages as m

from tavla_cli.input.terminal import is_interactive
from tavla_cli.text.history import COLUMNS, history_line, nothing_played, page_end, widths

_AROUND = 3  # lines of a screen that are not the list's: its head, the question, and what was typed
_PIPE_LINES = 50  # whose columns are made to fit each other, where there is no screen
_LEAST_LINES = 5


async def show_history(client: Client, console: Console, name: str | None) -> None:
    """Print the list. name: None = one's own. Raises: ClientError."""
    height = max(_LEAST_LINES, console.height - _AROUND) if is_interactive() else _PIPE_LINES
    page: list[m.Finished] = []
    count = 0
    async for played in client.history(name):
        if len(page) == height:
            if not await _wants_more(count):
                return
            page = []
        page.append(played)
        count += 1
        if len(page) == height:
            _print_page(console, page)
    if len(page) % height:
        _print_page(console, page)
    if not count:
        console.print(nothing_played(name or "", own=name is None))


def _print_page(console: Console, page: list[m.Finished]) -> None:
    lines = [history_line(played) for played in page]
    wide = widths(lines, console.width)
    for style, line in [("bold", COLUMNS), *(("", line) for line in lines)]:
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
