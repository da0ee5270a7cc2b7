"""Starting and stopping `tavla-server`: what it says, how long it takes, and what is left."""

import asyncio
import contextlib
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import CloseCode
from tavla_server.app import running
from tavla_server.errors import StartError
from tavla_server.options import Options
from tavla_server.timings import DEFAULTS
from websockets.exceptions import ConnectionClosed

from tests.support.patience import PATIENCE_S, ask_until
from tests.support.players.matches import at_match
from tests.support.players.plain import Player, within
from tests.support.servers.lifetimes import fails_to_start, started
from tests.support.servers.processes import (
    SEED_KEY,
    NewServer,
    ServerProcess,
    alive,
    assert_no_fault,
    free_port,
    kill,
    redis_at,
    script,
)
from tests.support.servers.valkey import Valkey, short_folder

# --- what keeps it from starting ---


def test_a_port_in_use(new_server: NewServer) -> None:
    server = new_server(command=script("tavla-server"))
    with socket.create_server(("127.0.0.1", server.port)):
        assert fails_to_start(server) == (
            f"tavla-server: cannot listen on 127.0.0.1:{server.port}: Address already in use:"
            " stop what has it, or take another port"
        )
    assert not server.store_pid
    assert not server.data.exists(), "nothing was made"
    server.start()


async def test_a_start_that_fails_leaves_nothing_running(valkey: Valkey) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(StartError, match="cannot listen"):
        async with running(Options(host="127.0.0.1", port=taken.getsockname()[1], redis=valkey.url, seed_key=SEED_KEY)):
            pass
    left = asyncio.all_tasks() - {asyncio.current_task()}
    assert all(task.cancelling() for task in left), left


@pytest.mark.parametrize("password", ["", ":secret@"])
def test_a_redis_that_cannot_be_reached(new_server: NewServer, password: str) -> None:
    said = fails_to_start(new_server("--redis", f"redis://{password}127.0.0.1:1"))
    assert said.startswith("tavla-server: cannot use Redis at redis://127.0.0.1:1")
    assert "secret" not in said


def test_sentinels_that_cannot_be_reached(new_server: NewServer) -> None:
    said = fails_to_start(new_server("--redis", "redis+sentinel://127.0.0.1:1/club?sentinel_password=secret"))
    assert said.startswith("tavla-server: cannot use Redis at redis+sentinel://127.0.0.1:1/club")
    assert "secret" not in said


@pytest.mark.parametrize("url", ["http://127.0.0.1", "nonsense", "redis://127.0.0.1:notaport"])
def test_a_redis_address_that_is_none(new_server: NewServer, url: str) -> None:
    assert f"{url} is not the address of a Redis" in fails_to_start(new_server("--redis", url))


def test_a_redis_that_wants_a_password(new_server: NewServer, own_valkey: Valkey) -> None:
    own_valkey.configure("requirepass", "secret")
    said = fails_to_start(new_server("--redis", own_valkey.tcp_url))
    assert "cannot use Redis" in said
    server = new_server("--redis", own_valkey.tcp_url.replace("redis://", "redis://:secret@"))
    server.start()


@pytest.mark.parametrize("data", ["/dev/null/x", "/dev/null"])
def test_a_data_folder_that_cannot_be_written(new_server: NewServer, data: str) -> None:
    said = fails_to_start(new_server(data=Path(data)))
    assert said.startswith(f"tavla-server: cannot write to the data folder {data}: ")


def test_a_second_server_on_the_same_data_folder(own_server: ServerProcess, new_server: NewServer) -> None:
    second = new_server(data=own_server.data)
    assert fails_to_start(second).startswith(
        f"tavla-server: another server uses the data folder {own_server.data}: stop it, or give --data"
    )
    assert alive(own_server.store_pid), "the first one goes on"


def test_a_data_folder_of_something_else(new_server: NewServer, tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "appendonlydir").mkdir(parents=True)
    (data / "appendonlydir" / "appendonly.aof.manifest").write_text("not ours")
    assert "valkey.log" in fails_to_start(new_server(data=data))


def test_an_unknown_option_is_a_usage_error(new_server: NewServer) -> None:
    server = new_server("--colour", "red", command=script("tavla-server"))
    server.spawn()
    assert server.wait() == 2


# --- how it can be started ---


@pytest.mark.parametrize("name", ["very-long-" * 20, "spaces, quote\"and'quote, ünïcode"])
async def test_any_folder_will_do(new_server: NewServer, tmp_path: Path, name: str) -> None:
    server = new_server(data=tmp_path / name / "data")
    server.start()
    async with Player(server.url) as ada:
        await ada.ask(m.Create)
    server.kill()
    server.restart()
    async with Player(server.url, token=ada.token) as again:
        assert len(again.playing) == 1


async def test_every_option_is_an_environment_variable(new_server: NewServer, tmp_path: Path) -> None:
    port = free_port()
    server = new_server()
    server.options = []
    server.env |= {
        "TAVLA_HOST": "127.0.0.1",
        "TAVLA_PORT": str(port),
        "TAVLA_DATA": str(tmp_path / "data"),
        "TAVLA_LOG_FORMAT": "json",
        "TAVLA_LOG_LEVEL": "info",
    }
    server.start()
    async with Player(f"ws://127.0.0.1:{port}") as ada:
        await ada.sync()


async def test_an_outside_store_serves_as_well(new_server: NewServer, own_valkey: Valkey) -> None:
    for url in (own_valkey.url, own_valkey.tcp_url, f"{own_valkey.tcp_url}/3"):
        server = new_server("--redis", url)
        server.start()
        async with at_match(server.url):
            pass
        assert server.stop() == 0
        assert not server.data.exists(), "nothing is stored here"
        assert alive(own_valkey.pid)


