"""A client that comes back by any node, whatever happens, and writes down all that it sent, was answered and saw."""

import asyncio
import contextlib
import itertools
import random
import time
from collections import Counter
from typing import Any

from tavla_client.connection import CLOSE_TIMEOUT_S, PING_INTERVAL_S, retry_delay
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_protocol.view import checksum

from tests.faults.history import Answered, History, Saw, Sent
from tests.support.patience import PATIENCE_S
from tests.support.players.plain import LOST, Received, unique
from tests.support.players.returning import Returning
from tests.support.players.turns import choose, waits_for

AUTO_SHARE = 0.1  # of turns before which the player changes a setting: that is not bound to the turn


class Gone(Exception):
    """The store has lost a whole match."""


class Witness(Returning):
    """A player or a watcher. urls: of all nodes. think_s: up to so long before each action.

    refusals: how often each code came, `unavailable` excepted. accepted_s: when an action was accepted last.
    here: there is a connection, by which all matches are followed.
    """

    ping_s = PING_INTERVAL_S  # as the library: a connection that died silently is noticed after twice as long
    open_s, close_s = 2.0, CLOSE_TIMEOUT_S  # a frozen node accepts connections, and says nothing

    def __init__(self, urls: list[str], rng: random.Random, think_s: float) -> None:
        super().__init__(rng.choice(urls))
        self.label = unique("w")
        self.refusals: Counter[str] = Counter()
        self.accepted_s = 0.0
        self.here = False
        self._urls, self._rng, self._think_s = urls, rng, think_s
        self._histories: dict[str, History] = {}
        self._accepted = asyncio.Event()

    def testify(self, history: History) -> None:
        """From now on write down what happens in this match."""
        self._histories = {history.match: history}

    async def accepted_after(self, since_s: float, returns: int = 0) -> float:
        """The time of the first action accepted after this time, on a connection after so many; waits for it."""
        while self.accepted_s <= since_s or self.returns < returns:
            self._accepted.clear()
            await self._accepted.wait()
        return self.accepted_s

    # --- what is written down ---

    async def send(self, request: type[m.RequestBase], **fields: Any) -> int:
        fields.setdefault("id", self.new_id())
        history = self._histories.get(fields.get("match", ""))
        if history is not None and issubclass(request, m.MatchAction):
            history.sent.append(Sent(self.id, request(**fields)))
        return await super().send(request, **fields)

    async def receive(self) -> Received:
        message = await super().receive()
        self.log.clear()
        if isinstance(message, m.Update | m.Snapshot) and (history := self._histories.get(message.match)) is not None:
            seen = self.matches[message.match]
            history.saw.append(Saw(time.monotonic(), self.label, seen.epoch, seen.seq, seen.view))
        if isinstance(message, m.Heartbeat):
            self._compare(message)
        if not isinstance(message, m.Ok | m.Error | m.Welcome | m.Snapshot):
            self.inbox.remove(message)  # no step asks for it
        return message

    def _compare(self, heartbeat: m.Heartbeat) -> None:
        for match, *state in heartbeat.matches:
            if (seen := self.matches.get(match)) is not None:
                assert state == [seen.epoch, seen.seq, checksum(seen.view)], f"{self.label} is out of step"

    def _write_answer(self, match: str, answer: m.Ok | m.Error) -> None:
        assert answer.id is not None, "an action has an id"
        now = time.monotonic()
        self._histories[match].answered.append(
            Answered(now, self.id, answer.id, answer.seq)
            if isinstance(answer, m.Ok)
            else Answered(now, self.id, answer.id, None, answer.code)
        )
        if isinstance(answer, m.Ok):
            self.accepted_s = now
            self._accepted.set()

    def __str__(self) -> str:
        views = [(match, seen.seat, seen.epoch, seen.seq, seen.view.phase) for match, seen in self.matches.items()]
        return f"{self.label} at {self.url}, here: {self.here}, returns: {self.returns}, sees {views}"

    # --- what is done ---

    async def come_back(self) -> None:
        """Connect, and attach to every match with what we have. As by a balancer, one try reaches a living node."""
        self.returns += 1
        self.here = False
        async with asyncio.timeout(PATIENCE_S):
            for attempt in itertools.count():
                await asyncio.sleep(retry_delay(attempt, 0, self._rng))  # as the protocol asks of clients
                lost = self.url
                for url in sorted(self._rng.sample(self._urls, len(self._urls)), key=lost.__eq__):
                    self.socket.transport.abort()
                    with contextlib.suppress(*LOST):
                        self.url = url
                        await self.open()
                        for match in list(self.matches):
                            await self._attach(match)
                        self.here = True
                        return

    async def _attach(self, match: str) -> None:
        seen = self.matches[match]
        seen.views.clear()  # a store may have forgotten them: it is the checker that compares
        answer = await self.ask(m.Attach, table=match, **seen.have())
        if isinstance(answer, m.Error) and answer.code == ErrorCode.NO_SUCH_MATCH:
            del self.matches[match]
            self.here = True
            raise Gone(match)
        if isinstance(answer, m.Error):
            raise ConnectionError(answer.text)
        seen.repeated = (answer.seq or 0) if isinstance(answer, m.Ok) and self.here else 0

    async def watch(self, match: str) -> None:
        """Follow a match, and look on until it is over."""
        answer = await self.insist(m.Attach, table=match)
        if isinstance(answer, m.Error) and answer.code == ErrorCode.NO_SUCH_MATCH:
            raise Gone(match)
        assert isinstance(answer, m.Snapshot), answer
        while self.matches[match].view.phase != "over":
            await self._look()

    async def play_out(self, match: str) -> None:
        """Play until the match is over."""
        while (seen := self.matches[match]).view.phase != "over":
            if seen.seat is None and seen.view.phase == "open":
                joined = await self.insist(m.Join, table=match)  # again: the store has forgotten it
                assert isinstance(joined, m.Snapshot), joined
                continue
            if not waits_for(seen.view, seen.seat):
                await self._look()
                continue
            await asyncio.sleep(self._rng.uniform(0, self._think_s))
            if self._rng.random() < AUTO_SHARE:
                what, on = self._rng.choice(("play", "roll")), self._rng.random() < 0.5
                await self.do(m.Auto, match, what=what, on=on)
            else:
                request, fields = choose(seen.view, seen.seat, self._rng)
                await self.do(request, match, **fields)

    async def do(self, request: type[m.MatchAction], match: str, **fields: Any) -> None:
        """Act, as often as it takes until it is accepted or refused, and see what came of it."""
        seen = self.matches[match]
        answer = await self.insist(request, match=match, seq=seen.seq, **fields)
        assert isinstance(answer, m.Ok | m.Error), answer
        self._write_answer(match, answer)
        try:
            if isinstance(answer, m.Error):
                self.refusals[answer.code] += 1
                await self._attach(match)
            else:
                epoch = seen.epoch
                while seen.epoch == epoch and seen.seq < (answer.seq or 0):
                    await self.receive()
        except LOST:
            await self.come_back()

    async def leave(self, match: str) -> None:
        """Follow a match no longer."""
        await self.insist(m.Detach, match=match)
        del self.matches[match]

    async def _look(self) -> None:
        try:
            await self.receive()
        except LOST:
            await self.come_back()
