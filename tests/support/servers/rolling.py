"""Live matches through a load balancer while something happens to it, or to the servers: who notices, and how long."""

import asyncio
import contextlib
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from tavla_client import Client, Link, Match
from tavla_protocol import messages as m
from tavla_protocol.view import View

from tests.support.players.plain import unique, within
from tests.support.players.turns import choose, waits_for
from tests.support.servers.balancers import BACK_S
from tests.support.servers.processes import ServerProcess
from tests.support.stores.journals import check_journal

CONNECTING_AT_ONCE = 20
RULES: dict[str, bool | int | str] = {"preset": "money"}  # it never ends by itself
POLL_S = 0.1


class Gaps:
    """Times that a client was without a connection, in seconds."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self._lost_at: float | None = None

    def __call__(self, link: Link) -> None:
        if not link.online and self._lost_at is None:
            self._lost_at = time.monotonic()
        elif link.online and self._lost_at is not None:
            self.seconds.append(time.monotonic() - self._lost_at)
            self._lost_at = None


class Contender:
    """A player of one match. acts_s: from asking to the view that shows it.

    views: every version that was seen. absences: how often the opponent was shown as away.
    """

    match: Match

    def __init__(self, url: str, pause_s: float, rng: random.Random) -> None:
        self.gaps = Gaps()
        self.client = Client(url, name=unique("p"), on_link=self.gaps)
        self.acts_s: list[float] = []
        self.views: dict[int, View] = {}
        self.absences = 0
        self.acting = False
        self._pause_s, self._rng = pause_s, rng

    async def play(self, stop: asyncio.Event) -> None:
        """Act, after a pause, whenever it is our turn, until told to stop. An error that a person would see ends it."""
        async for change in self.match.changes():
            known = self.views.setdefault(change.seq, change.view)
            assert known == change.view, f"version {change.seq} was another one before"
            if change.what == "presence" and not all(change.online):
                self.absences += 1
            if change.seq == self.match.seq and waits_for(change.view, self.match.seat):
                await asyncio.sleep(self._pause_s * self._rng.uniform(0.5, 1.5))
                if not stop.is_set():
                    await self._act()
        raise AssertionError("the match has ended")

    async def _act(self) -> None:
        self.acting = True
        since = time.monotonic()
        request, fields = choose(self.match.view, self.match.seat, self._rng)
        await _do(self.match, request, **fields)
        self.acts_s.append(time.monotonic() - since)
        self.acting = False


async def _do(match: Match, request: type[m.MatchAction], **fields: Any) -> None:
    await getattr(match, request.__name__.lower())(**fields)


class Rolled(NamedTuple):
    """Result of a run. gaps_s, acts_s: of all players, sorted. stops_s: how long each server took to stop."""

    gaps_s: list[float]
    acts_s: list[float]
    stops_s: list[float]
    absences: int


Check = Callable[[], None]  # raises what a player has seen go wrong


async def restart_under(
    servers: Sequence[ServerProcess], url: str, store_url: str, matches: int, pause_s: float, rng: random.Random
) -> Rolled:
    """Restart all servers in turn under so many matches, each player of which acts after such a pause."""
    stops_s: list[float] = []

    async def restart_all(check: Check) -> None:
        for server in servers:
            await asyncio.sleep(2 * pause_s)
            stops_s.append(await _restart(server))
            check()

    rolled = await play_under(restart_all, url, store_url, matches, pause_s, rng)
    return rolled._replace(stops_s=stops_s)


async def play_under(
    disturb: Callable[[Check], Awaitable[None]],
    url: str,
    store_url: str,
    matches: int,
    pause_s: float,
    rng: random.Random,
) -> Rolled:
    """Let something happen under so many matches, each player of which acts after such a pause."""
    async with contextlib.AsyncExitStack() as stack:
        gate, stop = asyncio.Semaphore(CONNECTING_AT_ONCE), asyncio.Event()

        async def pair() -> list[Contender]:
            both = [Contender(url, pause_s, random.Random(rng.random())) for _ in range(2)]
            async with gate:
                for one in both:
                    await stack.enter_async_context(one.client)
                both[0].match = await both[0].client.create(unique("t"), RULES)
                both[1].match = await both[1].client.join(both[0].match.id)
            return both

        pairs = await asyncio.gather(*(pair() for _ in range(matches)))
        contenders = [one for both in pairs for one in both]
        tasks = [asyncio.create_task(one.play(stop)) for one in contenders]
        stack.callback(lambda: [task.cancel() for task in tasks])
        await disturb(lambda: _raise_errors(tasks))
        stop.set()
        await within(_all_in_step(pairs))
        _raise_errors(tasks)
    for both in pairs:
        record = check_journal(store_url, both[0].match.id, both[0].views, both[1].views)
        assert not record.over, "no match ends"
    return Rolled(
        sorted(gap for one in contenders for gap in one.gaps.seconds),
        sorted(act for one in contenders for act in one.acts_s),
        [],
        sum(one.absences for one in contenders),
    )


async def _restart(server: ServerProcess) -> float:
    began = time.monotonic()
    assert await asyncio.to_thread(server.stop) == 0
    stop_s = time.monotonic() - began
    await asyncio.to_thread(server.restart)
    await asyncio.sleep(BACK_S)
    return stop_s


def _raise_errors(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        if task.done():
            task.result()


async def _all_in_step(pairs: list[list[Contender]]) -> None:
    """Wait until no player acts, and both players of each match see the same version."""
    await asyncio.sleep(POLL_S)
    if any(one.acting or one.match.seq != other.match.seq or other.acting for one, other in pairs):
        await _all_in_step(pairs)
