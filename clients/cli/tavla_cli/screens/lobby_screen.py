"""The lobby on a terminal, live: it follows what happens, and leads to the match that the user chooses."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from functools import partial

from prompt_toolkit import Application, PromptSession
from prompt_toolkit.application import in_terminal
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import FormattedTextControl, HSplit, Layout, Window
from rich.text import Text
from tavla_client import Callbacks, Client, ClientError, Link, Lists, Match, Refused
from tavla_protocol import messages as m

from tavla_cli.bots.computer import LEVELS, play_computer
from tavla_cli.input import moderation
from tavla_cli.input.ask_line import AskLine
from tavla_cli.input.parsing import BadCommand
from tavla_cli.input.terminal import add_common_keys, look_of, new_console
from tavla_cli.screens import table_form
from tavla_cli.screens.history_screen import show_history
from tavla_cli.screens.lobby_drawing import draw
from tavla_cli.screens.lobby_state import PAGES, Choice, Lobby, Page, move
from tavla_cli.screens.pending_request import BUSY, PendingRequest
from tavla_cli.screens.table_form import TableForm
from tavla_cli.text.absence import own_end_text
from tavla_cli.text.people import unchallenged_text
from tavla_cli.text.seeking import seek_options
from tavla_cli.text.story import void_while_seeking
from tavla_cli.text.words import clean

PAGE_ROWS = 10
FAR = 10**6  # rows; no list is as long
MOVES = {"up": -1, "k": -1, "down": 1, "j": 1, "pageup": -PAGE_ROWS, "pagedown": PAGE_ROWS, "home": -FAR, "end": FAR}
REDRAW_S = 1.0  # a challenge that is over is shown no longer than this
PRIVATE_POLL_S = 5.0  # between two looks at private tables of one's own, which no list shows
USUAL_LENGTH = "3"  # points


class LobbyScreen:
    """A lobby to be shown again and again. lists: tables, matches, people, seekers. stack: for other lists."""

    def __init__(self, client: Client, lists: Lists, stack: AsyncExitStack, ascii_only: bool) -> None:
        self._client, self._lists, self._stack = client, lists, stack
        self._ascii = look_of(new_console(ascii_only), ascii_only).ascii
        self._chat: Lists | None = None  # not yet heard
        self._old = 0  # the last line that was said while the user was not here
        self._private: dict[str, m.Table] = {}  # one's own
        self._page: Page = "tables"
        self._chosen: Choice | None = None
        self._place = 0  # of the chosen row
        self._wanted = ""
        self._notice = ""
        self.first_notice = ""  # what is told when it is shown next
        self._muted: set[str] = set()  # from here
        self._request = PendingRequest(self._tell, self._end)
        self._line = AskLine()
        self._form: TableForm | None = None  # as long as one is filled in
        self._app: Application[Match | None] | None = None

    async def run(self) -> Match | None:
        """Show it until the user has chosen a match, which is joined or attached; None when the user goes.

        Raises: ClientError, when the server does not know us any more.
        """
        first, self.first_notice = self.first_notice, ""
        self._notice = f" {first}" if first else ""
        self._request = PendingRequest(self._tell, self._end)
        self._client.callbacks = Callbacks(
            seated=self.on_seated,
            ended=self.on_ended,
            notice=self.on_notice,
            challenge=self.on_challenge,
            unchallenged=self.on_unchallenged,
            void=self.on_void,
        )
        if self._chat is None:
            with suppress(Refused):  # an older server has none
                await self._listen()
        self._old = max(map(int, self._chat.rows["chat"]), default=0) if self._chat is not None else 0
        if self._chosen not in self._lobby().choices:
            self._chosen = None
        body = Window(FormattedTextControl(self._text, show_cursor=False, focusable=True), always_hide_cursor=True)
        layout = Layout(HSplit([body, self._line.container]), focused_element=body)
        self._app = Application(layout, key_bindings=self._keys(), full_screen=True, refresh_interval=REDRAW_S)
        self._app.ttimeoutlen = 0.1  # s until Esc is no beginning of another key
        try:
            return await self._app.run_async(pre_run=self._start_tasks, set_exception_handler=False)
        except (EOFError, KeyboardInterrupt):
            return None
        finally:
            self._app = None

    def on_link(self, _: Link) -> None:
        """The connection is lost, or back."""
        self._redraw()

    def on_challenge(self, _: m.Challenged) -> None:
        """Somebody wants to play: that is shown, and worth a sound."""
        self._tell("")
        if self._app is not None:
            self._app.output.bell()

    def on_ended(self, ended: m.Ended) -> None:
        """A match has ended without the user, who is told how."""

        async def tell() -> None:
            with suppress(ClientError):
                match = await self._client.attach(ended.match)
                if sentence := own_end_text(match.view, self._client.me.name):
                    self._tell(sentence)

        if self._app is not None:
            self._app.output.bell()
            self._app.create_background_task(tell())

    def on_seated(self, seated: m.Seated) -> None:
        """Somebody waits at a table of the user: that is worth a sound, too."""
        self._tell(f"{clean(seated.name)} has sat down at your table {clean(seated.table)}: choose the match to play")
        if self._app is not None:
            self._app.output.bell()

    def on_notice(self, notice: m.Notice) -> None:
        """Those who run the server have something to say."""
        self._tell(f"the server says: {notice.text}")
        if self._app is not None:
            self._app.output.bell()

    def on_void(self, match: Match) -> None:
        """A quick match came to nothing, and the user waits on."""
        self._tell(void_while_seeking(match.view, match.seat))

    def on_unchallenged(self, challenged: m.Challenged, why: str) -> None:
        """It is shown no longer, and this is why."""
        self._tell(unchallenged_text(challenged, why))

    # --- what is shown ---

    def _text(self) -> StyleAndTextTuples:
        assert self._app is not None, "it is shown"
        size = self._app.output.get_size()
        text: StyleAndTextTuples = []
        lobby, rows = self._lobby(), size.rows - self._line.asking()
        for line in draw(lobby, size.columns, rows, self._ascii, self._form):
            text += [*line, ("", "\n")]
        return text[:-1]

    def _lobby(self) -> Lobby:
        """What there is now. The first row that comes is chosen; later ones never take its place by themselves."""
        rows, total, client = self._lists.rows, self._lists.total, self._client
        lobby = Lobby(
            you=client.me.name or "",
            server=client.url,
            tables=rows["tables"] | {id_: table for id_, table in self._private.items() if None in table.players},
            matches=rows["matches"] | {id_: table for id_, table in self._private.items() if None not in table.players},
            people=rows["people"],
            seekers=rows.get("seekers", {}),
            now=int(time.time()),
            people_total=total["people"],
            chosen=self._chosen,
            notice=self._notice if client.link.online else " connection lost, trying again",
            page=self._page,
            wanted=self._wanted,
            lines=self._chat.rows["chat"] if self._chat is not None else None,
            old=self._old,
            challenges=[known for known in client.challenges.open.values() if known.by != client.me.name],
            waiting=self._request.pending,
            muted=self._muted,
            moderates=client.me.role != "",
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
        self._notice = f" {notice}" if notice else ""
        self._redraw()

    def _redraw(self) -> None:
        if self._app is not None:
            self._app.invalidate()

    # --- what happens ---

    def _start_tasks(self) -> None:
        assert self._app is not None, "it is shown"
        for lists in filter(None, (self._lists, self._chat)):
            self._app.create_background_task(self._follow(lists))
        self._app.create_background_task(self._poll_private_tables())

    async def _follow(self, lists: Lists) -> None:
        while True:
            try:
                await lists.changed()
            except ClientError as error:
                self._end(error)
                return
            self._redraw()

    async def _poll_private_tables(self) -> None:
        """Private tables of one's own, as long as there are any."""
        while True:
            try:
                mine = await self._client.lobby.tables("mine")
            except ClientError:
                return  # the lists tell of it
            self._private = {id_: table for id_, table in mine.items() if table.private}
            self._redraw()
            if not self._private:
                return
            await asyncio.sleep(PRIVATE_POLL_S)

    async def _listen(self) -> None:
        """Hear what is said in the lobby from now on."""
        self._chat = await self._stack.enter_async_context(self._client.lobby.lists("chat"))

    def _end(self, result: Match | ClientError | None) -> None:
        """Leave the screen, once."""
        if self._app is None or self._app.future is None or self._app.future.done():
            return
        if isinstance(result, ClientError):
            self._app.exit(exception=result)
        else:
            self._chosen = Choice("matches", result.id) if result is not None else None  # once we are back
            self._page, self._wanted = "tables", ""
            self._app.exit(result=result)

    # --- what is typed ---

    def _keys(self) -> KeyBindings:
        bindings = KeyBindings()
        add_common_keys(bindings)
        filling = Condition(lambda: self._form is not None)
        free = ~self._line.asking & ~filling
        self._add_keys_of_form(bindings, filling)
        for key, by in MOVES.items():
            bindings.add(key, filter=free)(self._mover(by))
        pressed: dict[str, Callable[[], None]] = {
            "enter": self._go,
            "tab": self._next_page,
            "c": self._fill_in,
            "p": lambda: self._line.ask("private table and its code, such as ada k3x7", self._join_private),
            "/": lambda: self._line.ask("find", self._find, self._wanted),
            "s": self._say,
            "h": lambda: self._line.ask("whose history (Enter: your own)", self._history, self._lobby().other or ""),
            "m": self._mute,
            "r": self._report,
            "o": self._moderate,
            "a": lambda: self._answer(True),
            "d": lambda: self._answer(False),
            "q": lambda: self._end(None),
        }
        for key, action in pressed.items():
            bindings.add(key, filter=free)(lambda _, action=action: action())
        bindings.add("escape")(lambda _: self._back())
        for key in ("c-c", "c-d"):
            bindings.add(key)(lambda _: self._end(None))
        return bindings

    def _mover(self, by: int) -> Callable[[KeyPressEvent], None]:
        def on_key(_: KeyPressEvent) -> None:
            choices = self._lobby().choices
            self._choose(move(choices, self._chosen, self._place, by), choices)
            self._tell("")

        return on_key

    def _add_keys_of_form(self, bindings: KeyBindings, filling: Condition) -> None:
        steps = {"up": (table_form.move, -1), "down": (table_form.move, 1), "tab": (table_form.move, 1)}
        steps |= {"left": (table_form.turn, -1), "right": (table_form.turn, 1)}

        def change(how: Callable[[TableForm], TableForm]) -> None:
            assert self._form is not None, "it is filled in"
            self._form = how(self._form)
            self._tell("")

        def add(key: str, how: Callable[[TableForm], TableForm]) -> None:
            bindings.add(key, filter=filling)(lambda _: change(how))

        for key, (step, by) in steps.items():
            add(key, partial(step, by=by))
        add("backspace", partial(table_form.typed, text=""))
        bindings.add("enter", filter=filling)(lambda _: self._send_form())

        @bindings.add("<any>", filter=filling)
        def _(event: KeyPressEvent) -> None:
            change(lambda form: table_form.typed(form, event.data) if event.data.isprintable() else form)

    def _fill_in(self) -> None:
        """What shall be played, and against whom: the person who is chosen, if one is."""
        if self._request.pending:
            self._tell(BUSY)
            return
        people = [name for name in self._lobby().best_people if name != self._client.me.name]
        account = self._client.me.rating is not None
        self._form = table_form.new_form(people, LEVELS, account, self._lobby().other or table_form.ANYONE)
        self._tell("")

    def _send_form(self) -> None:
        form = self._form
        assert form is not None, "it is filled in"
        if form.fault:
            self._tell(form.fault)
            return
        wish, self._form, client = form.wish, None, self._client
        if wish.what == "table":
            self._start(lambda: client.create(wish.name, wish.rules, wish.side, private=wish.private))
        elif wish.what == "computer":
            self._start(lambda: play_computer(client, wish.rules, wish.level, wish.side), "looking for a computer")
        else:
            name = wish.name or ""
            self._start(lambda: client.challenges.send(name, wish.rules, wish.side), f"waiting for {name} to answer")

    def _next_page(self) -> None:
        """To the next page."""
        self._page = PAGES[(PAGES.index(self._page) + 1) % len(PAGES)]
        self._wanted, self._chosen = "", None
        self._tell("")

    def _back(self) -> None:
        """One step: from a question, from waiting, from what was looked for."""
        if self._line.asking():
            self._line.stop()
        elif self._form is not None:
            self._form = None
            self._tell("")
        elif self._request.pending:
            self._request.cancel()
        else:
            self._find("")

    def _find(self, wanted: str) -> None:
        self._wanted, self._chosen = wanted, None
        self._tell("")

    def _say(self) -> None:
        async def say(text: str) -> None:
            if text:
                await self._client.lobby.chat(text[: m.TEXT_LENGTH])

        self._line.ask("say to all in the lobby", lambda text: self._start(lambda: say(text)))

    def _history(self, name: str) -> None:
        """Someone's finished matches, on the terminal without the lobby."""

        async def show() -> None:
            async with in_terminal():
                console = new_console(self._ascii)
                console.clear()
                try:
                    await show_history(self._client, console, name or None)
                except Refused as refused:
                    console.print(clean(refused.text))
                with suppress(EOFError, KeyboardInterrupt):
                    await PromptSession[str]().prompt_async("Enter goes back to the lobby> ")

        if self._app is not None:
            self._start(show)

    def _report(self) -> None:
        """Tell the moderators of somebody: the person who is chosen, if one is."""

        async def report(text: str) -> None:
            self._tell(await moderation.report(self._client, text))

        def then(text: str) -> None:
            if text:
                self._start(lambda: self._told_if_bad(report(text)))

        self._line.ask("report whom, and why", then, f"{other} " if (other := self._lobby().other) else "")

    def _moderate(self) -> None:
        """What moderators do; what comes of it is shown without the lobby."""

        async def moderate(text: str) -> None:
            lines = await moderation.moderate(self._client, text)
            if len(lines) == 1:
                self._tell(lines[0])
            else:
                await self._show(lines)

        if self._client.me.role:
            self._line.ask(
                "mod (Enter: what there is)", lambda text: self._start(lambda: self._told_if_bad(moderate(text)))
            )

    async def _told_if_bad(self, doing: Awaitable[None]) -> None:
        try:
            await doing
        except BadCommand as error:
            self._tell(str(error))

    async def _show(self, lines: list[str]) -> None:
        async with in_terminal():
            console = new_console(self._ascii)
            console.clear()
            for line in lines:
                console.print(Text(line))
            with suppress(EOFError, KeyboardInterrupt):
                await PromptSession[str]().prompt_async("Enter goes back to the lobby> ")

    def _mute(self) -> None:
        """Hear nothing more of the person who is chosen, or hear them again."""
        name, on = self._lobby().other, self._lobby().other not in self._muted

        async def mute(name: str) -> None:
            await self._client.lobby.ignore(name, on)
            self._muted ^= {name}
            self._tell(f"you hear {'no more' if on else 'again'} of {name}")

        if name is not None:
            self._start(lambda: mute(name))

    def _join_private(self, text: str) -> None:
        table, _, code = text.partition(" ")
        if table and code:
            self._start(lambda: self._client.join(table, code=code.strip().lower()))
        elif text:
            self._tell("type the table's name, a space, and its code")

    def _answer(self, accept: bool) -> None:
        """Accept or decline the challenge that is shown."""
        answer = self._client.challenges.accept if accept else self._client.challenges.decline
        challenges = self._lobby().challenges
        if challenges:
            self._start(lambda: answer(challenges[0].challenge))

    def _go(self) -> None:
        """What Enter means for the row that is chosen."""
        lobby = self._lobby()
        chosen = lobby.chosen
        if chosen is None or chosen not in lobby.choices:
            self._tell("that one is gone: choose another" if chosen else "there is nothing to join yet")
        elif chosen.what == "people":
            self._challenge(chosen.id)
        elif chosen.what == "seekers":
            self._play(chosen.id, lobby.seekers[chosen.id])
        else:
            table = lobby.table(chosen)
            joins = chosen.what == "tables" and table is not None and not lobby.mine(table)
            self._start(lambda: (self._client.join if joins else self._client.attach)(chosen.id))

    def _play(self, key: str, seeker: m.Seeker) -> None:
        """Play one who waits for a quick match, by seeking the same."""
        options = seek_options(seeker.rules)
        if options is None:
            self._tell(f"{seeker.name} wants what this version cannot ask for")
        else:
            self._start(lambda: self._client.seek(options, seeker=key), f"waiting for {seeker.name}")

    def _challenge(self, name: str) -> None:
        def challenge(text: str) -> None:
            length = text or USUAL_LENGTH
            if not length.isdecimal():
                self._tell("a match has a number of points, such as 3 or 5; 0 is money play")
                return
            self._start(
                lambda: self._client.challenges.send(name, {"length": int(length)}), f"waiting for {name} to answer"
            )

        if name == self._client.me.name:
            self._tell("that is you: choose somebody else")
        elif self._request.pending:
            self._tell(BUSY)
        else:
            self._line.ask(f"points to win against {name} (Enter: {USUAL_LENGTH})", challenge)

    def _start(self, action: Callable[[], Awaitable[Match | None]], meanwhile: str = "") -> None:
        if self._app is not None:
            self._request.start(self._app, action, meanwhile)
