"""The commands of the lobby, one a key: to join, challenge, talk, look up, mute, report and moderate."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from prompt_toolkit import PromptSession
from prompt_toolkit.application import in_terminal
from rich.console import Console
from rich.text import Text
from tavla_client import Client, Refused
from tavla_protocol import messages as m

from tavla_cli.input import moderation
from tavla_cli.input.ask_line import AskLine
from tavla_cli.input.terminal import new_console
from tavla_cli.screens.history_screen import show_history
from tavla_cli.screens.lobby_feed import LobbyFeed
from tavla_cli.screens.lobby_state import Lobby
from tavla_cli.screens.pending_request import BUSY, PendingRequest
from tavla_cli.text.cleaning import clean
from tavla_cli.text.rules import USUAL_LENGTH
from tavla_cli.text.seeking import seek_options


class LobbyCommands:
    """Commands for the lobby as the user sees it: each asks for what it needs at the foot of the screen.

    tell: shows a notice. ascii_only: for what is shown in place of the lobby.
    """

    def __init__(
        self,
        client: Client,
        feed: LobbyFeed,
        line: AskLine,
        request: PendingRequest,
        tell: Callable[[str], None],
        ascii_only: bool,
    ) -> None:
        self._client, self._feed, self._line, self._request = client, feed, line, request
        self._tell, self._ascii = tell, ascii_only

    def go(self, lobby: Lobby) -> None:
        """Join, watch or challenge: what Enter means for the chosen row."""
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
            self._request.start(lambda: (self._client.join if joins else self._client.attach)(chosen.id))

    def join_private(self, _: Lobby) -> None:
        """Join a private table by its name and code."""

        def join(text: str) -> None:
            table, _, code = text.strip().rpartition(" ")
            if table:
                self._request.start(lambda: self._client.join(table, code=code.lower()))
            elif text:
                self._tell("type the table's name, a space, and its code")

        self._line.ask("private table and its code, such as ada k3x7", join)

    def answer(self, lobby: Lobby, accept: bool) -> None:
        """Accept or decline the challenge that is shown."""
        answer = self._client.challenges.accept if accept else self._client.challenges.decline
        if lobby.challenges:
            self._request.start(lambda: answer(lobby.challenges[0].challenge))

    def say(self, _: Lobby) -> None:
        """Say something to all in the lobby."""

        async def say(text: str) -> None:
            if text:
                await self._client.lobby.chat(text[: m.TEXT_LENGTH])

        self._line.ask("say to all in the lobby", lambda text: self._request.start(lambda: say(text)))

    def history(self, lobby: Lobby) -> None:
        """Show a player's finished matches, on the terminal without the lobby."""

        async def show(name: str) -> None:
            async with self._console() as console:
                try:
                    await show_history(self._client, console, name or None)
                except Refused as refused:
                    console.print(clean(refused.text))

        self._line.ask(
            "whose history (Enter: your own)", lambda name: self._request.start(lambda: show(name)), lobby.other or ""
        )

    def mute(self, lobby: Lobby) -> None:
        """Hear nothing more of the person who is chosen, or hear them again."""
        name, on = lobby.other, lobby.other not in lobby.muted

        async def mute(name: str) -> None:
            await self._feed.mute(name, on)
            self._tell(f"you hear {'no more' if on else 'again'} of {name}")

        if name is not None:
            self._request.start(lambda: mute(name))

    def report(self, lobby: Lobby) -> None:
        """Report a player to the moderators: the person who is chosen, if one is."""

        async def report(text: str) -> None:
            self._tell(await moderation.report(self._client, text))

        def then(text: str) -> None:
            if text:
                self._request.start(lambda: report(text))

        self._line.ask("report whom, and why", then, f"{lobby.other} " if lobby.other else "")

    def moderate(self, _: Lobby) -> None:
        """Carry out a moderator's command; what comes of it is shown without the lobby."""

        async def moderate(text: str) -> None:
            lines = await moderation.moderate(self._client, text)
            if len(lines) == 1:
                self._tell(lines[0])
                return
            async with self._console() as console:
                for line in lines:
                    console.print(Text(line))

        if self._client.me.role:
            self._line.ask("mod (Enter: what there is)", lambda text: self._request.start(lambda: moderate(text)))

    def _play(self, key: str, seeker: m.Seeker) -> None:
        """Play one who waits for a quick match, by seeking the same."""
        options = seek_options(seeker.rules)
        if options is None:
            self._tell(f"{seeker.name} wants what this version cannot ask for")
        else:
            self._request.start(lambda: self._client.seek(options, seeker=key), f"waiting for {seeker.name}")

    def _challenge(self, name: str) -> None:
        def challenge(text: str) -> None:
            length = text or str(USUAL_LENGTH)
            if not length.isdecimal():
                self._tell("a match has a number of points, such as 3 or 5; 0 is money play")
                return
            self._request.start(
                lambda: self._client.challenges.send(name, {"length": int(length)}), f"waiting for {name} to answer"
            )

        if name == self._client.me.name:
            self._tell("that is you: choose somebody else")
        elif self._request.pending:
            self._tell(BUSY)
        else:
            self._line.ask(f"points to win against {name} (Enter: {USUAL_LENGTH})", challenge)

    @asynccontextmanager
    async def _console(self) -> AsyncIterator[Console]:
        """A console in place of the lobby, until the user presses Enter."""
        async with in_terminal():
            console = new_console(self._ascii)
            console.clear()
            yield console
            with suppress(EOFError, KeyboardInterrupt):
                await PromptSession[str]().prompt_async("Enter goes back to the lobby> ")