def test_a_server_may_have_more_connections_than_a_process_begins_with(tmp_path: Path) -> None:
    limited = ["sh", "-c", 'ulimit -S -n 256; exec "$@"', "sh", *script("tavla-server")]
    with started(ServerProcess(tmp_path, command=limited)) as (server,):
        assert resource.prlimit(server.pid, resource.RLIMIT_NOFILE)[0] == resource.getrlimit(resource.RLIMIT_NOFILE)[1]


def test_help_names_the_environment_variables() -> None:
    done = subprocess.run(
        [*script("tavla-server"), "--help"], capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    assert "TAVLA_PORT" in done.stdout


def test_logs_are_json_unless_on_a_terminal(own_server: ServerProcess) -> None:
    assert own_server.wait_for_event("serving")["url"] == own_server.url


# --- how it stops ---


async def test_a_stop_tells_clients_why_and_keeps_the_data(own_server: ServerProcess) -> None:
    async with at_match(own_server.url) as (white, black, match):
        before = white.matches[match].view
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            store, stranger = own_server.store_pid, Player(own_server.url)
            await stranger.connect()
            stopped = asyncio.create_task(asyncio.to_thread(own_server.stop, number))
            for player in (white, black, stranger):
                closing = await player.next(m.Closing)
                assert closing.text
                with pytest.raises(ConnectionClosed) as closed:
                    await within(player.receive())
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == CloseCode.RESTART
            assert await stopped == 0
            assert not alive(store)
            assert_no_fault(own_server)
            own_server.restart()
            for player in (white, black):
                await player.open()
                assert player.playing == [match]
                await player.ask(m.Attach, table=match)
                assert player.matches[match].view == before


async def test_clients_that_do_not_answer_do_not_hold_up_a_stop(own_server: ServerProcess) -> None:
    async with Player(own_server.url) as ada:
        await ada.sync()
        ada.socket.transport.pause_reading()
        with socket.create_connection(("127.0.0.1", own_server.port)) as half:
            half.sendall(b"GET / HTTP/1.1\r\n")
            assert await asyncio.to_thread(own_server.stop) == 0
        ada.socket.transport.abort()


async def test_a_store_that_does_not_answer_does_not_hold_up_a_stop(new_server: NewServer, own_valkey: Valkey) -> None:
    server = new_server("--redis", own_valkey.url)
    server.start()
    async with at_match(server.url) as (white, black, match):
        os.kill(own_valkey.pid, signal.SIGSTOP)
        await white.send(m.Forfeit, match=match, seq=white.matches[match].seq)
        await black.send(m.Create)
        stranger = Player(server.url)
        await stranger.connect()
        await stranger.send(m.Hello, name="somebody")
        assert await asyncio.to_thread(server.stop) == 0
        await stranger.close()


@pytest.mark.parametrize("options", [(), ("--workers", "2")], ids=["alone", "by workers"])
def test_an_interrupt_while_it_starts_stops_it(new_server: NewServer, options: tuple[str, ...]) -> None:
    server = new_server(*options, command=script("tavla-server"))
    server.spawn()
    deadline = time.monotonic() + PATIENCE_S
    while not server.data.exists():  # the store is about to start
        assert time.monotonic() < deadline
    assert server.stop(signal.SIGINT) == 0
    assert not server.store_pid


# --- the embedded store ---


async def test_a_store_that_dies_alone_is_restarted_and_play_goes_on(own_server: ServerProcess) -> None:
    async with at_match(own_server.url, {"preset": "tournament", "length": 3}) as (white, black, match):
        seq = white.matches[match].seq
        for number in range(3):
            store = own_server.store_pid
            kill(store)
            on = number % 2 == 0
            while isinstance(answer := await white.act(m.Auto, match, what="play", on=on), m.Error):
                assert answer.code == "unavailable"
                assert answer.seq == seq
            seq += 1
            assert answer.seq == seq
            await black.reach(match, seq)
            await ask_until(lambda: black.ask(m.List), lambda found: not isinstance(found, m.Error))
            assert own_server.store_pid != store


def test_a_start_after_a_kill_gives_back_all_the_time_since(own_server: ServerProcess) -> None:
    for number in range(3):
        killed_ms = 1000 * time.time()
        own_server.kill()
        own_server.restart()
        with contextlib.closing(redis_at(own_server.store_url)) as redis:
            outages: Any = redis.zrange("{alive}:outages", 0, -1, withscores=True)
        assert len(outages) == number + 1
        times, back_ms = outages[-1]
        start_ms, end_ms = map(int, times.split())
        assert start_ms < killed_ms < back_ms
        assert end_ms == back_ms + DEFAULTS.return_ms, "clients need a while to come back"


def test_a_server_killed_leaves_a_store_that_the_next_one_replaces(own_server: ServerProcess) -> None:
    store = own_server.store_pid
    os.kill(store, signal.SIGSTOP)  # else it would end by itself
    own_server.kill()
    assert alive(store)
    os.kill(store, signal.SIGCONT)
    own_server.restart()
    assert not alive(store)
    assert own_server.store_pid != store


@pytest.mark.skipif(sys.platform != "linux", reason="Linux ends a process with its parent")
def test_the_store_of_a_server_that_was_killed_ends_by_itself(own_server: ServerProcess) -> None:
    store = own_server.store_pid
    own_server.kill()
    deadline = time.monotonic() + PATIENCE_S
    while alive(store):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_long_path_has_its_socket_elsewhere() -> None:
    with short_folder() as folder:
        server = ServerProcess(folder / ("x" * 200))
        assert len(server.store_url) < 108
