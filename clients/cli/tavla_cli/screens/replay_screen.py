"""A replay on a terminal: one steps through a match with keys; a match that is live grows meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from io import StringIO
from pathlib import Path

from prompt_toolkit.application import Application, get_app
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import FormattedTextControl, HSplit, Layout, Window
from rich.text import Text
from tavla_client import ClientError, Match
from tavla_engine.errors import BadText
from tavla_protocol.messages import DeeperLook, Finding

from tavla_cli.console import CleanConsole
from tavla_cli.input.ask_line import AskLine
from tavla_cli.input.terminal import add_common_keys, look_of, new_console
from tavla_cli.records.files import BadFile, write
from tavla_cli.records.marks import decision_in
from tavla_cli.records.record import Record
from tavla_cli.screens.full_screen import FullScreen
from tavla_cli.screens.replay_drawing import Replay, lines
from tavla_cli.screens.replay_place import ReplayPlace
from tavla_cli.text.analysis import deeper_text
from tavla_cli.text.cleaning import clean
from tavla_cli.text.rules import rules_text

PLAY_S = 1.2  # from one step to the next by itself

More = Callable[[Record], AsyncIterator[Record]]
Look = Callable[[Finding], Awaitable[DeeperLook]]


class ReplayScreen:
    """A screen to look at a record.

    side: the seat at the bottom. more: the record, each time it grows; None = it cannot. deeper: asks the server to
    look deeper at a decision; None = it does not know the match.

    name: what a file is called that it is saved to, without its ending.
    """

    def __init__(
        self,
        record: Record,
        ascii_only: bool,
        side: int,
        name: str,
        more: More | None = None,
        deeper: Look | None = None,
    ) -> None:
        self._place, self._more, self._side, self._name, self._deeper = ReplayPlace(record), more, side, name, deeper
        self._console = new_console(ascii_only)
        self._look = look_of(self._console, ascii_only)
        self._screen, self._line = FullScreen(), AskLine()
        self._notice = ""
        self._playing: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Show it until the user goes."""
        body = Window(FormattedTextControl(self._text, show_cursor=False, focusable=True), always_hide_cursor=True)
        layout = Layout(HSplit([body, self._line.container]), focused_element=body)
        app: Application[Match | None] = Application(layout, key_bindings=self._keys(), full_screen=True)
        app.ttimeoutlen = 0.1  # s until Esc is no beginning of another key
        more = None if self._place.record.over else self._more
        await self._screen.show(app, [] if more is None else [self._take_all(more)])

    # --- what is shown ---

    def _text(self) -> ANSI:
        size = get_app().output.get_size()
        text = lines(self._replay(), self._look, size.columns, size.rows - self._line.asking())
        console = CleanConsole(
            file=StringIO(),
            force_terminal=True,
            color_system=self._console.color_system if self._look.colour else None,  # type: ignore[arg-type] # its own
            width=size.columns,
            highlight=False,
        )
        with console.capture() as written:
            console.print(Text("\n").join(text), crop=False, no_wrap=True, overflow="ignore", end="")
        return ANSI(written.get())

    def _replay(self) -> Replay:
        names = " - ".join(map(clean, self._place.record.names))
        title = f" {names}, {rules_text(self._place.record.view.rules)}" + (f"  [{self._name}]" if self._name else "")
        live = self._more is not None and not self._place.record.over
        notice = self._notice or (" plays by itself: Space stops it" if self._playing else "")
        return Replay(title, self._place.steps, self._place.at, self._side, live, notice)

    def _tell(self, notice: str) -> None:
        self._notice = f" {notice}" if notice else ""
        self._screen.redraw()

    # --- what happens ---

    async def _take_all(self, more: More) -> None:
        """Add new steps. A screen at the last step goes along; others show that there is more."""
        try:
            async for record in more(self._place.record):
                self._tell("the match has gone on: End shows it" if self._place.grow(record) else "")
        except (ClientError, BadText) as error:
            self._tell(f"this is all that is known: {error}")

    async def _play(self) -> None:
        try:
            while self._place.at < self._place.last or not self._place.record.over:
                await asyncio.sleep(PLAY_S)
                self._place.go(self._place.at + 1)
                self._screen.redraw()
        finally:
            self._playing = None
            self._screen.redraw()

    # --- what is typed ---

    def _keys(self) -> KeyBindings:
        bindings = KeyBindings()
        add_common_keys(bindings)
        pressed: dict[str, Callable[[], None]] = {
            **dict.fromkeys(("right", "l", "n", "enter"), lambda: self._go(self._place.at + 1)),
            **dict.fromkeys(("left", "h", "p", "backspace"), lambda: self._go(self._place.at - 1)),
            **dict.fromkeys(("down", "j", "pagedown"), lambda: self._go(self._place.game(1))),
            **dict.fromkeys(("up", "k", "pageup"), lambda: self._go(self._place.game(-1))),
            "home": lambda: self._go(0),
            "end": lambda: self._go(self._place.last),
            "space": self._start_or_stop,
            "f": self._flip,
            "d": self._look_deeper,
            "s": lambda: self._line.ask("save as (.mat, .sgf, .ogxm or .json)", self._save, f"{self._name}.mat"),
            "q": lambda: self._screen.end(None),
        }
        for key, action in pressed.items():
            bindings.add(key, filter=~self._line.asking)(lambda _, action=action: action())
        bindings.add("escape")(lambda _: self._line.stop() if self._line.asking() else self._screen.end(None))
        for key in ("c-c", "c-d"):
            bindings.add(key)(lambda _: self._screen.end(None))
        return bindings

    def _go(self, at: int) -> None:
        self._place.go(at)
        self._tell("")

    def _start_or_stop(self) -> None:
        if self._playing is not None:
            self._playing.cancel()
        else:
            self._playing = self._screen.spawn(self._play())
        self._tell("")

    def _flip(self) -> None:
        self._side = 1 - self._side
        self._tell("")

    def _look_deeper(self) -> None:
        decision = decision_in(self._place.record, self._place.step.match)
        if self._deeper is None or not self._place.record.over:
            self._tell("a server looks deeper at matches that are over there, and at no file")
        elif decision is None:
            self._tell("there is nothing to look at here: go to a roll that was played, or to a double")
        else:
            self._tell("looking deeper, some seconds")
            self._screen.spawn(self._tell_deeper(self._deeper(decision), self._place.at))

    async def _tell_deeper(self, look: Awaitable[DeeperLook], at: int) -> None:
        try:
            told = deeper_text(await look)
        except ClientError as error:
            told = str(error)
        if at == self._place.at:
            self._tell(told)

    def _save(self, text: str) -> None:
        if not text:
            return
        try:
            write(self._place.record, Path(text))
        except BadFile as error:
            self._tell(str(error))
        else:
            self._tell(f"saved as {text}")
