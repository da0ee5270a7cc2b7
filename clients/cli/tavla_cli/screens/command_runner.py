"""Commands of a match: an action is sent to the server, a list or the board is shown."""

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace
from rich.table import Table
from rich.text import Text
from tavla_client import Client, Match, match_of
from tavla_engine.errors import BadText, IllegalAction
from tavla_engine.plays import resolve_play
from tavla_engine.position import Move
from tavla_protocol import messages as m
from tavla_protocol.view import View

from tavla_cli.input import match_commands, moderation
from tavla_cli.input.parsing import BadCommand, Command, Play
from tavla_cli.input.terminal import Terminal
from tavla_cli.records.files import BadFile, check_sound, write
from tavla_cli.records.ids import id_lines
from tavla_cli.records.record import of_server
from tavla_cli.records.steps import steps
from tavla_cli.screens.board import draw
from tavla_cli.screens.hints import hints
from tavla_cli.settings import SettingsFile
from tavla_cli.text import words
from tavla_cli.text.cube import may_beaver
from tavla_cli.text.people import person_text, watchers_text
from tavla_cli.text.rules import forfeit_price
from tavla_cli.text.settings import setting_lines

Action = Callable[[], Awaitable[None]]
Ask = Callable[[str, Action, Callable[[], None] | None], None]


