"""Commands of a match: an action is sent to the server, a list or the board is shown."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from msgspec.structs import replace
from rich.table import Table
from rich.text import Text
from tavla_client import Client, Match
from tavla_engine.errors import IllegalAction
from tavla_engine.plays import resolve_play
from tavla_engine.position import Move
from tavla_protocol.view import View

from tavla_cli.input import match_commands, moderation
from tavla_cli.input.parsing import BadCommand, Command, Play
from tavla_cli.input.terminal import Terminal
from tavla_cli.screens import match_record
from tavla_cli.screens.board import draw
from tavla_cli.screens.grids import pairs
from tavla_cli.screens.hints import hints
from tavla_cli.screens.match_talk import MatchTalk
from tavla_cli.settings import SettingsFile
from tavla_cli.text import phrases
from tavla_cli.text.cube import may_beaver
from tavla_cli.text.people import watchers_text
from tavla_cli.text.rules import forfeit_price
from tavla_cli.text.settings import setting_lines

Action = Callable[[], Awaitable[None]]
Ask = Callable[[str, Action, Callable[[], None] | None], None]


class CommandRunner:
    """A runner of the commands of one user in one match.

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
        self._talk = MatchTalk(client, match, say)
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
        if isinstance(typed, Play):
            self._check_seat()
            await self._play(typed.moves)
            return
        name, argument = typed
        if self._match.view.phase == "cube":
            name = _FIBS_CUBE.get(name, name)
        match name:
            case "board":
                self.show_board()
            case "help":
                self._terminal.show(*self._help(argument))
            case "id":
                for line in match_record.ids(self._match):
                    self._terminal.show(Text(line, no_wrap=True, overflow="ignore"))  # to be copied in one piece
            case "save":
                self._say(await match_record.save(self._client, self._match, argument))
            case "oldmoves":
                for sentence in await match_record.old_moves(self._client, self._match):
                    self._say(sentence)
            case "hint":
                self._terminal.show(*await hints(self._match))
            case "say":
                await self._talk.say(argument)
            case "tell":
                await self._talk.tell(argument)
            case "mute" | "unmute":
                await self._talk.mute(argument, name == "mute")
            case "who":
                await self._show_who()
            case "report":
                self._say(await moderation.report(self._client, argument, self._match.id))
            case "mod":
                for line in await moderation.moderate(self._client, argument, self._match.id):
                    self._terminal.show(Text(line))
            case "set":
                await self._set(*argument.split())
            case "go":
                self._go_on()
            case "here":
                await self._come_here()
            case "undo":
                text = "there is nothing to take back: set confirm on, and each play is shown before it is final"
                raise BadCommand(text)
            case _:
                self._check_seat()
                await self._act(name, argument)

    async def _act(self, name: str, argument: str) -> None:
        """A player's action, asked about first where a slip would be dear."""
        match, view = self._match, self._match.view
        if name == "resign":
            kind = int(argument)
            kinds = match_commands.resignable(view, match.seat)
            if view.phase in ("roll", "cube", "move") and kind > len(kinds):
                raise BadCommand(
                    f"here you may resign {' or '.join(phrases.KINDS[one + 1] for one in range(len(kinds)))}"
                )
            self._ask(f"offer to lose this game as {phrases.KINDS[kind]}?", lambda: match.resign(kind), None)
        elif name == "forfeit":
            self._ask(f"{forfeit_price(view)}: really forfeit?", match.forfeit, None)
        elif name == "auto":
            await self._auto(*argument.split())
        elif name == "beaver" and match.to_act and not may_beaver(view):
            raise BadCommand("the cube cannot be turned once more here: take or drop")
        elif name in _CUBE and self._settings.now.ask and name in self.possible():
            self._ask(_CUBE[name](view), lambda: _ACTIONS[name](match), None)
        else:
            await _ACTIONS[name](match)

    async def _play(self, moves: tuple[Move, ...]) -> None:
        """Play, or show where that leads and ask first. What is no play the server refuses, and says why."""
        match = self._match
        after = view_after_play(match.view, moves) if self._settings.now.confirm and match.to_act else None
        if after is None:
            await match.move(moves)
        else:
            self.show_board(after)
            self._ask("is this your play?", lambda: match.move(moves), self.show_board)

    # --- what is no action ---

    def _help(self, word: str) -> list[Table]:
        """Lines for one command, or for all that are possible now: in few words where a window has no room for them."""
        view, seat = self._match.view, self._match.seat
        whole = pairs(match_commands.help_lines(view, seat, [word] if word else self.possible()))
        if word or self._terminal.fits(whole):
            return [whole]
        return [pairs(match_commands.short_help(view, seat, self.possible()))]

    def _go_on(self) -> None:
        if not self._match.is_stopped:
            raise BadCommand("nothing has stopped this match")
        self._match.go_on()
        self._say("you play on: the verdict at the end says again what was wrong")

    async def _set(self, name: str = "", on: str = "") -> None:
        if name == "forced" and self._match.seat is not None and self._match.view.game:
            await self._auto("play", on)
        elif name:
            try:
                self._settings.switch(name, on == "on")
            except OSError as error:
                self._say(f"for this time only: {error.filename} cannot be written")
        self._terminal.show(pairs(setting_lines(self._settings.now)))

    async def _show_who(self) -> None:
        self._terminal.show(pairs(await self._talk.people()))
        if self._match.watchers.count:
            self._say(watchers_text(self._match.watchers))

    async def _come_here(self) -> None:
        """Take the seat back from another window of the same player."""
        if not self._match.was_replaced:
            raise BadCommand("you play in this window" if self._match.seat is not None else "you only watch this match")
        await self._client.attach(self._match.id, plays=self._match.wants_plays, code=self._match.view.code)

    async def _auto(self, what: str, on: str) -> None:
        if what == "roll":
            await self._match.auto("roll", on == "on")
            text = "the server rolls for you in this game" if on == "on" else "you are asked about the cube again"
        else:
            await self._match.auto("play", on == "on")
            with suppress(OSError):
                self._settings.switch("forced", on == "on")
            text = "the server plays your forced turns" if on == "on" else "you play forced turns yourself"
        self._say(text)

    def _check_seat(self) -> None:
        if self._match.seat is None:
            if self._match.was_replaced:
                raise BadCommand("you play in another window: type here to play in this one")
            raise BadCommand("you only watch: type help for what you can do")


_FIBS_CUBE = {"accept": "take", "refuse": "drop"}  # as FIBS calls the answers to a double
_CUBE: dict[str, Callable[[View], str]] = {  # what is asked, where a slip of one letter would be dear
    "double": lambda view: f"double to {2 * view.cube}?",
    "take": lambda view: f"take the cube at {2 * view.cube}?",
    "drop": lambda view: f"drop, and lose {phrases.plural(view.cube, 'point')}?",
    "beaver": lambda view: f"beaver to {4 * view.cube}?",
}
_WORDS = ("roll", "double", "take", "drop", "beaver", "accept", "refuse", "ready", "leave", "claim", "abort", "cancel")
_ACTIONS: dict[str, Callable[[Match], Awaitable[None]]] = {word: getattr(Match, word) for word in _WORDS}


def view_after_play(view: View, moves: Sequence[Move]) -> View | None:
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
