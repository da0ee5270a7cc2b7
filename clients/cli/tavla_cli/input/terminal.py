"""Terminal in lines: a prompt that stays at the bottom, or plain lines through pipes."""

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.shortcuts import CompleteStyle
from rich.console import Console, RenderableType

from tavla_cli.console import CleanConsole
from tavla_cli.output import raw
from tavla_cli.text.look import Look

PIPE_COLUMNS = 200  # what reads a pipe has no screen that a table would have to fit
TICK_S = 0.5  # between two looks at a clock
SETTLED_S = 0.2  # without a change of its size a window is not being dragged any more


class Terminal(Protocol):
    """A terminal: input and output of a game. `show` may be called from anywhere in the event loop and never waits."""

    look: Look
    interactive: bool
    _console: Console

    @property
    def columns(self) -> int:
        """Width of the terminal now."""
        return self._console.width

    def fits(self, what: RenderableType) -> bool:
        """True if one sees all of it at once, above the prompt; lines that nobody draws anew can be scrolled back."""
        return not self.interactive or len(self._console.render_lines(what)) < self._console.height - 1

    def show(self, *what: RenderableType) -> None:
        """Write lines above the prompt, in order."""

    def on_resize(self, resized: Callable[[], None]) -> None:
        """Call this when the window has got another width."""
        return

    def refresh(self) -> None:
        """The prompt may have changed."""

    def bell(self) -> None:
        """Ring, if a user is there to hear it."""
        return

    async def read(self) -> str | None:
        """The next line that was typed; None when the user wants to go."""

    async def drain(self) -> None:
        """Wait until everything is on the screen."""
        return


def open_terminal(
    ascii_only: bool,
    prompt: Callable[[], str],
    words: Callable[[], Sequence[str]],
    wants_enter: Callable[[], bool],
    ticking: bool = False,
) -> Terminal:
    """The terminal that fits standard input and output.

    prompt: the current question. words: commands that can be completed now. wants_enter: whether an empty line means
    something now. ticking: the prompt shows a time that runs.
    """
    interactive = is_interactive()
    console = new_console(ascii_only, wrap=interactive)
    if interactive:
        return PromptTerminal(console, look_of(console, ascii_only), prompt, words, wants_enter, ticking)
    return PlainTerminal(console, look_of(console, ascii_only), prompt)


