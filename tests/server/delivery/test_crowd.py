"""A crowd that more is sent to than it can be shown: it gets what is newest, and no queue grows."""

import asyncio
import random
from types import SimpleNamespace
from typing import Any

from tavla_server.delivery.fanout import PENDING_LIMIT, SLICE, FanOut
from tavla_server.delivery.frames import frame_of
from tavla_server.delivery.outbox import Outbox
from tavla_server.player import Player as Guest

from tests.support.patience import wait_until
from tests.support.servers.nodes import node_on
from tests.support.servers.sessions import ADA, BOB, opened
from tests.support.servers.valkey import Valkey

CROWD = 10 * SLICE
SOCKET: Any = SimpleNamespace(transport=None, flows=False, is_open=False, backlog_bytes=0)
FRAMES = 900


class Shown:
    """Frames that each of a crowd was shown: their numbers, and the frames that it skipped to."""

    def __init__(self) -> None:
        self.newest = 0
        self.seen: dict[Outbox, list[int]] = {Outbox(SOCKET, 1.0): [0] for _ in range(CROWD)}
        self.writes = self.most = 0

    def write(self, outbox: Outbox, frame: bytes) -> None:
        """Show one more frame, which has to be the next one."""
        number = int(frame)
        assert number == self.seen[outbox][-1] + 1, "no gap, nothing twice"
        self._show(outbox, number)

    def skip(self, outbox: Outbox) -> None:
        """Everything up to now."""
        assert self.newest > self.seen[outbox][-1], "and never back"
        self._show(outbox, self.newest)

    def _show(self, outbox: Outbox, number: int) -> None:
        self.seen[outbox].append(number)
        self.writes += 1


async def test_a_crowd_is_shown_the_newest_and_its_queue_is_bounded() -> None:
    shown = Shown()
    fanout = FanOut(shown.write, shown.skip)
    for number in range(1, FRAMES + 1):
        shown.newest = number
        fanout.write_by_and_by(str(number).encode(), dict.fromkeys(shown.seen))
        assert len(fanout.pending) <= PENDING_LIMIT
        before = shown.writes
        await asyncio.sleep(0)
        assert shown.writes - before <= SLICE, "in one turn of the loop"
    for _ in range(10_000):
        if fanout.idle:
            break
        await asyncio.sleep(0.001)
    assert all(seen[-1] == FRAMES for seen in shown.seen.values())
    assert shown.writes < CROWD * FRAMES / 10, "most were skipped"


async def test_what_is_said_faster_than_a_crowd_can_hear_is_not_passed_on() -> None:
    heard: list[bytes] = []
    fanout = FanOut(lambda outbox, frame: heard.append(frame))
    for number in range(100):
        fanout.write_by_and_by(b"%d" % number, dict.fromkeys(Outbox(SOCKET, 1.0) for _ in range(CROWD)))
        assert len(fanout.pending) <= PENDING_LIMIT
    assert not heard, "nothing in this turn"
    for _ in range(10_000):
        if fanout.idle:
            break
        await asyncio.sleep(0.001)
    assert set(heard) == {b"%d" % number for number in range(PENDING_LIMIT)}
    assert len(heard) == PENDING_LIMIT * CROWD


async def test_one_more_of_a_crowd_hurries_none_of_the_others(valkey: Valkey, rng: random.Random) -> None:
    written, frame = list[bytes](), frame_of(bytes(20))
    async with node_on(valkey.url) as here:
        session = await opened(here, rng)
        crowd = [spectator(written) for _ in range(CROWD)]
        for outbox in crowd:
            session.subscribers.attach(outbox, 1)
        session.audience.show(frame)
        session.subscribers.attach(spectator(written), 1)
        assert frame not in written, "each in its turn"
        session.subscribers.attach(crowd[0], 1)  # again: the frame may not come after the whole match
        assert written.count(frame) == 1
        await wait_until(lambda: session.audience.in_step)
    assert written.count(frame) == CROWD


async def test_players_are_shown_at_once_what_a_crowd_is_shown_in_its_turn(valkey: Valkey, rng: random.Random) -> None:
    frame = frame_of(bytes(20))
    async with node_on(valkey.url) as here:
        session = await opened(here, rng)
        written, players = list[bytes](), dict[Guest, list[bytes]]()
        for _ in range(CROWD):
            session.subscribers.attach(spectator(written), 1)
        for guest in (ADA, BOB):
            outbox = spectator(players.setdefault(guest, []))
            outbox.player = guest
            session.subscribers.attach(outbox, 1)
        await wait_until(lambda: session.audience.in_step)
        session.audience.show(frame)
        assert frame not in written
        assert [shown.count(frame) for shown in players.values()] == [1, 1]
        await wait_until(lambda: session.audience.in_step)
    assert written.count(frame) == CROWD
    assert [shown.count(frame) for shown in players.values()] == [1, 1], "and once"


def spectator(written: list[bytes]) -> Outbox:
    """An outbox whose client reads all at once."""
    transport = SimpleNamespace(write=written.append)
    socket: Any = SimpleNamespace(transport=transport, flows=True, is_open=True, paused=False, backlog_bytes=0)
    return Outbox(socket, 1.0)
