"""redis-py's commands over a pipeline: they answer as redis-py's own client does, and survive what it survives."""

import asyncio
import contextlib
import os
import signal
from typing import Any

import pytest
from redis.asyncio import Redis
from tavla_server.errors import StoreRefused, StoreUnavailable
from tavla_server.store import client
from tavla_server.store.client import connection_to

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import unique
from tests.support.servers.handloop import HandLoop
from tests.support.servers.nodes import proxied
from tests.support.servers.valkey import Valkey

COMMANDS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [  # method, arguments after the key
    ("set", ("a",), {"ex": 60, "nx": True}),
    ("set", ("b",), {"nx": True}),
    ("get", (), {}),
    ("expire", (60,), {}),
    ("pttl", (), {}),
    ("exists", (), {}),
    ("type", (), {}),
    ("delete", (), {}),
    ("get", (), {}),
    ("hset", ("field", b"\x00\xff"), {}),
    ("hset", (), {"mapping": {"a": 1, "b": 2.5}}),
    ("hgetall", (), {}),
    ("hmget", (["a", "none"],), {}),
    ("hexists", ("a",), {}),
    ("delete", (), {}),
    ("zadd", ({"a": 1.5, "b": 2},), {}),
    ("zadd", ({"a": 3},), {"nx": True}),
    ("zscore", ("a",), {}),
    ("zscore", ("none",), {}),
    ("zrange", (0, -1), {"withscores": True}),
    ("zrevrange", (0, 0), {}),
    ("delete", (), {}),
    ("sadd", ("a",), {}),
    ("smembers", (), {}),
    ("sismember", ("b",), {}),
    ("delete", (), {}),
    ("xadd", ({"e": b"\x80"},), {"id": "1-0"}),
    ("xrange", (), {}),
    ("xlen", (), {}),
]


async def test_every_command_answers_as_it_does_without_groups(valkey: Valkey) -> None:
    ours, theirs = unique("key"), unique("key")
    async with connection_to(valkey.url) as group, Redis.from_url(valkey.url) as plain:
        for name, args, options in COMMANDS:
            got = await getattr(group, name)(ours, *args, **options)
            wanted = await getattr(plain, name)(theirs, *args, **options)
            assert (got, type(got)) == (wanted, type(wanted)) or name == "pttl", name
        assert await group.ping() is await plain.ping() is True
        assert await group.eval("return {1, 'a', false}", 0) == await plain.eval("return {1, 'a', false}", 0)
        assert (await group.info("server"))["process_id"] == valkey.pid


async def test_a_refusal_of_redis_is_an_error(valkey: Valkey) -> None:
    async with connection_to(valkey.url) as redis:
        await redis.set(key := unique("key"), "text")
        with pytest.raises(StoreRefused, match="WRONGTYPE"):
            await redis.sadd(key, "a")
        assert await redis.get(key) == b"text", "and others go on"


async def test_a_thousand_at_once_need_one_connection(own_valkey: Valkey) -> None:
    async with connection_to(own_valkey.url) as redis, asyncio.timeout(PATIENCE_S):
        numbers = await asyncio.gather(*(redis.incr("number") for _ in range(1000)))
        assert sorted(numbers) == list(range(1, 1001))
        assert len(await redis.client_list()) == 1
        assert await redis.all_of([]) == []


async def test_a_script_is_known_whatever_happens_to_the_store(own_valkey: Valkey) -> None:
    async with connection_to(own_valkey.url) as redis:
        store_time = redis.script("store_time")
        assert await store_time(keys=["key"])
        await redis.script_flush()
        assert await store_time(keys=["key"])
        own_valkey.kill()
        own_valkey.start()
        assert await store_time(keys=["key"])


@pytest.mark.parametrize("direction", ["up", "down"])
async def test_a_command_is_sent_again_after_a_lost_connection(valkey: Valkey, direction: str) -> None:
    async with proxied(valkey) as (wire, url), connection_to(url) as redis:
        key = unique("key")
        await redis.set(key, "before")
        setattr(wire, f"{direction}_left", 10)
        await redis.set(key, "after")
        assert await redis.get(key) == b"after"


async def test_a_command_that_is_refused_is_not_carried_out_later(own_valkey: Valkey) -> None:
    async with connection_to(own_valkey.url) as redis:
        own_valkey.kill()
        with pytest.raises(StoreUnavailable):
            await redis.set("key", "value")
        own_valkey.start()
        async with asyncio.timeout(PATIENCE_S):
            while True:
                with contextlib.suppress(StoreUnavailable):
                    assert await redis.get("key") is None
                    return


async def test_a_store_that_does_not_answer_is_not_waited_for(
    own_valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "ANSWER_S", 0.1)
    async with connection_to(own_valkey.url) as redis:
        os.kill(own_valkey.pid, signal.SIGSTOP)
        with pytest.raises(StoreUnavailable, match="does not answer"):
            await redis.get("key")
        monkeypatch.undo()
        os.kill(own_valkey.pid, signal.SIGCONT)
        assert await redis.get("key") is None


def test_a_loop_that_stood_still_takes_no_store_for_silent() -> None:
    """As when a whole machine stands still: the answer comes when both go on."""

    async def asked_s(stands_still_s: float, answers: bool) -> float:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, HandLoop)
        pending = client._Answers(1)
        asked = asyncio.create_task(pending.all())
        await asyncio.sleep(0)
        loop.stand_still(stands_still_s)
        if answers:
            loop.call_later(client.ANSWER_S / 3, pending.take, 0, b"value")
            assert await asked == [b"value"]
        else:
            with pytest.raises(StoreUnavailable, match="does not answer"):
                await asked
        return loop.time()

    with asyncio.Runner(loop_factory=HandLoop) as runner:
        assert runner.run(asked_s(0.0, answers=False)) == pytest.approx(client.ANSWER_S)
        runner.run(asked_s(10 * client.ANSWER_S, answers=True))
