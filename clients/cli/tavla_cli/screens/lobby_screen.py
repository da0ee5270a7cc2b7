"""The lobby on a terminal, live: it follows what happens, and leads to the match that the user chooses."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace

from prompt_toolkit import Application
from prompt_toolkit.application import get_app
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import FormattedTextControl, HSplit, Layout, Window
from tavla_client import Client, Link, Lists, Match
from tavla_protocol.messages import Called

from tavla_cli.input.ask_line import AskLine
from tavla_cli.input.terminal import add_common_keys, look_of, new_console
from tavla_cli.screens.form_entry import FormEntry
from tavla_cli.screens.full_screen import FullScreen
from tavla_cli.screens.lobby_commands import LobbyCommands
from tavla_cli.screens.lobby_drawing import draw
from tavla_cli.screens.lobby_feed import LobbyFeed
from tavla_cli.screens.lobby_notices import LobbyNotices
from tavla_cli.screens.lobby_selection import Selection
from tavla_cli.screens.lobby_state import Choice, Lobby
from tavla_cli.screens.pending_request import PendingRequest

PAGE_ROWS = 10
FAR = 10**6  # rows; no list is as long
MOVES = {"up": -1, "k": -1, "down": 1, "j": 1, "pageup": -PAGE_ROWS, "pagedown": PAGE_ROWS, "home": -FAR, "end": FAR}
Hearing = Callable[[Client, Callable[[str], object]], Callable[[Called], None]]
REDRAW_S = 1.0  # a challenge that is over is shown no longer than this


class LobbyScreen:
    """The screen of a lobby, to be shown again and again.

    lists: tables, matches, people, seekers. stack: for other lists.

    hearing: makes the callback for calls of tournaments.
    """

    def __init__(self, client: Client, lists: Lists, stack: AsyncExitStack, ascii_only: bool, hearing: Hearing) -> None:
        self.first_notice = ""  # what is told when it is shown next
        self._client, self._hearing = client, hearing
        self._ascii = look_of(new_console(ascii_only), ascii_only).ascii
        self._screen, self._selection, self._line = FullScreen(), Selection(), AskLine()
        self._feed = LobbyFeed(client, lists, stack, self._screen)
        self._notices = LobbyNotices(client, self._screen)
        self._request = PendingRequest(self._screen, self._notices.tell)
        self._form = FormEntry(client, self._request, self._notices.tell)
        self._commands = LobbyCommands(client, self._feed, self._line, self._request, self._notices.tell, self._ascii)

    async def run(self) -> Match | None:
        """Show it until the user has chosen a match, which is joined or attached; None when the user goes.

        Raises: ClientError, when the server does not know us any more.
        """
        first, self.first_notice = self.first_notice, ""
        self._notices.tell(first)
        hear = self._hearing(self._client, self._notices.call)
        self._client.callbacks = replace(self._notices.callbacks, called=hear)
        for called in self._client.tournaments.calls.values():
            hear(called)
        await self._feed.listen()
        if self._selection.chosen not in self._lobby().choices:
            self._selection.chosen = None
        body = Window(FormattedTextControl(self._text, show_cursor=False, focusable=True), always_hide_cursor=True)
        layout = Layout(HSplit([body, self._line.container]), focused_element=body)
        app: Application[Match | None] = Application(
            layout, key_bindings=self._keys(), full_screen=True, refresh_interval=REDRAW_S
        )
        app.ttimeoutlen = 0.1  # s until Esc is no beginning of another key
        match = await self._screen.show(app, self._feed.followers())
        self._selection.reset(Choice("matches", match.id) if match is not None else None)  # once we are back
        return match

    def on_link(self, _: Link) -> None:
        """The connection is lost, or back."""
        self._screen.redraw()

    def _lobby(self) -> Lobby:
        return self._feed.lobby(self._selection, self._notices.text, self._request.pending)

    def _text(self) -> StyleAndTextTuples:
        size = get_app().output.get_size()
        text: StyleAndTextTuples = []
        for line in draw(self._lobby(), size.columns, size.rows - self._line.asking(), self._ascii, self._form.form):
            text += [*line, ("", "\n")]
        return text[:-1]

    # --- what is typed ---

    def _keys(self) -> KeyBindings:
        bindings, commands = KeyBindings(), self._commands
        add_common_keys(bindings)
        free = ~self._line.asking & ~self._form.filling
        self._form.add_keys(bindings)
        for key, by in MOVES.items():
            bindings.add(key, filter=free)(lambda _, by=by: self._move(by))
        pressed: dict[str, Callable[[Lobby], None]] = {
            "enter": commands.go,
            "tab": lambda _: self._next_page(),
            "c": self._form.open,
            "p": commands.join_private,
            "/": lambda lobby: self._line.ask("find", self._find, lobby.wanted),
            "s": commands.say,
            "h": commands.history,
            "m": commands.mute,
            "r": commands.report,
            "o": commands.moderate,
            "f": lambda _: self._to_friend(),
            "a": lambda lobby: commands.answer(lobby, True),
            "d": lambda lobby: commands.answer(lobby, False),
            "q": lambda _: self._screen.end(None),
        }
        for key, action in pressed.items():
            bindings.add(key, filter=free)(lambda _, action=action: action(self._lobby()))
        bindings.add("escape")(lambda _: self._back())
        for key in ("c-c", "c-d"):
            bindings.add(key)(lambda _: self._screen.end(None))
        return bindings

    def _move(self, by: int) -> None:
        self._selection.move(self._lobby().choices, by)
        self._notices.tell("")

    def _next_page(self) -> None:
        self._selection.next_page()
        self._notices.tell("")

    def _to_friend(self) -> None:
        """Watch the friend of the newest notice, or choose the table that it has opened."""
        friend = self._notices.friend
        if friend is not None and friend.what == "plays":
            self._request.start(lambda: self._client.attach(friend.match))
        elif friend is not None and friend.what == "opened":
            self._selection.reset(Choice("tables", friend.match))
            self._notices.tell("")

    def _find(self, wanted: str) -> None:
        self._selection.find(wanted)
        self._notices.tell("")

    def _back(self) -> None:
        """Go a step back: from a question, from waiting, from what was looked for."""
        if self._line.asking():
            self._line.stop()
        elif self._form.form is not None:
            self._form.close()
        elif self._request.pending:
            self._request.cancel()
        else:
            self._find("")
