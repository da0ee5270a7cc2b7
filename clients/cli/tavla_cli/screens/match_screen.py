"""A match on the screen: what happens is told, what is typed is done, until the match is over or the user goes."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from tavla_client import Client, ClientError, Link, Match, PlayStopped, Refused
from tavla_protocol import messages as m
from tavla_protocol.view import View

from tavla_cli.input.parsing import BadCommand, Command, parse
from tavla_cli.input.terminal import Terminal, open_terminal
from tavla_cli.screens.command_runner import Action, CommandRunner
from tavla_cli.screens.commentary import Commentary
from tavla_cli.settings import SettingsFile
from tavla_cli.text import story, words
from tavla_cli.text.absence import leaving_text
from tavla_cli.text.people import unchallenged_text
from tavla_cli.text.prompts import after_question, question

VERDICT_S = 2.0  # to be told before the user is asked for another match
SLOW_S = 3.0  # without an answer, on a connection that lives: its store is away, and what was asked is under way
ANSWERS = {"y": True, "ye": True, "yes": True, "n": False, "no": False}
TAKEN_BACK = ("undo", "u")


class Question(NamedTuple):
    """Question to the user before something is final. if_not: what a no leads to."""

    text: str
    action: Action
    if_not: Callable[[], None] | None


class MatchScreen:
    """A match for one user, at a terminal.

    resume: the command that comes back to this match, told when the user goes. join: the other player's, told while
    a seat is free.
    """

    def __init__(self, client: Client, match: Match, ascii_only: bool, resume: str, join: str) -> None:
        self.match = match
        self.terminal: Terminal = open_terminal(
            ascii_only, self._prompt, self._words, self._wants_enter, ticking=match.view.clock is not None
        )
        self._client, self._resume = client, resume
        self._commentary = Commentary(match, self.terminal, join)
        self._say = self._commentary.say
        self._settings = SettingsFile(kept=self.terminal.interactive)
        self._commands = CommandRunner(client, match, self.terminal, self._say, self._ask, self._settings, self._claims)
        self._fault_told = False  # of the dice
        self._judging: asyncio.Task[None] | None = None
        self._told: View | None = None  # as far as the user has seen: a question never comes before what led to it
        self._drawn: object = None  # what of the board the user sees
        self._confirm: Question | None = None
        self._forced: asyncio.Task[None] | None = None
        self._wants_another = asyncio.Event()
        match.lingers = self.terminal.interactive  # people talk when it is over, and may play another one

    async def run(self) -> Match | None:
        """Play or watch. Returns: the match that follows, if there is one.

        Raises: ClientError, when the match cannot be followed any longer.
        """
        tasks = [asyncio.create_task(part) for part in (self._watch(), self._read(), self._another())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (*tasks, *filter(None, [self._forced, self._judging])):
                task.cancel()
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
            before, self._told = self._told, change.view
            if before is None:
                self._commentary.introduce(change.view)
            else:
                self._commentary.tell(change, before)
            if change.seq == self.match.seq and _seen(change.view) != self._drawn and change.view.game:
                self._drawn = _seen(change.view)
                self._commands.show_board()
            self._see_to_turns(before, change.view)
            self._tell_fault()
            is_news = before is None or before.phase != "over"
            if change.view.phase == "over" and is_news and not await self._tell_end():
                return None
            if self.match.next is not None:
                return await self._client.attach(self.match.next, code=change.view.code)
            self.terminal.refresh()
        return await asyncio.Future()  # it was over before we came: only what is typed matters

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

    def _tell_fault(self) -> None:
        """Whatever is wrong is told at once, and nothing is sent any more: the match may be given up."""
        if self.match.dice.fault and not self._fault_told:
            self._fault_told = True
            self._say(f"WARNING: {words.clean(self.match.dice.fault)}", "bold red")
            if self.match.seat is not None and not self._over:
                self._say(
                    f"nothing is sent any more: type go on to play on all the same, save {self.match.id}.json to keep"
                    " what the server says, or quit",
                    "bold red",
                )

    async def _tell_end(self) -> bool:
        """Tell how the match ended. Returns whether the user stays, to talk and perhaps for another one."""
        self._confirm = None
        self._say(story.result(self.match.view, self.match.seat), "bold")
        self._judging = asyncio.create_task(self._tell_verdict())
        await asyncio.wait([self._judging], timeout=VERDICT_S if self.terminal.interactive else None)
        return self.match.view.outcome is not None and self.terminal.interactive

    async def _tell_verdict(self) -> None:
        verdict = await self.match.verdict()
        style = "green" if verdict.sound else "bold red" if verdict.is_fault else "yellow"
        self._say(words.clean(verdict.text), style)
        self.terminal.refresh()

    async def _another(self) -> Match:
        """Another match with the same opponent, as soon as both want it."""
        while True:
            await self._wants_another.wait()
            try:
                return await self._client.challenges.rematch(self.match.id)
            except Refused as refused:
                self._wants_another.clear()
                self._say(words.clean(refused.text))
                self.terminal.refresh()

    def on_challenge(self, challenged: m.Challenged, accept: str) -> None:
        """Tell of a challenge. accept: the command that accepts it."""
        self._commentary.tell_challenge(challenged, accept)
        self.terminal.refresh()

    def on_unchallenged(self, challenged: m.Challenged, why: str) -> None:
        """Tell what has become of a challenge."""
        self._say(unchallenged_text(challenged, why))
        self.terminal.refresh()

    def on_seated(self, seated: m.Seated, resume: str) -> None:
        """Somebody has sat down at a table of the user, perhaps another one. resume: the command that goes there."""
        if self._settings.now.bell:
            self.terminal.bell()
        if seated.match != self.match.id:
            self._say(f"{words.clean(seated.name)} has sat down at your table {words.clean(seated.table)}:", "bold")
            self._commentary.say_command(resume)
        self.terminal.refresh()

    def on_notice(self, notice: m.Notice) -> None:
        """Those who run the server have something to say."""
        self.terminal.bell()
        self._say(f"the server says: {words.clean(notice.text)}", "bold")
        self.terminal.refresh()

    def on_void(self, match: Match) -> None:
        """A match that was sought meanwhile came to nothing."""
        self._say(story.void_while_seeking(match.view, match.seat), "bold")
        self.terminal.refresh()

    def on_link(self, link: Link) -> None:
        """Tell that the connection is lost, or back."""
        self._commentary.tell_link(link)
        self.terminal.refresh()

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
        if self._confirm is not None:
            await self._confirmed(line)
            return True
        if line.lower() in ANSWERS:
            if self._over:
                return await self._answer(ANSWERS[line.lower()])
            self._say(f"that is no answer now: {self._prompt()}")
            return True
        try:
            if not line:
                return await self._enter()
            typed = parse(line)
            if typed == Command("quit"):
                return False
            await self._told_if_slow(self._commands.run(typed))
        except BadCommand as error:
            self._say(str(error), "red")
        except Refused as refused:
            self._say(words.clean(refused.text), "red")
        except PlayStopped as stopped:
            self._say(words.clean(str(stopped)), "bold red")
        return True

    async def _enter(self) -> bool:
        if self._over:
            return self.match.seat is not None
        if self._wants_enter():
            await self._told_if_slow(self.match.ready())
        return True

    async def _told_if_slow(self, asked: Awaitable[None]) -> None:
        """Wait for the server's answer, and tell the user if that takes long."""
        slow = asyncio.get_running_loop().call_later(SLOW_S, self._tell_slow)
        try:
            await asked
        finally:
            slow.cancel()

    def _tell_slow(self) -> None:
        if self._commentary.link.online:
            self._say("no answer yet: the server cannot store it now, and does so as soon as it can")
            self.terminal.refresh()

    async def _answer(self, another: bool) -> bool:
        """Take the user's answer to another match. False to go."""
        if another and self.match.seat is not None:
            self._wants_another.set()
            return True
        for challenged in list(self._client.challenges.open.values()):
            if (
                challenged.rematch == self.match.id
                and challenged.by != self._client.me.name
                and self._client.link.online
            ):
                with suppress(ClientError):  # it may be over by now
                    await self._client.challenges.decline(challenged.challenge)
        return another

    def _ask(self, question: str, action: Action, if_not: Callable[[], None] | None) -> None:
        self._confirm = Question(question, action, if_not)

    async def _confirmed(self, answer: str) -> None:
        assert self._confirm is not None, "asked before"
        asked, typed = self._confirm, answer.lower()
        if typed not in (*ANSWERS, *TAKEN_BACK):
            self._say("answer yes or no")
            return
        self._confirm = None
        if not ANSWERS.get(typed, False):
            self._say("then not")
            if asked.if_not is not None:
                asked.if_not()
            return
        try:
            await self._told_if_slow(asked.action())
        except (Refused, PlayStopped) as refused:
            self._say(words.clean(str(refused)), "red")

    # --- what is shown ---

    def _prompt(self) -> str:
        view, you = self._told, self.match.seat
        if view is None:
            return ""
        if self._confirm is not None:
            return f"{self._confirm.text} yes or no"
        if not self._commentary.link.online:
            return "no connection"
        if you is not None and self.match.is_stopped and view.phase != "over":
            return "play has stopped: go on, or quit"
        if view.phase == "over" and view.outcome is None:
            return ""  # a table that was closed: nobody stays
        if view.phase == "over":
            return after_question(view, you, self._wants_another.is_set())
        away = you is not None and view.players[1 - you] is not None and not self.match.online[1 - you]
        return question(view, you, away, self._commentary.claim_s) + self._time(view)

    def _time(self, view: View) -> str:
        """The time that runs, as the end of the prompt."""
        for seat in view.to_act:
            left = self.match.time_left(seat)
            if left is not None and view.phase != "ready":
                return f" [{words.time_text(left.free, left.reserve)}]"
        return ""

    def _words(self) -> Sequence[str]:
        if self._confirm is not None:
            return ("yes", "no", "undo") if self._confirm.if_not else ("yes", "no")
        answers = ("yes", "no") if self._over and self.match.seat is not None else ()
        return [*answers, *self._commands.possible(), *m.PHRASES]

    def _claims(self) -> bool:
        """True if the user may claim the match: it waits for one who has been away for too long."""
        view, you = self.match.view, self.match.seat
        return you is not None and 1 - you in view.to_act and self._commentary.claim_s == 0

    def _wants_enter(self) -> bool:
        if self._over:
            return self.match.seat is None
        return not self.match.is_stopped and self.match.view.phase == "ready" and self.match.to_act


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
