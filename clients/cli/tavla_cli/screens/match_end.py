"""The end of a match at the terminal: its result, the verdict on its dice, and another match."""

import asyncio
from contextlib import suppress

from tavla_client import Client, ClientError, Match, Refused

from tavla_cli.input.terminal import Terminal
from tavla_cli.screens.commentary import Commentary
from tavla_cli.text import story
from tavla_cli.text.cleaning import clean

VERDICT_S = 2.0  # to be told before the user is asked for another match


class MatchEnd:
    """Tells the end of a match, and leads to another one with the same opponent."""

    def __init__(self, client: Client, match: Match, terminal: Terminal, commentary: Commentary, asks: bool) -> None:
        """asks: for another match."""
        self._client, self._match, self._terminal, self._commentary = client, match, terminal, commentary
        self.asks = asks
        self._oddities = 0  # of which the user was told
        self._judging: asyncio.Task[None] | None = None
        self._wants_another = asyncio.Event()

    @property
    def wants_another(self) -> bool:
        """True if the user waits for another match."""
        return self._wants_another.is_set()

    async def tell(self) -> bool:
        """Tell how the match ended. Returns whether the user stays, to talk and perhaps for another one."""
        self._commentary.say(story.result(self._match.view, self._match.seat), "bold")
        if self._match.doubt:
            self._commentary.say(clean(self._match.doubt))
        self.tell_oddities()
        self._judging = asyncio.create_task(self._tell_verdict())
        await asyncio.wait([self._judging], timeout=VERDICT_S if self._terminal.interactive else None)
        return self.asks and self._match.view.outcome is not None and self._terminal.interactive

    def tell_oddities(self) -> None:
        """Tell what the server did that may have an honest cause, once."""
        news, self._oddities = self._match.oddities[self._oddities :], len(self._match.oddities)
        for oddity in news:
            self._commentary.say(clean(oddity), "bold red")

    def stop(self) -> None:
        """Wait for the verdict no longer."""
        if self._judging is not None:
            self._judging.cancel()

    async def another(self) -> Match:
        """Another match with the same opponent, as soon as both want it."""
        while True:
            await self._wants_another.wait()
            try:
                return await self._client.challenges.rematch(self._match.id)
            except Refused as refused:
                self._wants_another.clear()
                self._commentary.say(clean(refused.text))
                self._terminal.refresh()

    async def answer(self, another: bool) -> bool:
        """Take the user's answer to another match. False to go."""
        if another and self._match.seat is not None:
            self._wants_another.set()
            return True
        for challenged in list(self._client.challenges.open.values()):
            if (
                challenged.rematch == self._match.id
                and challenged.by != self._client.me.name
                and self._client.link.online
            ):
                with suppress(ClientError):  # it may be over by now
                    await self._client.challenges.decline(challenged.challenge)
        return another

    async def _tell_verdict(self) -> None:
        verdict = await self._match.verdict()
        self.tell_oddities()
        style = "green" if verdict.sound else "bold red" if verdict.is_fault else "yellow"
        self._commentary.say(clean(verdict.text), style)
        self._terminal.refresh()
