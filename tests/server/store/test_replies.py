"""The connection to the store: how replies are handed over."""

import asyncio
import socket
import time
from collections.abc import Callable

import pytest
import uvloop
from tavla_server.errors import StoreRefused, StoreUnavailable
from tavla_server.store.connection import AT_ONCE, LOOKS, StoreConnection, connect, pack_command

from tests.support.patience import PATIENCE_S
from tests.support.servers.valkey import Valkey

REPLIES = b"".join(b":%d\r\n" % number for number in range(3 * AT_ONCE))


async def test_many_replies_come_in_order_and_leave_others_their_turn() -> None:
    connection, came, all_there = StoreConnection(), list[object](), asyncio.Event()
    at_others_turn: list[int] = []

    def take(reply: object) -> None:
        if not came:
            asyncio.get_running_loop().call_soon(lambda: at_others_turn.append(len(came)))
        came.append(reply)
        if reply == len(REPLIES):
            all_there.set()

    connection.start(take)
    connection.data_received(REPLIES)
    connection.data_received(b":%d\r\n" % len(REPLIES))
    await all_there.wait()
    assert at_others_turn == [AT_ONCE]
    assert came == [*range(3 * AT_ONCE), len(REPLIES)]


async def test_a_connection_whose_first_commands_are_refused_is_none(valkey: Valkey) -> None:
    with pytest.raises(StoreRefused, match="unknown command"):
        await connect(valkey.url, [pack_command(b"PING"), pack_command(b"NONSENSE")])


async def test_what_had_come_before_a_connection_was_lost_is_handed_over() -> None:
    connection, came = StoreConnection(), list[object]()
    connection.start(came.append)
    connection.data_received(REPLIES)
    connection.connection_lost(None)
    assert connection.lost.done()
    assert came == [*range(3 * AT_ONCE)]


async def test_a_store_is_silent_only_when_nothing_came_at_so_many_looks_in_a_row() -> None:
    """However late the loop is: at each look it is held up for longer than a store may be silent."""
    reply_s, looks, few = 0.01, list[str](), LOOKS // 2
    ours, theirs = socket.socketpair()
    _, connection = await asyncio.get_running_loop().create_connection(StoreConnection, sock=ours)
    said = iter([*[b""] * few, b":1\r\n"] * 3 + [b"$9\r\n", b"part"])

    def is_asked() -> bool:
        if (saying := next(said, None)) is None:
            looks.append("silent")
        else:
            looks.append("said" if saying else "nothing")
            theirs.send(saying)
        time.sleep(reply_s)  # what has come waits in the socket meanwhile
        return True

    with theirs:
        async with asyncio.timeout(PATIENCE_S):
            await connection.wait_for_end(reply_s, is_asked)
    heard = [*[*["nothing"] * few, "said"] * 3, "said", "said"]
    assert looks[: len(heard)] == heard
    assert looks[len(heard) :] in (["silent"] * LOOKS, ["silent"] * (LOOKS + 1)), (
        "the last part may be read a look later"
    )


async def test_who_is_asked_nothing_may_be_silent() -> None:
    looks = 0
    ours, theirs = socket.socketpair()
    _, connection = await asyncio.get_running_loop().create_connection(StoreConnection, sock=ours)

    def is_asked() -> bool:
        nonlocal looks
        looks += 1
        if looks == 3 * LOOKS:
            theirs.close()
        return False

    async with asyncio.timeout(PATIENCE_S):
        await connection.wait_for_end(0.01, is_asked)
    assert looks == 3 * LOOKS


@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_on_a_connection_that_has_ended_the_store_is_away(
    own_valkey: Valkey, new_loop: Callable[[], asyncio.AbstractEventLoop]
) -> None:
    async def ask() -> None:
        connection = await connect(own_valkey.tcp_url, [])
        connection.send(pack_command(b"PING"))
        assert await connection.next_reply() == b"PONG"
        own_valkey.kill()
        await asyncio.wait_for(connection.lost, PATIENCE_S)
        with pytest.raises(StoreUnavailable):
            connection.send(pack_command(b"PING"))
        own_valkey.start()

    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(ask())
