"""What each command of a match does: an action is sent to the server, a list or the board is shown."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from rich.table import Table
from rich.text import Text
from tavla_client import Client, Match
from tavla_engine.errors import BadText
from tavla_protocol import messages as m

from tavla_cli.input import match_commands
from tavla_cli.input.parsing import BadCommand, Command, Play
from tavla_cli.input.terminal import Terminal
from tavla_cli.records.files import BadFile, write
from tavla_cli.records.ids import id_lines, match_of
from tavla_cli.records.record import of_server
from tavla_cli.screens.board import draw
from tavla_cli.screens.hints import hints
from tavla_cli.text import words
from tavla_cli.text.rules import forfeit_price

Action = Callable[[], Awaitable[None]]


class CommandRunner:
    """Runs the commands of one user in one match.

    say: shows a sentence. ask: asks whether an action shall really be done.
    """

    def __init__(
        self,
        client: Client,
        match: Match,
        terminal: Terminal,
        say: Callable[[str], None],
        ask: Callable[[str, Action], None],
    ) -> None:
        self._client, self._match, self._terminal, self._say, self._ask = client, match, terminal, say, ask
        self._side = match.seat or 0  # from which the board is seen

    def show_board(self) -> None:
        """The board as it is now."""
        match, terminal = self._match, self._terminal
        terminal.show(draw(match.view, self._side, terminal.look, match.seat, match.online, terminal.columns))

    async def run(self, typed: Command | Play) -> None:
        """Do what was typed. Raises: BadCommand, Refused."""
        match = self._match
        if isinstance(typed, Play):
            self._check_seat()
            await match.move(typed.moves)
            return
        name, argument = typed
        if name == "board":
            self.show_board()
        elif name == "help":
            self._show_help()
        elif name == "id":
            self._show_ids()
        elif name == "save":
            await self._save(argument or f"{match.id}.mat")
        elif name == "hint":
            self._terminal.show(*await hints(match))
        elif name == "resign":
            self._check_seat()
            value = int(argument)
            self._ask(f"offer to lose this game as {words.KINDS[value]}?", lambda: match.resign(value))
        elif name == "forfeit":
            self._check_seat()
            self._ask(f"{forfeit_price(match.view)}: really forfeit?", match.forfeit)
        elif name == "auto":
            await self._auto(*argument.split())
        elif name == "say":
            await self._talk(argument)
        elif name in ("mute", "unmute"):
            await self._mute(argument, name == "mute")
        elif name == "cancel":
            self._check_seat()
            await match.cancel()
        else:
            self._check_seat()
            await self._actions()[name]()

    def _actions(self) -> dict[str, Callable[[], Awaitable[None]]]:
        match = self._match
        return {
            "roll": match.roll,
            "double": match.double,
            "take": match.take,
            "drop": match.drop,
            "beaver": match.beaver,
            "accept": match.accept,
            "refuse": match.refuse,
            "ready": match.ready,
            "leave": match.leave,
            "claim": match.claim,
        }

    async def _auto(self, what: str, on: str) -> None:
        self._check_seat()
        if what == "roll":
            await self._match.auto("roll", on == "on")
            text = "the server rolls for you in this game" if on == "on" else "you are asked about the cube again"
        else:
            await self._match.auto("play", on == "on")
            text = "the server plays your forced turns" if on == "on" else "you play forced turns yourself"
        self._say(text)

    async def _talk(self, text: str) -> None:
        phrase: m.Phrase | None = next((known for known in m.PHRASES if known == text.lower()), None)
        if len(text) > m.TEXT_LENGTH:
            raise BadCommand(f"this has {len(text)} characters: {m.TEXT_LENGTH} can be said at once")
        await self._match.say("" if phrase else text, phrase=phrase)

    async def _mute(self, whom: str, on: bool) -> None:
        if whom.lower() == "watchers":
            await self._match.hush(on)
        else:
            await self._match.ignore(whom, on)
        self._say(f"you hear {'no more' if on else 'again'} of {words.clean(whom)}")

    def _show_ids(self) -> None:
        if not self._match.view.game:
            raise BadCommand("no game has begun yet")
        for line in id_lines(match_of(self._match.view)):
            self._terminal.show(Text(line, no_wrap=True, overflow="ignore"))  # to be copied in one piece

    async def _save(self, file: str) -> None:
        """What has happened so far, from the server."""
        told = await self._client.record(self._match.id, code=self._match.view.code)
        try:
            write(of_server(told), Path(file))
        except (BadFile, BadText) as error:
            raise BadCommand(str(error)) from None
        self._say(f"saved as {words.clean(file)}")

    def _check_seat(self) -> None:
        if self._match.seat is None:
            raise BadCommand("you only watch: type help for what you can do")

    def _show_help(self) -> None:
        table = Table.grid(padding=(0, 2))
        for usage, text in match_commands.help_lines(self._match.view, self._match.seat):
            table.add_row(Text(usage, "bold"), Text(text))
        self._terminal.show(table)