def is_interactive() -> bool:
    """True if someone sits at a terminal that can do more than print lines."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def new_console(ascii_only: bool, wrap: bool = True) -> Console:
    """A console for standard output that prints text as it is given. wrap: break long lines between words."""
    width = None if sys.stdout.isatty() else PIPE_COLUMNS
    return CleanConsole(
        file=raw(sys.stdout),  # whose charset rich would not look at else
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=not wrap,
        no_color=ascii_only or None,
        width=width,
    )


def look_of(console: Console, ascii_only: bool) -> Look:
    """Abilities of this console."""
    try:
        "○●─│╭╯▶…".encode(console.encoding)
    except (UnicodeEncodeError, LookupError):
        ascii_only = True
    shades = console.color_system in ("256", "truecolor")  # with sixteen colours felt, wood and checkers look alike
    return Look(ascii_only, shades and not console.no_color)


class PromptTerminal(Terminal):
    """A terminal with a prompt, by prompt_toolkit."""

    interactive = True

    def __init__(
        self,
        console: Console,
        look: Look,
        prompt: Callable[[], str],
        words: Callable[[], Sequence[str]],
        wants_enter: Callable[[], bool],
        ticking: bool,
    ) -> None:
        self.look = look
        self._console = console
        self._waiting: list[RenderableType] = []
        self._columns, self._resized = console.width, lambda: None
        self._settled: asyncio.TimerHandle | None = None
        self._writing: asyncio.Future[Any] | None = None
        self._session: PromptSession[str] = PromptSession(
            lambda: [("bold", f"{question}> ")] if (question := prompt()) else "",
            completer=WordCompleter(lambda: list(words())),
            complete_while_typing=False,  # a menu would take the lines that the board needs
            complete_style=CompleteStyle.READLINE_LIKE,
            reserve_space_for_menu=0,
            refresh_interval=TICK_S if ticking else 0,
            key_bindings=_ignore_enter(Condition(lambda: not wants_enter())),
        )
        self._session.app.before_render += lambda _: self._look_at_width()

    def on_resize(self, resized: Callable[[], None]) -> None:
        self._resized = resized

    def _look_at_width(self) -> None:
        """Draw anew what was drawn for another width, as soon as the window keeps its size."""
        if self._columns != self.columns:
            self._columns = self.columns
            if self._settled is not None:
                self._settled.cancel()
            self._settled = asyncio.get_running_loop().call_later(SETTLED_S, self._resized)

    def show(self, *what: RenderableType) -> None:
        self._waiting += what
        if self._writing is None or self._writing.done():
            self._writing = asyncio.ensure_future(self._write())

    async def _write(self) -> None:
        while self._waiting:
            # prompt_toolkit's own stdout patch waits 0.2 s between writes; here everything waiting goes out together.
            await run_in_terminal(self._flush) if self._session.app.is_running else self._flush()

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        for renderable in waiting:
            self._console.print(renderable, crop=False)

    def refresh(self) -> None:
        self._session.app.invalidate()

    def bell(self) -> None:
        self._session.output.bell()
        self._session.output.flush()

    async def read(self) -> str | None:
        try:
            return await self._session.prompt_async(set_exception_handler=False)  # ours are caught where they happen
        except (EOFError, KeyboardInterrupt):
            return None

    async def drain(self) -> None:
        if self._writing is not None:
            await self._writing


def add_common_keys(bindings: KeyBindings) -> None:
    """Ctrl-Z suspends. Pasted colours are nothing: prompt_toolkit takes them for a mouse, and fails."""
    bindings.add(Keys.Vt100MouseEvent)(lambda _: None)
    bindings.add("c-z")(lambda event: event.app.suspend_to_background())


def _ignore_enter(pointless: Condition) -> KeyBindings:
    """An empty line is ignored while there is nothing that it could mean, instead of scrolling the board away."""
    bindings = KeyBindings()
    add_common_keys(bindings)

    @bindings.add("enter", filter=pointless)
    def _(event: KeyPressEvent) -> None:
        if event.current_buffer.text.strip():
            event.current_buffer.validate_and_handle()

    return bindings


class PlainTerminal(Terminal):
    """A terminal of lines in and lines out: for pipes, files and terminals that can do nothing else.

    A question is a line of its own, and the last one: it is asked anew below whatever has been shown since.
    """

    interactive = False

    def __init__(self, console: Console, look: Look, prompt: Callable[[], str]) -> None:
        self.look = look
        self._console, self._prompt, self._asked = console, prompt, ""
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._reader: threading.Thread | None = None

    def show(self, *what: RenderableType) -> None:
        self._asked = ""
        for renderable in what:
            self._console.print(renderable)

    def refresh(self) -> None:
        question = self._prompt()
        if question != self._asked:
            self._asked = question
            self._console.print(f"> {question}")

    async def read(self) -> str | None:
        if self._reader is None:
            # A daemon of its own: a read that is waiting cannot be cancelled, and must not keep the program alive.
            loop = asyncio.get_running_loop()
            self._reader = threading.Thread(target=self._read_lines, args=(loop,), daemon=True)
            self._reader.start()
        return await self._lines.get()

    def _read_lines(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            for line in sys.stdin:
                loop.call_soon_threadsafe(self._lines.put_nowait, line)
            loop.call_soon_threadsafe(self._lines.put_nowait, None)
        except (RuntimeError, ValueError, OSError):
            pass  # the loop is closed, or the input is: nothing is read any more
