"""The lobby on a terminal, live: it follows what happens, and leads to the match that the user chooses."""

from collections.abc import Awaitable, Callable

from prompt_toolkit import Application
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
from tavla_client import Client, ClientError, Link, Lists, Match, Refused
from tavla_protocol import messages as m

from tavla_cli.lobby import Choice, Lobby, draw, move
from tavla_cli.terminal import look_of, new_console
from tavla_cli.words import challenge_text

PAGE_ROWS = 10
FAR = 10**6  # rows; no list is as long
MOVES = {"up": -1, "k": -1, "down": 1, "j": 1, "pageup": -PAGE_ROWS, "pagedown": PAGE_ROWS, "home": -FAR, "end": FAR}


class LobbyScreen:
    """A lobby that can be shown again and again. lists: tables, matches and people."""

    def __init__(self, client: Client, lists: Lists, ascii_only: bool) -> None:
        self._client, self._lists = client, lists
        self._ascii = look_of(new_console(ascii_only), ascii_only).ascii
        self._chosen: Choice | None = None
        self._place = 0  # of the chosen row
        self._notice = ""
        self._busy = False
        self._app: Application[Match | None] | None = None

    async def run(self) -> Match | None:
        """Show it until the user has chosen a match, which is joined or attached; None when the user goes.

        Raises: ClientError, when the server does not know us any more.
        """
        self._notice, self._busy = "", False
        self._client.on_challenge = self.on_challenge
        if self._chosen not in self._lobby().choices:
            self._chosen = None
        window = Window(FormattedTextControl(self._text, show_cursor=False), always_hide_cursor=True)
        self._app = Application(Layout(window), key_bindings=self._keys(), full_screen=True)
        try:
            return await self._app.run_async(pre_run=self._begin, set_exception_handler=False)
        except (EOFError, KeyboardInterrupt):
            return None
        finally:
            self._app = None

    def on_link(self, _: Link) -> None:
        """The connection is lost, or back."""
        if self._app is not None:
            self._app.invalidate()

    def on_challenge(self, challenged: m.Challenged) -> None:
        """Tell that someone wants to play."""
        self._tell(f" {challenge_text(challenged)}")

    # --- what is shown ---

    def _text(self) -> StyleAndTextTuples:
        assert self._app is not None, "it is shown"
        size = self._app.output.get_size()
        text: StyleAndTextTuples = []
        for line in draw(self._lobby(), size.columns, size.rows, self._ascii):
            text += [*line, ("", "\n")]
        return text[:-1]

    def _lobby(self) -> Lobby:
        """What there is now. The first row that comes is chosen; later ones never take its place by themselves."""
        rows, total = self._lists.rows, self._lists.total
        lobby = Lobby(
            self._client.name or "",
            self._client.url,
            rows["tables"],
            rows["matches"],
            rows["people"],
            total["people"],
            self._chosen,
            self._notice if self._client.online else " connection lost, trying again",
        )
        choices = lobby.choices
        if self._chosen is None and choices:
            self._choose(choices[0], choices)
            return self._lobby()
        if self._chosen in choices:
            self._place = choices.index(self._chosen)
        return lobby

    def _choose(self, choice: Choice | None, choices: list[Choice]) -> None:
        self._chosen = choice
        self._place = choices.index(choice) if choice is not None else 0

    def _tell(self, notice: str) -> None:
        self._notice = notice
        if self._app is not None:
            self._app.invalidate()

    # --- what happens ---

    def _begin(self) -> None:
        assert self._app is not None, "it is shown"
        self._app.create_background_task(self._follow())

    async def _follow(self) -> None:
        while True:
            try:
                await self._lists.changed()
            except ClientError as error:
                self._end(error)
                return
            if self._app is not None:
                self._app.invalidate()

    def _end(self, result: Match | ClientError | None) -> None:
        """Leave the screen, once."""
        if self._app is None or self._app.future is None or self._app.future.done():
            return
        if isinstance(result, ClientError):
            self._app.exit(exception=result)
        else:
            self._chosen = Choice("matches", result.id) if result is not None else None  # once we are back
            self._app.exit(result=result)

    # --- what is typed ---

    def _keys(self) -> KeyBindings:
        bindings = KeyBindings()
        for key, by in MOVES.items():
            bindings.add(key)(self._mover(by))
        bindings.add("enter")(lambda _: self._start(self._go))
        bindings.add("c")(lambda _: self._start(self._client.create))
        for key in ("q", "c-c", "c-d"):
            bindings.add(key)(lambda _: self._end(None))
        return bindings

    def _mover(self, by: int) -> Callable[[KeyPressEvent], None]:
        def on_key(_: KeyPressEvent) -> None:
            choices = self._lobby().choices
            self._choose(move(choices, self._chosen, self._place, by), choices)
            self._tell("")

        return on_key

    def _start(self, action: Callable[[], Awaitable[Match | None]]) -> None:
        """Begin what was asked for, unless something is under way."""
        if not self._busy and self._app is not None:
            self._busy = True
            self._app.create_background_task(self._act(action))

    async def _act(self, action: Callable[[], Awaitable[Match | None]]) -> None:
        try:
            match = await action()
        except Refused as refused:
            self._tell(f" {refused.text}")
        except ClientError as error:
            self._end(error)
        else:
            if match is not None:
                self._end(match)
        finally:
            self._busy = False

    async def _go(self) -> Match | None:
        """To the match that is chosen, as the row says."""
        lobby = self._lobby()
        table = lobby.table(lobby.chosen) if lobby.chosen is not None else None
        if lobby.chosen is None or table is None:
            self._tell(" that one is gone: choose another" if lobby.chosen else " there is nothing to join yet")
            return None
        if lobby.chosen.what == "tables" and not lobby.mine(table):
            return await self._client.join(lobby.chosen.id)
        return await self._client.attach(lobby.chosen.id)
