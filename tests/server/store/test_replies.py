"""The connection to the store: how replies are handed over."""

import asyncio

from tavla_server.store.connection import AT_ONCE, Connection

REPLIES = b"".join(b":%d\r\n" % number for number in range(3 * AT_ONCE))


async def test_many_replies_come_in_order_and_leave_others_their_turn() -> None:
    connection, came, told = Connection(), list[object](), asyncio.Event()

    def take(reply: object) -> None:
        came.append(reply)
        asyncio.get_running_loop().call_soon(told.set)

    connection.start(take)
    connection.data_received(REPLIES)
    await told.wait()
    assert AT_ONCE <= len(came) < 3 * AT_ONCE
    connection.data_received(b":%d\r\n" % len(REPLIES))
    while len(came) <= 3 * AT_ONCE:
        await asyncio.sleep(0)
    assert came == [*range(3 * AT_ONCE), len(REPLIES)]


async def test_what_had_come_before_a_connection_was_lost_is_handed_over() -> None:
    connection, came = Connection(), list[object]()
    connection.start(came.append)
    connection.data_received(REPLIES)
    connection.connection_lost(None)
    assert connection.lost.done()
    assert came == [*range(3 * AT_ONCE)]
