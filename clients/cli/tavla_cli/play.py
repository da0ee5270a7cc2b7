"""A match on the screen: what happens is told, what is typed is done, until the match is over or the user goes."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from rich.columns import Columns
from rich.table import Table
from rich.text import Text
from tavla_client import Change, Link, Match, Refused
from tavla_engine.notation import format_play
from tavla_engine.position import Position
from tavla_protocol import messages as m
from tavla_protocol.view import View

from tavla_cli import commands, words
from tavla_cli.board import draw
from tavla_cli.commands import BadCommand, Command, Play
from tavla_cli.dicecheck import DiceCheck
from tavla_cli.terminal import Terminal, open_terminal

HINTS_SHOWN = 40  # a double has hundreds of plays
STILL_TRYING = 4  # attempts after which a lost connection is spoken of once more


class Game:
    """One match for one user, at a terminal.

    resume: the command that comes back to this match, told when the user goes. join: the other player's, told while
    a seat is free.
    """

    def __init__(self, match: Match, ascii_only: bool, resume: str, join: str) -> None:
        self.match = match
        self.side = match.seat or 0
        self.terminal: Terminal = open_terminal(
            ascii_only, self._prompt, self._words, self._wants_enter, ticking=match.view.clock is not None
        )
        self._resume, self._join = resume, join
        self._watched = 0  # by how many, as far as the user was told
        self._away: set[int] = set()  # seats whose absence the user was told of
        self._link = Link(online=True)
        self._attempts = 0
        self._confirm: tuple[str, Callable[[], Awaitable[None]]] | None = None
        self._dice = DiceCheck()
        self._answered = asyncio.Event()
        self.wants_rematch = False

    async def run(self) -> None:
        """Play or watch. Raises: ClientError, when the match cannot be followed any longer."""
        watching = asyncio.create_task(self._watch())
        reading = asyncio.create_task(self._read())
        try:
            await asyncio.wait((watching, reading), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (reading, watching):
                task.cancel()
            results = await asyncio.gather(reading, watching, return_exceptions=True)
            if self.match.view.phase != "over":
                self._say_goodbye()
            await self.terminal.drain()
        for result in results:
            if isinstance(result, Exception):
                raise result

    # --- what happens ---

    async def _watch(self) -> None:
        """Tell every change, draw the newest board."""
        before: View | None = None
        drawn: bytes | None = None
        async for change in self.match.changes():
            self._dice.see(change.view)
            self._tell(change, before)
            before = change.view
            if change.seq == self.match.seq and change.view.points != drawn and change.view.game:
                drawn = change.view.points
                self._show_board()
            self.terminal.refresh()
        if self.match.view.phase == "over":
            self._say(words.result(self.match.view, self.match.seat), "bold")
            self._say(self._dice.verdict(self.match.id, self.match.view))
            await self._ask_for_rematch()

    async def _ask_for_rematch(self) -> None:
        """Another match? Only who plays at a terminal is asked."""
        if self.match.seat is None or self.match.view.outcome is None or not self.terminal.interactive:
            return

        async def want() -> None:
            self.wants_rematch = True

        self._answered.clear()
        self._ask("another match?", want)
        self.terminal.refresh()
        await self._answered.wait()

    def on_challenge(self, challenged: m.Challenged, accept: str) -> None:
        """Tell of a challenge. accept: the command that accepts it."""
        self._say(words.challenge_text(challenged), "bold")
        if challenged.rematch != self.match.id:
            self._say_command(accept)
        self.terminal.refresh()

    def _tell(self, change: Change, before: View | None) -> None:
        match change.what:
            case "snapshot" if before is None:
                self._introduce(change.view)
            case "snapshot" if change.view != before:
                self._say_all(words.last_turns(change.view, self.match.seat))
            case "update" if before is not None:
                self._say_all(words.story(before, change.view, self.match.seat))
                if change.view.phase == "ready" and change.view.score != before.score:
                    self._say(f"score: {words.score(change.view)}")
            case "presence":
                self._tell_presence(change)
            case "said" if change.said is not None:
                self._say(words.said_text(change.said), "dim")
            case "watchers":
                self._tell_watchers()
            case "replaced":
                self._say("you play this match in another window now: this one watches", "bold")

    def _introduce(self, view: View) -> None:
        """What the match is, to someone who has just come."""
        if view.phase == "open":
            self._say(f"table {words.clean(view.name)} is open: {words.rules_text(view.rules)}")
            self._say("the other player types:")
            self._say_command(self._join)
            return
        you = self.match.seat
        players = [words.name(view, seat) for seat in (0, 1)]
        if you is None:
            self._say(f"watching {players[0]} (white) against {players[1]} (black): {words.rules_text(view.rules)}")
        else:
            colour = ("white", "black")[you]
            self._say(f"you play {colour} against {players[1 - you]}: {words.rules_text(view.rules)}")
        if any(view.series):
            self._say(f"matches before this one: {view.series[0]}-{view.series[1]}")
        if view.game and not view.last:
            self._say(words.started(view, you))
        self._say_all(words.last_turns(view, you))

    def _tell_presence(self, change: Change) -> None:
        away = {seat for seat in (0, 1) if not change.online[seat] and change.view.players[seat] is not None}
        for seat in sorted(away ^ self._away - {self.match.seat}):
            text = words.away_text(change.view, self.match.claim_after) if seat in away else "is back"
            self._say(f"{words.name(change.view, seat)} {text}", "dim")
        self._away = away

    def _tell_watchers(self) -> None:
        """Who watches, when their number has changed; one who watches alone knows."""
        watchers = self.match.watchers
        if watchers.count != self._watched and (self.match.seat is not None or watchers.count > 1):
            self._say(words.watchers_text(watchers), "dim")
        self._watched = watchers.count

    def on_link(self, link: Link) -> None:
        """Tell that the connection is lost, or back."""
        was, self._link = self._link, link
        self._attempts = 0 if link.online else self._attempts + 1
        if link.online and not was.online:
            self._say("back", "dim")
        elif self._attempts == 1:
            self._say(f"connection lost, trying again in {link.retry_s:.1f} s{self._dots}", "dim")
        elif self._attempts == STILL_TRYING:
            self._say(f"{words.clean(link.reason)}; trying on{self._dots}", "dim")
        self.terminal.refresh()

    def _say_goodbye(self) -> None:
        if self.match.seat is not None:
            self._say("the match stays as it is; to come back:")
            self._say_command(self._resume)

    # --- what is typed ---

    async def _read(self) -> None:
        while True:
            line = await self.terminal.read()
            if line is None:
                if self.match.seat is None and not self.terminal.interactive:
                    await asyncio.Event().wait()  # a watcher whose input is empty watches to the end
                return
            over = self.match.view.phase == "over" and self._confirm is None
            if over or not await self._obey(line.strip()):
                return
            self.terminal.refresh()

    async def _obey(self, line: str) -> bool:
        """Do what was typed; False to go."""
        if self._confirm is not None:
            await self._confirmed(line)
            return True
        try:
            if not line:
                await self._enter()
                return True
            typed = commands.parse(line)
            if typed == Command("quit"):
                return False
            await self._do(typed)
        except BadCommand as error:
            self._say(str(error), "red")
        except Refused as refused:
            self._say(words.clean(refused.text), "red")
        return True

    async def _enter(self) -> None:
        if self._wants_enter():
            await self.match.ready()

    async def _do(self, typed: Command | Play) -> None:
        view, match = self.match.view, self.match
        if isinstance(typed, Play):
            self._check_seat()
            await match.move(typed.moves)
            return
        name, argument = typed
        if name == "board":
            self._show_board()
        elif name == "help":
            self._show_help()
        elif name == "hint":
            self._show_hints()
        elif name == "resign":
            value = int(argument)
            self._ask(f"offer to lose this game as {words.KINDS[value]}?", lambda: match.resign(value))
        elif name == "forfeit":
            self._ask(f"{words.forfeit_price(view)}: really forfeit?", match.forfeit)
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
        match = self.match
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
            await self.match.auto("roll", on == "on")
            text = "the server rolls for you in this game" if on == "on" else "you are asked about the cube again"
        else:
            await self.match.auto("play", on == "on")
            text = "the server plays your forced turns" if on == "on" else "you play forced turns yourself"
        self._say(text)

    async def _talk(self, text: str) -> None:
        phrase: m.Phrase | None = next((known for known in m.PHRASES if known == text.lower()), None)
        if len(text) > m.TEXT_LENGTH:
            raise BadCommand(f"this has {len(text)} characters: {m.TEXT_LENGTH} can be said at once")
        await self.match.say("" if phrase else text, phrase=phrase)

    async def _mute(self, whom: str, on: bool) -> None:
        if whom.lower() == "watchers":
            await self.match.hush(on)
        else:
            await self.match.ignore(whom, on)
        self._say(f"you hear {'no more' if on else 'again'} of {words.clean(whom)}")

    def _check_seat(self) -> None:
        if self.match.seat is None:
            raise BadCommand("you only watch: type help for what you can do")

    def _ask(self, question: str, action: Callable[[], Awaitable[None]]) -> None:
        self._check_seat()
        self._confirm = (f"{question} yes or no", action)

    async def _confirmed(self, answer: str) -> None:
        assert self._confirm is not None, "asked before"
        (_, action), self._confirm = self._confirm, None
        self._answered.set()
        if not answer or not "yes".startswith(answer.lower()):
            self._say("then not")
            return
        try:
            await action()
        except Refused as refused:
            self._say(words.clean(refused.text), "red")

    # --- what is shown ---

    def _prompt(self) -> str:
        view, you = self.match.view, self.match.seat
        if self._confirm is not None:
            return self._confirm[0]
        if view.phase == "over":
            return ""
        if not self._link.online:
            return "no connection"
        away = you is not None and view.players[1 - you] is not None and not self.match.online[1 - you]
        return words.question(view, you, away) + self._time()

    def _time(self) -> str:
        """The time that runs, as the end of the prompt."""
        for seat in self.match.view.to_act:
            left = self.match.time_left(seat)
            if left is not None and self.match.view.phase != "ready":
                return f" [{words.time_text(left.free, left.reserve)}]"
        return ""

    def _words(self) -> Sequence[str]:
        return ("yes", "no") if self._confirm else [*commands.possible(self.match.view, self.match.seat), *m.PHRASES]

    def _wants_enter(self) -> bool:
        return self.match.view.phase == "ready" and self.match.to_act

    def _show_board(self) -> None:
        self.terminal.show(draw(self.match.view, self.side, self.terminal.look, self.match.seat, self.match.online))

    def _show_help(self) -> None:
        table = Table.grid(padding=(0, 2))
        for usage, text in commands.help_lines(self.match.view, self.match.seat):
            table.add_row(Text(usage, "bold"), Text(text))
        self.terminal.show(table)

    def _show_hints(self) -> None:
        view, seat = self.match.view, self.match.seat
        if not view.rules.get("hints"):
            raise BadCommand("this match is played without hints")
        if seat is None or view.phase != "move" or view.turn != seat:
            raise BadCommand("hints come with your dice: it is not your turn to play")
        board = Position(view.row(seat), view.row(1 - seat))
        plays = [format_play(board, play) for play in sorted(self.match.plays, reverse=True)]
        if not plays:
            raise BadCommand("the server has sent no plays for this turn")
        self._say(f"{words.plural(len(plays), 'legal play')}:")
        self.terminal.show(Columns([Text(play) for play in plays[:HINTS_SHOWN]], padding=(0, 3)))
        if len(plays) > HINTS_SHOWN:
            self._say(f"and {len(plays) - HINTS_SHOWN} more")

    def _say(self, sentence: str, style: str = "") -> None:
        if sentence:
            self.terminal.show(Text(sentence, style))

    def _say_command(self, command: str) -> None:
        self.terminal.show(Text(f"  {command}", "bold", no_wrap=True, overflow="ignore"))  # to be copied in one piece

    def _say_all(self, sentences: Iterable[str]) -> None:
        for sentence in sentences:
            self._say(sentence)

    @property
    def _dots(self) -> str:
        return "..." if self.terminal.look.ascii else "…"
