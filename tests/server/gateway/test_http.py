"""Probes of load balancers: a server is alive, and it should be given connections."""

import asyncio
import os
import signal
import time

import pytest
from tavla_server.gateway import http

from tests.support.patience import ask_until
from tests.support.players.plain import within
from tests.support.servers.processes import ServerProcess, inside, page, ready_in_time
from tests.support.servers.valkey import Valkey

pytestmark = pytest.mark.slow  # most of them wait by the clock


async def ready(url: str) -> tuple[int, str]:
    """The readiness that a server inside this process reports."""
    return await asyncio.to_thread(page, url, "/readyz")


async def until_ready(url: str) -> None:
    """Wait until a server wants connections."""
    await ask_until(lambda: ready(url), lambda found: found[0] == 200)


def test_a_server_that_lives_and_is_ready_says_so(server: ServerProcess) -> None:
    assert page(server.url, "/healthz") == (200, "ok\n")
    assert ready_in_time(server.url) == (200, "ready\n")
    assert ready_in_time(server.url, "/readyz?from=balancer") == (200, "ready\n")
    assert page(server.url, "/nothing")[0] == 404


async def test_without_redis_a_server_lives_but_is_not_ready(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url) as url:
        await until_ready(url)
        own_valkey.kill()
        assert await asyncio.to_thread(ready_in_time, url) == (503, "redis does not answer\n")
        assert await asyncio.to_thread(page, url, "/healthz") == (200, "ok\n")
        own_valkey.start()
        await within(until_ready(url))
        os.kill(own_valkey.pid, signal.SIGSTOP)
        assert await asyncio.to_thread(ready_in_time, url) == (503, "redis does not answer\n")
        os.kill(own_valkey.pid, signal.SIGCONT)
        await within(until_ready(url))


async def test_the_page_on_this_machine_learns_where_others_reach_the_server(
    own_valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with inside(own_valkey.url) as url, inside(own_valkey.url, behind_proxy=True) as behind:
        assert await asyncio.to_thread(page, url, "/address") == (200, "\n"), "it listens here alone"
        monkeypatch.setattr(http, "addresses", lambda _: ["2001:db8::7"])
        port = url.rpartition(":")[2]
        assert await asyncio.to_thread(page, url, "/address") == (200, f"[2001:db8::7]:{port}\n")
        forwarded = {"X-Forwarded-For": "127.0.0.1"}
        assert await asyncio.to_thread(page, url, "/address", forwarded) == (200, "\n"), "a proxy asks for others"
        assert await asyncio.to_thread(page, behind, "/address") == (200, "\n")


async def test_while_the_store_refuses_writes_a_server_is_not_ready(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url) as url:
        await until_ready(url)
        own_valkey.configure("maxmemory", "1")
        answer = await ask_until(lambda: asyncio.to_thread(ready_in_time, url), lambda answer: answer[0] != 200)
        assert answer[1].startswith("redis refuses to write: OOM")
        own_valkey.configure("maxmemory", "0")
        await within(until_ready(url))


async def test_a_server_that_is_late_with_everything_is_not_ready(node: str) -> None:
    await until_ready(node)
    answer = asyncio.create_task(ready(node))
    while not answer.done():
        time.sleep(0.3)  # noqa: ASYNC251 - every step of the event loop comes late
        await asyncio.sleep(0)
    status, text = answer.result()
    assert status == 503
    assert text.startswith("overloaded: ")
    await within(until_ready(node))
