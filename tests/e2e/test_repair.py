"""A damaged store: the start says what to do, and `tavla-server repair` does it."""

import asyncio
import contextlib
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tavla_protocol import messages as m
from tavla_server.commands.backup import backup
from tavla_server.errors import StartError
from tavla_server.files import why_not_writable
from tavla_server.options import Options
from tavla_server.store import keys

from tests.support.patience import PATIENCE_S
from tests.support.players.matches import at_match, new_match
from tests.support.players.plain import Player
from tests.support.servers.lifetimes import fails_to_start
from tests.support.servers.our_programs import run_program
from tests.support.servers.processes import NewServer, ServerProcess, page, ready_in_time, redis_at

pytestmark = pytest.mark.long  # each kills servers and damages their stores


def run(data: Path) -> "subprocess.CompletedProcess[str]":
    done = run_program("tavla-server", "repair", "--data", str(data))
    assert "\x1b" not in done.stdout + done.stderr, "no colours in a pipe"
    return done


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
    async with at_match(server.url) as (white, _, match):
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
        "500 bytes of appendonly.aof.1.incr.aof could not be read and are left out: the store has 1 matches with 5 "
        "entries\n"
        f"the files as they were: {copy}\n"
    )
    assert (copy / file.name).read_bytes() == whole + bytes(500)
    assert repair(server.data) == "nothing to repair: the store has 1 matches with 5 entries\n"
    assert await comes_back(server, player, match) == 5


async def test_what_is_whole_behind_the_damage_is_kept(new_server: NewServer) -> None:
    """Of five matches the first entry of one is damaged, the last of one, one in the middle: two are as they were."""
    server = new_server()
    server.start()
    players, matches = [Player(server.url) for _ in range(10)], []
    for white, black in zip(players[::2], players[1::2], strict=True):
        await asyncio.gather(white.open(), black.open())
        matches.append(await new_match(white, black))
    for player, match in zip(players[::2], matches, strict=True):
        for seq, on in ((5, True), (6, False)):
            await player.act(m.Auto, match, what="play", on=on)
            await player.reach(match, seq)
    with contextlib.closing(redis_at(server.store_url)) as redis:
        before: dict[str, Any] = {match: redis.xrange(keys.MATCH_LOG(match)) for match in matches}
    server.stop()
    for player in players:
        await player.close()
    file = tail(server.data)
    data = bytearray(file.read_bytes())
    _, hurt, inside, lost, _ = matches
    for match, number in ((hurt, 6), (inside, 5), (lost, 1)):
        found = re.finditer(rb"XADD\r\n\$\d+\r\n(?=" + re.escape(keys.MATCH_LOG(match).encode()) + b")", data)
        at = [one.end() for one in found][number - 1]
        data[at - 9 : at - 4] = b"?????"
    file.write_bytes(data)
    said = repair(server.data)
    assert " bytes of appendonly.aof.1.incr.aof could not be read and are left out: the store has 4 matches" in said
    assert f"match {hurt} has lost entries and stands as after number 5\n" in said
    assert f"match {inside} has lost entries and stands as after number 4; 1 behind the damage are of no use" in said
    assert f"match {lost} is lost: its beginning could not be read\n" in said
    assert len(re.findall("^match ", said, re.MULTILINE)) == 3, "nothing else is lost"
    server.restart()
    with contextlib.closing(redis_at(server.store_url)) as redis:
        after: dict[str, Any] = {match: redis.xrange(keys.MATCH_LOG(match)) for match in matches}
    kept = {hurt: 5, inside: 4, lost: 0}
    for match, rows in before.items():
        assert after[match][: kept.get(match)] == rows[: kept.get(match)]
    assert not after[lost]
    async with Player(server.url, token=players[2].token) as back:
        await back.ask(m.Attach, table=hurt)
        assert back.matches[hurt].epoch == 2, "whoever has seen more is sent the whole match"
        assert isinstance(await back.act(m.Auto, hurt, what="play", on=True), m.Ok)


async def test_a_file_of_commands_that_is_missing_is_named(played: tuple[ServerProcess, Player, str]) -> None:
    server, _, _ = played
    file = tail(server.data)
    file.unlink()
    assert f"run tavla-server repair --data {server.data}" in fails_to_start(server)
    assert repair(server.data).startswith(f"{file.name} is missing: what was in it is lost\n")
    server.restart()
    assert ready_in_time(server.url) == (200, "ready\n")


async def test_an_archive_that_is_damaged_keeps_no_server_from_starting(
    played: tuple[ServerProcess, Player, str],
) -> None:
    server, player, match = played
    file = server.data / "archive.sqlite3"
    file.write_bytes(bytes(range(256)) * 16 + file.read_bytes()[4096:])
    assert await comes_back(server, player, match) == 5
    assert "run tavla-server repair" in server.wait_for_event("archive_damaged")["what"]
    assert ready_in_time(server.url) == (
        200,
        "ready, but the archive is damaged: stop all servers and run tavla-server repair\n",
    )
    server.stop()
    assert repair(server.data) == (
        "nothing to repair: the store has 1 matches with 5 entries\n"
        "the archive was damaged: 0 matches could be read and are in a new one; the next start adds what the store "
        f"still has\nthe archive as it was: {file}.damaged-1\n"
    )
    server.restart()
    assert ready_in_time(server.url) == (200, "ready\n")


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
    assert "the manifest was missing or damaged and is made anew; 0 bytes of " in repair(server.data)
    assert await comes_back(server, player, match) == 5


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
    assert await comes_back(server, player, match) == 5


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
    assert ready_in_time(server.url) == (503, "the disk of the data folder is full\n")
    failed = server.wait_for_event("store_restart_failed")
    assert failed["error"] == f"the disk of {server.data} is full: make room"
    with pytest.raises(StartError, match="and its store is down, because the disk is full: make room"):
        asyncio.run(backup(Options(data=server.data), small_disk.parent / "b.tar"))
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


def test_a_disk_that_is_read_only_is_called_that(new_server: NewServer, small_disk: Path) -> None:
    data = small_disk / "data"
    data.mkdir()
    assert why_not_writable(data) == ""
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    assert why_not_writable(data) == "read-only"
    assert fails_to_start(new_server(data=data)).endswith("Read-only file system")
