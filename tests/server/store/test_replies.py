"""The connection to the store: how replies are handed over."""

import asyncio
from collections.abc import Callable

import pytest
import uvloop
from tavla_server.errors import StoreUnavailable
from tavla_server.store.connection import AT_ONCE, Connection, connect, pack_command

from tests.support.patience import PATIENCE_S
from tests.support.servers import Valkey

REPLIES = b"".join(b":%d\r\n" % number for number in range(3 * AT_ONCE))


async def test_many_replies_come_in_order_and_leave_others_their_turn() -> None:
    connection, came, all_there = Connection(), list[object](), asyncio.Event()
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


async def test_what_had_come_before_a_connection_was_lost_is_handed_over() -> None:
    connection, came = Connection(), list[object]()
    connection.start(came.append)
    connection.data_received(REPLIES)
    connection.connection_lost(None)
    assert connection.lost.done()
    assert came == [*range(3 * AT_ONCE)]


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
