"""A bot at work: matches are found and played, several at once, and those of an earlier run are taken up again."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import NamedTuple

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_client import hooks
from tavla_client.bot import Bot, Invitation, Result
from tavla_client.client import Client
from tavla_client.connection import log
from tavla_client.errors import ClientError, Refused
from tavla_client.match import Match
from tavla_client.pilot import Pilot

RETRY_S = 0.25  # on average, after a table that was taken in the meantime, or a limit that was reached
POLL_S = 1.0  # how often an available bot looks for someone who wants to play a program

Rules = dict[str, bool | int | str]
Found = tuple[Bot, Match]
Finder = Callable[[Client, Callable[[], Bot]], Awaitable[Found]]
_PASSING = (ErrorCode.TOO_MANY, ErrorCode.TABLE_FULL, ErrorCode.NO_SUCH_MATCH, ErrorCode.NAME_TAKEN)


class Summary(NamedTuple):
    """What a run came to. failed: matches that could be followed no longer, with the reason."""

    results: list[Result]
    failed: dict[str, str]

    @property
    def won(self) -> int:
        """Matches won."""
        return sum(result.won is True for result in self.results)


class Runner:
    """Plays `matches` matches, or without end; at most `max_concurrent` at a time, each with a bot of its own.

    new_bot: makes a bot, usually its class. find: how the next match comes about, such as `at_table`.
    """

    def __init__(
        self,
        client: Client,
        new_bot: Callable[[], Bot],
        find: Finder,
        matches: int | None = None,
        max_concurrent: int = 1,
        on_result: Callable[[Result], None] = lambda _: None,
    ) -> None:
        self.client, self.new_bot, self.find = client, new_bot, find
        self.summary = Summary([], {})
        self._left, self._places = matches, max_concurrent
        self._on_result = on_result
        self._running: set[asyncio.Task[None]] = set()

    async def run(self) -> Summary:
        """Play. Raises: ClientError, when the server does not know us any more or refuses what we look for."""
        try:
            for id_ in self.client.matches:
                match = await self._resumed(id_)
                if match is not None:
                    self._start(self.new_bot(), match)
            while self._left is None or self._left > 0:
                while len(self._running) >= self._places:
                    await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
                self._start(*await self._found())
            await asyncio.gather(*self._running)
        finally:
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)
        return self.summary

    def _start(self, bot: Bot, match: Match) -> None:
        if self._left is not None:
            self._left -= 1
        task = asyncio.create_task(self._play(bot, match), name=f"bot in match {match.id}")
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _resumed(self, id_: str) -> Match | None:
        """A match of an earlier run; None for a table at which nobody has sat down: it was for that run."""
        try:
            match = await self.client.attach(id_)
            if match.view.phase != "open":
                return match
            await match.cancel()
        except Refused as refused:
            log.warning("match %s of an earlier run: %s", id_, refused.text)
        return None

    async def _found(self) -> Found:
        while True:
            try:
                return await self.find(self.client, self.new_bot)
            except Refused as refused:
                if refused.code not in _PASSING:
                    raise
                log.info("%s; looking again", refused.text)
            await asyncio.sleep(RETRY_S * random.uniform(0.5, 1.5))

    async def _play(self, bot: Bot, match: Match) -> None:
        try:
            result = await Pilot(bot, match).play()
        except ClientError as error:
            self.summary.failed[match.id] = str(error)
        else:
            self.summary.results.append(result)
            self._on_result(result)


# --- ways to find a match --------------------------------------------------------------------------------------------


def at_table(name: str, rules: Rules) -> Finder:
    """Sit down at a table of this name; if there is none, open it and wait."""

    async def find(client: Client, new_bot: Callable[[], Bot]) -> Found:
        try:
            match = await client.join(name)
        except Refused as refused:
            if refused.code != ErrorCode.NO_SUCH_MATCH:
                raise
            match = await client.create(name, rules)
        if match.view.phase == "over":  # the last one, of which we are told once more
            raise Refused(ErrorCode.TABLE_FULL, f"table {name} is not free again yet")
        return new_bot(), await _begun(match)

    return find


def in_pool(rules: Rules) -> Finder:
    """Quick match."""

    async def find(client: Client, new_bot: Callable[[], Bot]) -> Found:
        return new_bot(), await client.seek(rules)

    return find


def available() -> Finder:
    """Sit down with those who have opened a table against the computer, if the bot accepts."""
    declined: set[str] = set()

    async def find(client: Client, new_bot: Callable[[], Bot]) -> Found:
        while True:
            for id_, table in (await client.tables()).items():
                if table.opponent != "computer" or id_ in declined:
                    continue
                bot = new_bot()
                if await hooks.call(bot, "accept_challenge", _invitation(table)):
                    with suppress(Refused):  # someone else was faster
                        return bot, await client.join(id_)
                else:
                    declined.add(id_)
            await asyncio.sleep(POLL_S)

    return find


def _invitation(table: m.Table) -> Invitation:
    seat = 0 if table.players[0] is not None else 1
    return Invitation(table.players[seat] or "", table.kinds[seat] or "guest", table.ratings[seat], table.rules)


async def _begun(match: Match) -> Match:
    """The match, once someone has sat down on the other seat."""
    async for change in match.changes(newest=True):
        if change.view.phase != "open":
            return match
    raise Refused(ErrorCode.NO_SUCH_MATCH, "the table was closed before a match began")
