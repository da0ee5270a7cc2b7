"""`tavla bot run --keep`: a bot that dies is started again and goes on; one that is stopped stays so."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tavla_cli.bots import supervisor
from tavla_client import Bot, Client, Lists, Pilot

from tests.support.patience import PATIENCE_S
from tests.support.players.clients import clients
from tests.support.servers.processes import ServerProcess, alive, kill, script

pytestmark = pytest.mark.slow  # each starts programs


@contextlib.asynccontextmanager
async def kept(url: str, folder: Path, *bots: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Available bots, in a process that is started again."""
    process = await asyncio.create_subprocess_exec(
        *(*script("tavla"), "bot", "run", *bots, "--available", "--fast", "--keep", "--server", url),
        env={**os.environ, "TAVLA_CONFIG_DIR": str(folder)},
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        async with asyncio.timeout(PATIENCE_S):
            await process.wait()


@contextlib.asynccontextmanager
async def visitor(url: str) -> AsyncIterator[tuple[Client, Lists]]:
    """Somebody who sees which bots are there."""
    async with clients(url, "p") as (person,), person.lobby.lists("people") as lists:
        yield person, lists


def child_of(pid: int) -> int:
    """The process that plays."""
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


async def until_there(lists: Lists, *levels: str) -> dict[str, str]:
    """Wait for available bots of these levels; their names."""
    while True:
        names = {person.level: name for name, person in lists.rows["people"].items() if person.places}
        if names.keys() >= set(levels):
            return names
        await lists.wait_for_change()


async def test_a_bot_that_is_killed_in_a_match_comes_back_and_goes_on(
    own_server: ServerProcess, tmp_path: Path
) -> None:
    async with (
        kept(own_server.url, tmp_path, "beginner", "expert") as process,
        visitor(own_server.url) as (person, lists),
    ):
        names = await until_there(lists, "beginner", "expert")
        assert names == {"beginner": "bot-beginner", "expert": "bot-expert"}
        match = await person.challenges.send(names["beginner"], {"length": 3})
        first = child_of(process.pid)
        kill(first)
        gone = back = False
        async for change in match.changes():
            there = change.online[1 - (match.seat or 0)]
            gone, back = gone or not there, gone and there
            if back:
                break
        assert child_of(process.pid) != first
        result = await Pilot(Bot(), match).play()
        assert (result.opponent, max(result.score) >= 3) == ("bot-beginner", True)
        last = child_of(process.pid)
        process.send_signal(signal.SIGTERM)
        assert await process.wait() != 0
        assert not alive(last)


@pytest.mark.parametrize("times", [1, 2, sys.maxsize])  # the last: until it has ended
async def test_however_often_it_is_stopped_it_ends_with_what_it_keeps(
    own_server: ServerProcess, tmp_path: Path, times: int
) -> None:
    async with kept(own_server.url, tmp_path, "beginner") as process, visitor(own_server.url) as (_, lists):
        await until_there(lists, "beginner")
        child = child_of(process.pid)
        with contextlib.suppress(ProcessLookupError):
            for _ in range(times):
                os.kill(process.pid, signal.SIGTERM)
                await asyncio.sleep(0)
        assert await process.wait() == supervisor.STOPPED
        assert not alive(child)


def test_the_pause_grows_and_begins_anew_after_a_good_while() -> None:
    backoff = supervisor.Backoff()
    lived = [0.1, 0.1, 0.1, supervisor.GOOD_S, 0.1, 0.1]
    assert [backoff.after(seconds) for seconds in lived] == [1, 2, 4, 1, 2, 4]
    assert max(backoff.after(0.1) for _ in range(9)) == supervisor.MAX_PAUSE_S


async def test_ctrl_c_ends_it_with_what_it_keeps(own_server: ServerProcess, tmp_path: Path) -> None:
    async with kept(own_server.url, tmp_path, "beginner") as process, visitor(own_server.url) as (_, lists):
        await until_there(lists, "beginner")
        child = child_of(process.pid)
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 1
        assert not alive(child)


async def test_what_is_done_or_cannot_be_done_is_not_started_again(own_server: ServerProcess, tmp_path: Path) -> None:
    async def run(*arguments: str) -> int:
        process = await asyncio.create_subprocess_exec(
            *(*script("tavla"), "bot", "run", *arguments, "--keep", "--server", own_server.url),
            env={**os.environ, "TAVLA_CONFIG_DIR": str(tmp_path)},
        )
        async with asyncio.timeout(PATIENCE_S):
            return await process.wait()

    short = ("--pool", "length=1,variant=hypergammon", "--matches", "1")
    assert await asyncio.gather(*(run("random", *short) for _ in range(2))) == [supervisor.DONE, supervisor.DONE]
    assert await run("no-such-bot", "--available") == supervisor.WRONG_COMMAND