class CommandRunner:
    """Runs the commands of one user in one match.

    say: shows a sentence. ask: asks whether an action shall really be done, and does something if not. claims: whether
    the match may be claimed now.
    """

    def __init__(
        self,
        client: Client,
        match: Match,
        terminal: Terminal,
        say: Callable[[str], None],
        ask: Ask,
        settings: SettingsFile,
        claims: Callable[[], bool],
    ) -> None:
        self._claims = claims
        self._client, self._match, self._terminal, self._say, self._ask = client, match, terminal, say, ask
        self._settings = settings
        self._side = match.seat or 0  # from which the board is seen

    def show_board(self, view: View | None = None) -> None:
        """The board as it is now, or as it would be."""
        match, terminal = self._match, self._terminal
        terminal.show(draw(view or match.view, self._side, terminal.look, match.seat, match.online, terminal.columns))

    def possible(self) -> list[str]:
        """The commands that can be used now."""
        match = self._match
        return match_commands.possible(
            match.view,
            match.seat,
            self._claims(),
            elsewhere=match.was_replaced,
            moderates=self._client.me.role != "",
            stopped=match.is_stopped,
        )

    async def run(self, typed: Command | Play) -> None:
        """Do what was typed. Raises: BadCommand, Refused."""
        match = self._match
        if isinstance(typed, Play):
            self._check_seat()
            await self._play(typed.moves)
            return
        name, argument = typed
        if match.view.phase == "cube":
            name = _FIBS_CUBE.get(name, name)
        if name == "board":
            self.show_board()
        elif name == "help":
            self._show_help()
        elif name == "id":
            self._show_ids()
        elif name == "save":
            await self._save(argument or f"{_file_name(match.id)}.mat")
        elif name == "go":
            self._go_on()
        elif name == "hint":
            self._terminal.show(*await hints(match))
        elif name == "resign":
            self._check_seat()
            value = int(argument)
            self._ask(f"offer to lose this game as {words.KINDS[value]}?", lambda: match.resign(value), None)
        elif name == "forfeit":
            self._check_seat()
            self._ask(f"{forfeit_price(match.view)}: really forfeit?", match.forfeit, None)
        elif name == "auto":
            await self._auto(*argument.split())
        elif name == "say":
            await self._talk(argument)
        elif name in ("mute", "unmute"):
            await self._mute(argument, name == "mute")
        elif name == "report":
            self._say(await moderation.report(self._client, argument, match.id))
        elif name == "mod":
            for line in await moderation.moderate(self._client, argument, match.id):
                self._terminal.show(Text(line))
        elif name == "tell":
            await self._tell(*argument.split(maxsplit=1))
        elif name == "set":
            await self._set(*argument.split())
        elif name == "undo":
            raise BadCommand("there is nothing to take back: set confirm on, and each play is shown before it is final")
        elif name == "oldmoves":
            await self._show_old_moves()
        elif name == "who":
            await self._show_who()
        elif name == "here":
            await self._come_here()
        elif name == "beaver" and match.to_act and not may_beaver(match.view):
            raise BadCommand("the cube cannot be turned once more here: take or drop")
        elif name in _CUBE and self._settings.now.ask and match.to_act:
            self._ask(_CUBE[name](match.view), self._actions()[name], None)
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
            "abort": match.abort,
        }

    async def _play(self, moves: tuple[Move, ...]) -> None:
        """Play, or show where that leads and ask first. What is no play the server refuses, and says why."""
        match = self._match
        after = played(match.view, moves) if self._settings.now.confirm and match.to_act else None
        if after is None:
            await match.move(moves)
        else:
            self.show_board(after)
            self._ask("is this your play?", lambda: match.move(moves), self._take_back)

    def _go_on(self) -> None:
        if not self._match.is_stopped:
            raise BadCommand("nothing has stopped this match")
        self._match.go_on()
        self._say("you play on: the verdict at the end says again what was wrong")

    def _take_back(self) -> None:
        self.show_board()

    async def _set(self, name: str = "", on: str = "") -> None:
        if name == "forced" and self._match.seat is not None and self._match.view.game:
            await self._auto("play", on)
        elif name:
            try:
                self._settings.switch(name, on == "on")
            except OSError as error:
                self._say(f"for this time only: {error.filename} cannot be written")
        self._show_grid(setting_lines(self._settings.now))

    async def _tell(self, whom: str, text: str = "") -> None:
        """Say something to one's opponent, or to all who watch: nobody else is here to be told."""
        self._check_name()
        view, seat = self._match.view, self._match.seat
        if not text:
            raise BadCommand(f"tell {words.clean(whom)} what? type a sentence behind the name")
        opponent = None if seat is None else view.players[1 - seat]
        if whom.lower() == "watchers":
            await self._match.say(text, to="watchers")
        elif opponent is not None and whom.lower() == opponent.lower():
            await self._talk(text)
        else:
            raise BadCommand(
                f"{words.clean(whom)} does not play against you: in tavla lobby all who are there can be told"
            )

    async def _show_old_moves(self) -> None:
        told = await self._client.archive.record(self._match.id, code=self._match.view.code)
        try:
            record = of_server(told)
            check_sound(record)
            found = [step for step in steps(record) if step.match.game == self._match.view.game]
        except (BadFile, BadText) as error:
            raise BadCommand(str(error)) from None
        if not found:
            raise BadCommand("no game has begun yet")
        for step in found:
            for sentence in step.said:
                self._say(sentence)

    async def _show_who(self) -> None:
        people = await self._client.lobby.people()
        lines = [
            (name, person_text(person)) for name, person in sorted(people.items(), key=lambda item: item[0].lower())
        ]
        self._show_grid([(words.clean(name), text) for name, text in lines])
        if self._match.watchers.count:
            self._say(watchers_text(self._match.watchers))

    async def _come_here(self) -> None:
        """Take the seat back from another window of the same player."""
        if not self._match.was_replaced:
            raise BadCommand("you play in this window" if self._match.seat is not None else "you only watch this match")
        await self._client.attach(self._match.id, plays=self._match.wants_plays, code=self._match.view.code)
        self._say(
            "you play in this window again",
        )

    async def _auto(self, what: str, on: str) -> None:
        self._check_seat()
        if what == "roll":
            await self._match.auto("roll", on == "on")
            text = "the server rolls for you in this game" if on == "on" else "you are asked about the cube again"
        else:
            await self._match.auto("play", on == "on")
            with suppress(OSError):
                self._settings.switch("forced", on == "on")
            text = "the server plays your forced turns" if on == "on" else "you play forced turns yourself"
        self._say(text)

    async def _talk(self, text: str) -> None:
        self._check_name()
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
        try:
            match = match_of(self._match.view)
        except ValueError as error:
            raise BadCommand(f"the position cannot be told: {words.clean(str(error))}") from None
        for line in id_lines(match):
            self._terminal.show(Text(line, no_wrap=True, overflow="ignore"))  # to be copied in one piece

    async def _save(self, file: str) -> None:
        """Save the match so far, from the server."""
        told = await self._client.archive.record(self._match.id, code=self._match.view.code)
        try:
            write(of_server(told), Path(file))
        except (BadFile, BadText) as error:
            raise BadCommand(str(error)) from None
        self._say(f"saved as {words.clean(file)}")

    def _check_name(self) -> None:
        """Refuse watchers without a name: they cannot talk."""
        if not self._client.me.name:
            raise BadCommand("you watch without a name: to say something, watch with --as NAME")

    def _check_seat(self) -> None:
        if self._match.seat is None:
            if self._match.was_replaced:
                raise BadCommand("you play in another window: type here to play in this one")
            raise BadCommand("you only watch: type help for what you can do")

    def _show_help(self) -> None:
        self._show_grid(match_commands.help_lines(self._match.view, self._match.seat, self.possible()))

    def _show_grid(self, lines: Iterable[tuple[str, str]]) -> None:
        table = Table.grid(padding=(0, 2))
        for first, text in lines:
            table.add_row(Text(first, "bold"), Text(text))
        self._terminal.show(table)


_FIBS_CUBE = {"accept": "take", "refuse": "drop"}  # as FIBS calls the answers to a double
_CUBE: dict[str, Callable[[View], str]] = {  # what is asked, where a slip of one letter would be dear
    "double": lambda view: f"double to {2 * view.cube}?",
    "take": lambda view: f"take the cube at {2 * view.cube}?",
    "drop": lambda view: f"drop, and lose {words.plural(view.cube, 'point')}?",
    "beaver": lambda view: f"beaver to {4 * view.cube}?",
}


def _file_name(match: str) -> str:
    """A match's id as a file's name in this folder, whatever a server calls it."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", match)


def played(view: View, moves: Sequence[Move]) -> View | None:
    """The view after a play of the seat on roll; None if it is not legal."""
    seat = view.turn
    if view.phase != "move" or len(view.dice) != 2:
        return None
    board, dice = (view.row(seat), view.row(1 - seat)), (view.dice[0], view.dice[1])
    try:
        _, (mine, theirs) = resolve_play(board, dice, moves, bool(view.rules.get("hit_and_run", True)))
    except IllegalAction:
        return None
    rows = (mine, theirs) if seat == 0 else (theirs, mine)
    return replace(view, points=bytes(rows[0]) + bytes(rows[1]), dice=())
