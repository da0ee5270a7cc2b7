"""Keepalive, with time passed in: everybody in every round, and who is gone without a word is known in time."""

import asyncio
import weakref
from collections import Counter

import pytest
from tavla_server.gateway.keepalive import TURNS, Keepalive
from tavla_server.timings import DEFAULTS
from websockets.frames import Frame, Opcode

from tests.support.servers.handloop import HandLoop
from tests.support.wire.fed import opened

KNOWN_S = 20.0  # by then a client that is gone is known to be
PING = bytes((0x80 | Opcode.PING, 8))


class Noted:
    """A connection that is kept alive: the times, by the loop's clock."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def keep_alive(self) -> None:
        self.times.append(asyncio.get_running_loop().time())


def test_everybody_has_a_turn_in_each_round_and_all_turns_have_as_much_to_do() -> None:
    everybody = [Noted() for _ in range(10 * TURNS)]

    async def rounds() -> None:
        keepalive = Keepalive[Noted](DEFAULTS.ping_s)
        for one in everybody:
            keepalive.add(one)
        parts = [keepalive.part(number, 10) for number in range(10)]
        assert Counter(one for part in parts for one in part) == Counter(everybody)
        assert max(map(len, parts)) < 2 * len(everybody) / 10, "nobody is renewed with all others"
        running = asyncio.create_task(keepalive.run())
        await asyncio.sleep(5 * DEFAULTS.ping_s)
        keepalive.discard(everybody[0])
        known = len(everybody[0].times)
        await asyncio.sleep(2 * DEFAULTS.ping_s)
        assert len(everybody[0].times) == known < min(len(one.times) for one in everybody[1:])
        running.cancel()

    with asyncio.Runner(loop_factory=HandLoop) as runner:
        runner.run(rounds())
    for one in everybody:
        assert one.times[0] < DEFAULTS.ping_s
        gaps = [after - before for before, after in zip(one.times, one.times[1:], strict=False)]
        assert gaps == pytest.approx([DEFAULTS.ping_s] * len(gaps))
    assert max(Counter(one.times[0] for one in everybody).values()) < 100


def test_a_connection_that_has_ended_is_not_held() -> None:
    async def turns() -> None:
        keepalive, one = Keepalive[Noted](DEFAULTS.ping_s), Noted()
        keepalive.add(one)
        running = asyncio.create_task(keepalive.run())
        while not one.times:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.01)
        keepalive.discard(one)
        ended = weakref.ref(one)
        del one
        assert ended() is None
        running.cancel()

    with asyncio.Runner(loop_factory=HandLoop) as runner:
        runner.run(turns())


@pytest.mark.parametrize("silent_s", [0.0, 4.0, 8.99, 9.01, 17.5, 40.0])
def test_a_connection_that_is_half_open_is_cut_in_time(silent_s: float) -> None:
    """The client answers until then, and then its machine is gone: nothing comes any more, and nothing ends."""

    async def silent_for_s() -> float:
        loop = asyncio.get_running_loop()
        async with opened(DEFAULTS.close_s) as (socket, wire):

            class Kept:
                def keep_alive(self) -> None:
                    socket.keep_alive(b"")

            keepalive = Keepalive[Kept](DEFAULTS.ping_s)
            keepalive.add(Kept())
            running = asyncio.create_task(keepalive.run())
            while not wire.closed:
                await asyncio.sleep(0.01)
                if loop.time() < silent_s and wire.written.startswith(PING):
                    socket.data_received(Frame(Opcode.PONG, bytes(wire.written[2:10])).serialize(mask=True))
                    del wire.written[:]
            running.cancel()
            return loop.time() - silent_s

    with asyncio.Runner(loop_factory=HandLoop) as runner:
        assert DEFAULTS.ping_s <= runner.run(silent_for_s()) <= KNOWN_S
