"""A match on the screen: what happens is told, what is typed is done, until the match is over or the user goes."""

import asyncio
from contextlib import suppress

from tavla_client import Client, ClientError, Match, PlayStopped, Refused
from tavla_protocol.view import View

from tavla_cli.input.parsing import BadCommand, Command, parse
from tavla_cli.input.terminal import Terminal, open_terminal
from tavla_cli.screens.command_runner import CommandRunner
from tavla_cli.screens.commentary import Commentary
from tavla_cli.screens.match_end import MatchEnd
from tavla_cli.screens.match_notices import MatchNotices
from tavla_cli.screens.match_prompt import MatchPrompt
from tavla_cli.screens.opening_roll import OpeningRoll
from tavla_cli.screens.pending_question import ANSWERS, PendingQuestion
from tavla_cli.settings import SettingsFile
from tavla_cli.text.absence import leaving_text
from tavla_cli.text.cleaning import clean
from tavla_cli.text.story import rolled_for_first

SEED_PATIENCE_S = 20.0  # of the 30 that a server gives

SEED_ELSEWHERE = (
    "the seed is on the device that you started from: open it, or the match will be void and counted for you"
)


class MatchScreen:
    """The screen of a match for one user, at a terminal.

    resume: the command that comes back to this match, told when the user goes. join: the other player's, told while
    a seat is free. another: the user is asked for another match at the end.
    """

    def __init__(
        self, client: Client, match: Match, ascii_only: bool, resume: str, join: str, another: bool = True
    ) -> None:
        self.match = match
        self.terminal: Terminal = open_terminal(
            ascii_only,
            lambda: self._prompt.text(),
            lambda: self._prompt.words(),
            lambda: self._prompt.wants_enter(),
            ticking=match.view.clock is not None,
        )
        self._client, self._resume = client, resume
        self._commentary = Commentary(match, self.terminal, join)
        self._say = self._commentary.say
        self._settings = SettingsFile(kept=self.terminal.interactive)
        self.notices = MatchNotices(match, self.terminal, self._commentary, self._settings)
        self._question = PendingQuestion(self._commentary)
        self._commands = CommandRunner(
            client, match, self.terminal, self._say, self._question.ask, self._settings, self._commentary.may_claim
        )
        self._end = MatchEnd(client, match, self.terminal, self._commentary, another)
        self._opening = OpeningRoll(match, self.terminal, self._settings)
        self._prompt = MatchPrompt(match, self._commentary, self._commands, self._question, self._opening, self._end)
        self._fault_told = False  # of the dice
        self._drawn: object = None  # what of the board the user sees
        self.terminal.on_resize(self._draw_anew)
        self._forced: asyncio.Task[None] | None = None
        match.lingers = self.terminal.interactive  # people talk when it is over, and may play another one

    async def run(self) -> Match | None:
        """Play or watch. Returns: the match that follows, if there is one.

        Raises: ClientError, when the match cannot be followed any longer.
        """
        tasks = [asyncio.create_task(part) for part in (self._watch(), self._read(), self._end.another())]
        seed = asyncio.create_task(self._tell_missing_seed())
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (*tasks, *filter(None, [self._forced, seed])):
                task.cancel()
            self._end.stop()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            if not self._over and self.match.seat is not None:
                self._tell_leaving()
            await self.terminal.drain()
        for result in results:
            if isinstance(result, Exception):
                raise result
        return next((result for result in results if isinstance(result, Match)), None)

    def _tell_leaving(self) -> None:
        """Tell the consequence of leaving, and how to come back."""
        view, you = self.match.view, self.match.seat
        assert you is not None, "a player leaves"
        self._say(leaving_text(view, you, self.match.absence[you]))
        if view.phase != "open":
            self._commentary.say_command(self._resume)

    @property
    def _over(self) -> bool:
        return self.match.view.phase == "over"

    # --- what happens ---

    async def _watch(self) -> Match | None:
        """Tell every change, draw the newest board. Returns: the match that is to be watched next, if there is one."""
        async for change in self.match.changes():
            before = self._prompt.told
            if await self._opening.ask(change, before) and self.match.seat is not None:
                self._say(rolled_for_first(change.view, self.match.seat))
            self._prompt.told = change.view
            if before is None:
                if self.match.loss:
                    self._say(clean(self.match.loss), "bold red")
                self._commentary.introduce(change.view)
            else:
                self._commentary.tell(change, before)
            if change.seq == self.match.seq and _seen(change.view) != self._drawn and change.view.game:
                self._drawn = _seen(change.view)
                self._commands.show_board()
            if change.view.phase != "over":  # else behind the result
                self._end.tell_oddities()
            self._see_to_turns(before, change.view)
            self._tell_fault()
            is_news = before is None or before.phase != "over"
            if change.view.phase == "over" and is_news:
                self._question.drop()
                if not await self._end.tell():
                    return None
            if self.match.next is not None:
                return await self._client.attach(self.match.next, code=self.match.code_of_next)
            self.terminal.refresh()
        return await asyncio.Future()  # it was over before we came: only what is typed matters

    def _draw_anew(self) -> None:
        if self._drawn is not None:
            self._commands.show_board()

    def _see_to_turns(self, before: View | None, view: View) -> None:
        """Ring for one's turn, and leave forced ones to the server, as the user wants it."""
        seat = self.match.seat
        if seat is None or not view.game:
            return
        if self._settings.now.bell and is_news_for(seat, before, view):
            self.terminal.bell()
        if self._forced is None:
            self._forced = asyncio.create_task(self._leave_forced_turns())

    async def _leave_forced_turns(self) -> None:
        """Leave them to the server. Once: who switches that off in a match is not asked again."""
        seat, view = self.match.seat, self.match.view
        if self._settings.now.forced and seat is not None and not view.auto_play[seat]:
            with suppress(ClientError):
                await self.match.auto("play", on=True)

    async def _tell_missing_seed(self) -> None:
        """Tell a player whose seed is not here, when the device that holds it has had time to show it."""
        with suppress(ClientError):
            while not self.match.view.game and not self.match.seed_is_elsewhere:
                if await self.match.next_change() is None:
                    return
            await asyncio.sleep(SEED_PATIENCE_S)
            if self.match.seed_is_elsewhere:
                self._say(SEED_ELSEWHERE, "bold")

    def _tell_fault(self) -> None:
        """Tell whatever is wrong at once, and nothing is sent any more: the match may be given up."""
        if self.match.dice.fault and not self._fault_told:
            self._fault_told = True
            self._say(f"WARNING: {clean(self.match.dice.fault)}", "bold red")
            if self.match.seat is not None and not self._over:
                for sentence in (
                    "the server may cheat, be broken or of another version, or have been restored",
                    f"nothing is sent any more: type go on to play on all the same, save {self.match.id}.json to keep"
                    " what the server says, or quit",
                ):
                    self._say(sentence, "bold red")

    # --- what is typed ---

    async def _read(self) -> None:
        while True:
            line = await self.terminal.read()
            if line is None:
                if self.match.seat is None and not self.terminal.interactive:
                    await asyncio.Event().wait()  # a watcher whose input is empty watches to the end
                return
            if not await self._run_line(line.strip()):
                return
            self.terminal.refresh()

    async def _run_line(self, line: str) -> bool:
        """Do what was typed; False to go."""
        if self._opening.waits:
            self._opening.roll()
            if not line:
                return True
        if self._question.pending:
            await self._question.answer(line)
            return True
        if line.lower() in ANSWERS:
            if self._over:
                return await self._end.answer(ANSWERS[line.lower()])
            self._say(f"that is no answer now: {self._prompt.text()}")
            return True
        try:
            if not line:
                return await self._enter()
            typed = parse(line)
            if typed == Command("quit"):
                return False
            asked = self._commands.run(typed)  # of the server, but for what this machine computes
            await (asked if typed == Command("hint") else self._commentary.told_if_slow(asked))
        except BadCommand as error:
            self._say(str(error), "red")
        except Refused as refused:
            self._say(clean(refused.text), "red")
        except PlayStopped as stopped:
            self._say(clean(str(stopped)), "bold red")
        return True

    async def _enter(self) -> bool:
        if self._over:
            return self.match.seat is not None
        if self._prompt.wants_enter():
            await self._commentary.told_if_slow(self.match.ready())
        return True


def _seen(view: View) -> object:
    """Parts of a view that the board shows: a change of them is worth drawing."""
    return view.points, view.dice, view.cube, view.owner, view.offer


def is_news_for(seat: int, before: View | None, view: View) -> bool:
    """True if a match waits for someone who need not know it yet: the opponent has played or doubled."""
    if seat not in view.to_act or view.phase == "ready":
        return False
    if before is None or seat not in before.to_act:
        return True
    return view.last != before.last and any(turn[0] != seat for turn in view.last)
