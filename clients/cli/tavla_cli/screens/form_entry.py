"""The form of the lobby while the user fills it in: keys change it, Enter sends it."""

from collections.abc import Callable
from functools import partial

from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from tavla_client import Client

from tavla_cli.bots.computer import LEVELS, play_computer
from tavla_cli.screens import table_form
from tavla_cli.screens.lobby_state import Lobby
from tavla_cli.screens.pending_request import BUSY, PendingRequest
from tavla_cli.screens.table_form import TableForm


class FormEntry:
    """The entry of a form for a table or a challenge. form: None while none is filled in. tell: shows a notice."""

    def __init__(self, client: Client, request: PendingRequest, tell: Callable[[str], None]) -> None:
        self._client, self._request, self._tell = client, request, tell
        self.form: TableForm | None = None
        self.filling = Condition(lambda: self.form is not None)

    def open(self, lobby: Lobby) -> None:
        """Begin a form, against the person who is chosen, if one is."""
        if self._request.pending:
            self._tell(BUSY)
            return
        people = [name for name in lobby.best_people if name != self._client.me.name]
        account = self._client.me.rating is not None
        self.form = table_form.new_form(people, LEVELS, account, lobby.other or table_form.ANYONE)
        self._tell("")

    def close(self) -> None:
        """Send nothing."""
        self.form = None
        self._tell("")

    def add_keys(self, bindings: KeyBindings) -> None:
        """Keys that count while a form is filled in."""
        steps = {"up": (table_form.move, -1), "down": (table_form.move, 1), "tab": (table_form.move, 1)}
        steps |= {"left": (table_form.turn, -1), "right": (table_form.turn, 1)}

        def add(key: str, how: Callable[[TableForm], TableForm]) -> None:
            bindings.add(key, filter=self.filling)(lambda _: self._change(how))

        for key, (step, by) in steps.items():
            add(key, partial(step, by=by))
        add("backspace", partial(table_form.after_typing, text=""))
        bindings.add("enter", filter=self.filling)(lambda _: self._send())

        @bindings.add("<any>", filter=self.filling)
        def _(event: KeyPressEvent) -> None:
            self._change(lambda form: table_form.after_typing(form, event.data) if event.data.isprintable() else form)

    def _change(self, how: Callable[[TableForm], TableForm]) -> None:
        assert self.form is not None, "it is filled in"
        self.form = how(self.form)
        self._tell("")

    def _send(self) -> None:
        form, client, start = self.form, self._client, self._request.start
        assert form is not None, "it is filled in"
        if form.fault:
            self._tell(form.fault)
            return
        wish, self.form = form.wish, None
        if wish.what == "table":
            start(lambda: client.create(wish.name, wish.rules, wish.side, private=wish.private))
        elif wish.what == "computer":
            start(lambda: play_computer(client, wish.rules, wish.level, wish.side), "looking for a computer")
        else:
            name = wish.name or ""
            start(lambda: client.challenges.send(name, wish.rules, wish.side), f"waiting for {name} to answer")
