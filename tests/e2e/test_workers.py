"""`tavla-server --workers N`: several processes on one port are one server."""

import asyncio
import contextlib
import itertools
import json
import os
import random
import shutil
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tavla_client import Client, Match

from tests.support.patience import PATIENCE_S
from tests.support.players.matches import new_match
from tests.support.players.plain import Player, unique, within
from tests.support.servers.processes import (
    SEED_KEY,
    NewServer,
    ServerProcess,
    alive,
    assert_no_fault,
    kill,
    ready_in_time,
    redis_at,
)
from tests.support.servers.valkey import Valkey
from tests.support.stores.journals import check_journal

HURRY = "from tavla_server.process import cli, supervisor; supervisor.STOP_S = 0.2; cli.main()"
HURRIED = [sys.executable, "-c", HURRY]
CLIENTS = 12  # all on one of two workers once in two thousand times


@pytest.fixture
def workers(new_server: NewServer) -> ServerProcess:
    """A started server of two workers."""
    server = new_server("--workers", "2")
    server.start()
    return server


def pids(server: ServerProcess) -> list[int]:
    """The workers that are alive, or have just been."""
    started = [json.loads(line)["pid"] for line in server.lines if '"worker_serving"' in line]
    return [pid for pid in started if alive(pid)]


def nodes_of(server: ServerProcess) -> dict[str, str]:
    """Worker that each player is connected to."""
    with contextlib.closing(redis_at(server.store_url)) as redis:
        rows: Any = redis.hgetall("{lobby}:people")
    return {player: node for node, _, player in (key.decode().partition(":") for key in rows)}


async def start(one: Client, other: Client) -> Match:
    """A match between two clients, as the first one sees it."""
    match = await one.create(unique("t"))
    await other.join(match.id)
    while match.view.phase in ("open", "reveal"):
        await within(match.next_change())
    return match


def until_gone(processes: list[int]) -> None:
    """Wait until none of these processes is alive."""
    while any(map(alive, processes)):
        time.sleep(0.05)


async def until_together(server: ServerProcess, players: list[Player]) -> dict[str, str]:
    """Wait until the lobby knows all players; the worker of each."""
    async with asyncio.timeout(PATIENCE_S):
        while not {player.id for player in players} <= (nodes := nodes_of(server)).keys():
            await players[0].sync()
    return nodes


async def test_players_on_different_workers_play_as_if_on_one(workers: ServerProcess, rng: random.Random) -> None:
    async with contextlib.AsyncExitStack() as stack:
        players = [await stack.enter_async_context(Player(workers.url)) for _ in range(CLIENTS)]
        nodes = await until_together(workers, players)
        assert len({nodes[player.id] for player in players}) == 2
        white = players[0]
        black = next(player for player in players if nodes[player.id] != nodes[white.id])
        match = await new_match(white, black)
        await asyncio.gather(white.play(match, rng), black.play(match, rng))
        assert white.matches[match].view == black.matches[match].view
        check_journal(workers.store_url, match, white.matches[match].views, black.matches[match].views)
    assert_no_fault(workers)


@pytest.mark.long
async def test_a_worker_that_is_killed_is_replaced_and_its_clients_come_back(workers: ServerProcess) -> None:
    async with contextlib.AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(Client(workers.url, name=unique("p"))) for _ in range(CLIENTS)]
        matches = [await start(one, other) for one, other in itertools.pairwise(clients)]
        first, other = pids(workers)
        before = len(workers.lines)
        kill(first)
        for match in matches:
            seq = match.seq
            await within(match.auto("play", on=True))
            assert match.seq == seq + 1
        died = await asyncio.to_thread(workers.wait_for_event, "worker_ended", after=before)
        assert (died["pid"], died["exit_code"]) == (first, -9)
        new = (await asyncio.to_thread(workers.wait_for_event, "worker_serving", after=before))["pid"]
        assert set(pids(workers)) == {other, new}
        kill(other)  # now the new one has to serve
        for match in matches:
            await within(match.auto("play", on=False))


@pytest.mark.long
def test_a_worker_that_cannot_start_is_started_again_until_it_can(
    new_server: NewServer, own_valkey: Valkey, tmp_path: Path
) -> None:
    key = tmp_path / "a.key"
    shutil.copy(SEED_KEY, key)
    server = new_server("--workers", "2", "--redis", own_valkey.url, "--seed-key", str(key))
    server.start()
    first, other = pids(server)
    whole = key.read_text()
    key.write_text("no key")
    kill(first)
    assert "is no key file" in server.wait_for_event("worker_not_started")["error"]
    before = len(server.lines)
    key.write_text(whole)
    new = server.wait_for_event("worker_serving", after=before)["pid"]
    assert set(pids(server)) == {other, new}


@pytest.mark.long
def test_a_worker_that_starts_while_the_store_is_away_waits(new_server: NewServer, own_valkey: Valkey) -> None:
    server = new_server("--workers", "2", "--redis", own_valkey.url)
    server.start()
    first, other = pids(server)
    own_valkey.kill()
    kill(first)
    server.wait_for_event("waiting_for_store")
    before = len(server.lines)
    own_valkey.start()
    new = server.wait_for_event("worker_serving", after=before)["pid"]
    assert set(pids(server)) == {other, new}
    assert not [line for line in server.lines if "worker_not_started" in line]


@pytest.mark.long
def test_a_worker_that_does_not_end_is_killed(new_server: NewServer) -> None:
    server = new_server("--workers", "2", "--drain", "0", command=HURRIED)
    server.start()
    frozen, other = pids(server)
    os.kill(frozen, signal.SIGSTOP)
    assert server.stop() == 0
    assert not alive(frozen)
    assert not alive(other)


def test_a_stop_leaves_nothing_behind(workers: ServerProcess) -> None:
    assert ready_in_time(workers.url) == (200, "ready\n")
    processes = [*pids(workers), workers.store_pid]
    assert workers.stop() == 0
    assert not [pid for pid in processes if alive(pid)]
    assert_no_fault(workers)


@pytest.mark.long
async def test_workers_end_with_their_parent_and_a_new_one_goes_on(workers: ServerProcess) -> None:
    async with Client(workers.url, name=unique("p")) as one, Client(workers.url, name=unique("p")) as other:
        match = await start(one, other)
        orphans = pids(workers)
        await asyncio.to_thread(workers.kill)  # returns when no process has its stderr open any more
        await asyncio.to_thread(until_gone, orphans)
        workers.restart()
        await within(match.auto("play", on=True))


def test_what_keeps_workers_from_starting_is_said_once(new_server: NewServer) -> None:
    server = new_server("--workers", "2", "--redis", "redis://127.0.0.1:1")
    server.spawn()
    assert server.wait() == 1
    assert [line for line in server.lines if "cannot use Redis at redis://127.0.0.1:1" in line] == server.lines


@pytest.mark.parametrize("shared", [False, True], ids=["by itself", "by workers"])
def test_a_port_that_another_server_uses_is_not_shared_with_it(new_server: NewServer, shared: bool) -> None:
    server = new_server("--workers", "2")
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        taken.bind(("127.0.0.1", server.port))
        taken.listen()
        server.spawn()
        assert server.wait() == 1
    said = "Address already in use: stop what has it, or take another port"
    assert server.lines == [f"tavla-server: cannot listen on 127.0.0.1:{server.port}: {said}\n"]


def test_a_port_may_be_chosen_by_the_system(new_server: NewServer) -> None:
    server = new_server("--workers", "2", "--port", "0")
    server.start()
    url = server.wait_for_event("serving")["url"]
    assert ready_in_time(url) == (200, "ready\n")
