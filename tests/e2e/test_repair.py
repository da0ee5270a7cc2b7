"""A damaged store: the start says what to do, and `tavla-server repair` does it."""

import contextlib
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tavla_protocol import messages as m

from tests.support.patience import PATIENCE_S
from tests.support.players import Player, new_match
from tests.support.servers import ServerProcess, fails_to_start, page, redis_at, script

NewServer = Callable[..., ServerProcess]


def run(data: Path) -> "subprocess.CompletedProcess[str]":
    command = [*script("tavla-server"), "repair", "--data", str(data)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


def repair(data: Path) -> str:
    done = run(data)
    assert done.returncode == 0, done.stderr
    return done.stdout


def tail(data: Path) -> Path:
    (file,) = (data / "appendonlydir").glob("*.incr.aof")
    return file


@pytest.fixture
async def played(new_server: NewServer) -> tuple[ServerProcess, Player, str]:
    """A server that has stopped; a player and the match that goes on there."""
    server = new_server()
    server.start()
    async with Player(server.url) as white, Player(server.url) as black:
        match = await new_match(white, black)
        await white.act(m.Auto, match, what="play", on=True)
    server.stop()
    return server, white, match


async def comes_back(server: ServerProcess, player: Player, match: str) -> int:
    """The version at which a player finds the match."""
    server.restart()
    async with Player(server.url, token=player.token) as back:
        await back.ask(m.Attach, table=match)
        return back.matches[match].seq


async def test_what_is_no_command_at_the_end_of_the_file(played: tuple[ServerProcess, Player, str]) -> None:
    server, player, match = played
    file = tail(server.data)
    whole = file.read_bytes()
    file.write_bytes(whole + bytes(500))
    said = fails_to_start(server)
    assert said == (
        f"tavla-server: a file of the store in {server.data} is damaged: run tavla-server repair --data {server.data}"
    )
    copy = server.data / "appendonlydir.before-repair-1"
    assert repair(server.data) == (
        "500 bytes were cut off the end of appendonly.aof.1.incr.aof: the store has 1 matches with 3 entries\n"
        f"the files as they were: {copy}\n"
    )
    assert (copy / file.name).read_bytes() == whole + bytes(500)
    assert repair(server.data) == "nothing to repair: the store has 1 matches with 3 entries\n"
    assert await comes_back(server, player, match) == 3


@pytest.mark.parametrize("left", [None, "", "not ours", "file appendonly.aof.7.incr.aof seq 7 type i\n"])
async def test_a_manifest_that_is_missing_or_damaged(
    played: tuple[ServerProcess, Player, str], left: str | None
) -> None:
    server, player, match = played
    manifest = server.data / "appendonlydir" / "appendonly.aof.manifest"
    manifest.unlink()
    if left is not None:
        manifest.write_text(left)
    assert fails_to_start(server) == (
        f"tavla-server: the manifest of the store in {server.data} is missing or damaged: "
        f"run tavla-server repair --data {server.data}"
    )
    assert repair(server.data).startswith("the manifest was missing or damaged and is made anew; 0 bytes were cut")
    assert await comes_back(server, player, match) == 3


async def test_a_file_that_was_rewritten_has_a_manifest_made_for_what_there_is(
    played: tuple[ServerProcess, Player, str],
) -> None:
    server, player, match = played
    server.restart()
    with contextlib.closing(redis_at(server.store_url)) as redis:
        redis.bgrewriteaof()
        while redis.info("persistence")["aof_rewrite_in_progress"]:
            pass
    server.stop()
    assert tail(server.data).name == "appendonly.aof.2.incr.aof"
    (server.data / "appendonlydir" / "appendonly.aof.manifest").unlink()
    repair(server.data)
    assert await comes_back(server, player, match) == 3


async def test_while_a_server_runs_nothing_is_repaired(own_server: ServerProcess) -> None:
    done = run(own_server.data)
    assert (done.returncode, done.stdout) == (1, "")
    assert "another server uses the data folder" in done.stderr
    assert own_server.process.poll() is None


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of 4 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs to mount a small disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_called_that(new_server: NewServer, small_disk: Path) -> None:
    server, ballast = new_server(data=small_disk / "data"), small_disk / "ballast"
    server.start()
    with contextlib.suppress(OSError):
        ballast.write_bytes(bytes(5_000_000))
    assert server.wait_for_event("store_died")["disk_full"]
    failed = server.wait_for_event("store_restart_failed")
    assert failed["error"] == f"the disk of {server.data} is full: make room"
    ballast.unlink()
    deadline = time.monotonic() + PATIENCE_S
    while page(server.url, "/readyz")[0] != 200:
        assert time.monotonic() < deadline
    server.stop()
    with contextlib.suppress(OSError):
        ballast.write_bytes(bytes(5_000_000))
    assert fails_to_start(server) == f"tavla-server: the disk of {server.data} is full: make room"
    ballast.unlink()
    server.start()
