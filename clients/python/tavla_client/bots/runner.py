"""A bot at work: matches are found and played, several at once, and those of an earlier run are taken up again."""

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_client.bots.bot import Bot, Result, check_hooks
from tavla_client.bots.failures import Failures
from tavla_client.bots.finders import Finder, Found, decline
from tavla_client.bots.pace import Pace
from tavla_client.bots.pilot import Pilot
from tavla_client.client import Client
from tavla_client.connection import log
from tavla_client.errors import ClientError, Refused
from tavla_client.match import Match

RETRY_S = 0.25  # on average, after a table that was taken in the meantime
_PASSING = (
    ErrorCode.TOO_MANY,
    ErrorCode.TABLE_FULL,
    ErrorCode.NO_SUCH_MATCH,
    ErrorCode.NAME_TAKEN,
    ErrorCode.UNREVEALED,
)


class Summary(NamedTuple):
    """The summary of a run. failed: matches that could be followed no longer, with the reason. failures: of hooks."""

    results: list[Result]
    failed: dict[str, str]
    failures: Failures

    @property
    def wins(self) -> int:
        """Matches won."""
        return sum(result.won is True for result in self.results)


class Runner:
    """A runner plays `matches` matches, or without end; at most `max_concurrent` at a time, each with a bot of its own.

    new_bot: the bot's class. find: how the next match comes about, such as `at_table`. pace: see `Pilot`.
    wake: set when a player challenges us, or a match has ended. receives: all challenges are looked at by `find`; else
    rematches alone, and others are declined.
    """

    KEPT = 200  # matches at most, with those whose opponents have gone: a server allows a program 256
    POLL_S = 5.0  # between two looks at whose opponents have gone; and so long they may take to come

    def __init__(
        self,
        client: Client,
        new_bot: type[Bot],
        find: Finder,
        matches: int | None = None,
        max_concurrent: int = 1,
        on_result: Callable[[Result], None] = lambda _: None,
        pace: Pace | None = None,
    ) -> None:
        check_hooks(new_bot)
        self.client, self.new_bot, self.find = client, new_bot, find
        self.summary = Summary([], {}, Failures())
        self.failures = self.summary.failures
        self.wake = asyncio.Event()
        self.receives = False
        self._left, self._places = matches, max_concurrent
        self._on_result, self._pace = on_result, pace
        self._running: dict[asyncio.Task[None], tuple[Match, float]] = {}  # and since when
        self._declining: set[asyncio.Task[None]] = set()

    @property
    def free(self) -> int:
        """Number of further matches that there is room for. A match whose opponent has left takes up none."""
        new = asyncio.get_running_loop().time() - self.POLL_S
        busy = sum(
            match.view.phase != "over" and (match.online[1 - (match.seat or 0)] or since > new)
            for match, since in self._running.values()
        )
        return max(0, min(self._places - busy, self._places if self._left is None else self._left))

    def welcomes(self, challenged: m.Challenged) -> bool:
        """True if there is room for a player who challenges us, or will be when the match before has ended."""
        ends = any(match.id == challenged.rematch for match, _ in self._running.values()) and self._left != 0
        return bool(challenged.rematch or self.receives) and (ends or self.free > 0)

    async def run(self) -> Summary:
        """Play. Raises: ClientError, when the server does not know us any more or refuses what we look for."""
        self.client.callbacks = replace(self.client.callbacks, challenge=self._on_challenge, void=_log_void)
        try:
            for id_ in self.client.me.matches:
                match = await self._resumed(id_)
                if match is not None:
                    self._start(self.new_bot(), match)
            while self._left is None or self._left > 0:
                while not self.free:
                    await asyncio.wait(self._running, timeout=self.POLL_S, return_when=asyncio.FIRST_COMPLETED)
                await self._give_up_one()
                try:
                    self._start(*await self._found())
                except Refused as refused:
                    if refused.code != ErrorCode.TOURNAMENT_OVER:
                        raise
                    break  # and that was all that we came for
                self._decline_unwelcome()  # challenges that came while this one took the last place
            await asyncio.gather(*self._running)
        finally:
            tasks = [*self._running, *self._declining]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return self.summary

    def _start(self, bot: Bot, match: Match) -> None:
        if self._left is not None:
            self._left -= 1
        log.info("match %s against %s", match.id, match.view.players[1 - (match.seat or 0)])
        task = asyncio.create_task(self._play(bot, match), name=f"bot in match {match.id}")
        self._running[task] = match, asyncio.get_running_loop().time()
        task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        del self._running[task]
        self.wake.set()

    async def _resumed(self, id_: str) -> Match | None:
        """A match of an earlier run; None for what is over, and for a table that was for that run alone."""
        try:
            match = await self.client.attach(id_)
            if match.view.phase not in ("open", "over"):
                return match
            if match.view.phase == "open":
                await match.cancel()
        except Refused as refused:
            log.warning("match %s of an earlier run: %s", id_, refused.text)
        return None

    async def _give_up_one(self) -> None:
        """Lose the match that was left first, when there are too many whose opponents have gone."""
        gone = [match for match, _ in self._running.values() if not match.online[1 - (match.seat or 0)]]
        if len(self._running) >= self.KEPT and gone:
            with suppress(Refused):
                await gone[0].forfeit()

    async def _found(self) -> Found:
        while True:
            try:
                return await self.find(self)
            except Refused as refused:
                if refused.code not in _PASSING:
                    raise
                log.info("%s; looking again", refused.text)
                wait_s = refused.retry_after or RETRY_S * random.uniform(0.5, 1.5)
            await asyncio.sleep(wait_s)

    def _on_challenge(self, _: m.Challenged) -> None:
        self.wake.set()
        self._decline_unwelcome()

    def _decline_unwelcome(self) -> None:
        """Decline each challenge that there is no room for, so that no player waits in vain."""
        for id_, challenged in list(self.client.challenges.open.items()):
            if challenged.to == self.client.me.name and not self.welcomes(challenged):
                del self.client.challenges.open[id_]
                task = asyncio.create_task(decline(self.client, id_))
                self._declining.add(task)
                task.add_done_callback(self._declining.discard)

    async def _play(self, bot: Bot, match: Match) -> None:
        try:
            result = await self._result(bot, match)
        except ClientError as error:
            self.summary.failed[match.id] = str(error)
        else:
            self.summary.results.append(result)
            self._on_result(result)

    async def _result(self, bot: Bot, match: Match) -> Result:
        try:
            return await Pilot(bot, match, self.failures, self._pace).play()
        except Refused as refused:
            if refused.code != ErrorCode.NO_SUCH_MATCH:
                raise
        return await Pilot(bot, await self.client.attach(match.id), self.failures, self._pace).play()  # if it is back


def _log_void(match: Match) -> None:
    log.warning("match %s is void for want of a seed. %s", match.id, match.doubt)
