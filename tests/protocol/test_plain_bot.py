"""The example that the protocol's README names: a bot without our libraries, at a real server."""

import asyncio
import sys
from pathlib import Path

from tavla_client import Bot, Client, Pilot

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import unique
from tests.support.servers.processes import ServerProcess

EXAMPLE = Path(__file__).parent.parent.parent / "protocol" / "examples" / "plain_bot.py"


async def start(url: str, table: str) -> asyncio.subprocess.Process:
    """The example as a process of its own."""
    return await asyncio.create_subprocess_exec(
        sys.executable, EXAMPLE, url, unique("bot"), table, stdout=asyncio.subprocess.PIPE
    )


async def test_two_plain_bots_play_a_whole_match(server: ServerProcess) -> None:
    table = unique("t")
    async with asyncio.timeout(PATIENCE_S), Client(server.url, name=unique("w")) as watcher:
        first = await start(server.url, table)
        while table not in {row.name for row in (await watcher.lobby.tables()).values()}:
            assert first.returncode is None
        second = await start(server.url, table)
        outs = [(await process.communicate())[0] for process in (first, second)]
        assert [first.returncode, second.returncode] == [0, 0]
    assert outs[0] == outs[1]
    assert max(map(int, outs[0].split()[1:])) >= 3


async def test_two_who_come_at_the_same_moment_meet(server: ServerProcess) -> None:
    for _ in range(3):
        table = unique("t")
        async with asyncio.timeout(PATIENCE_S):
            both = await asyncio.gather(*(start(server.url, table) for _ in range(2)))
            outs = [(await process.communicate())[0] for process in both]
        assert [process.returncode for process in both] == [0, 0]
        assert outs[0] == outs[1]


async def test_a_plain_bot_whose_name_is_taken_says_so(server: ServerProcess) -> None:
    async with Client(server.url, name=unique("b")) as other:
        process = await asyncio.create_subprocess_exec(
            sys.executable, EXAMPLE, server.url, str(other.me.name), unique("t"), stderr=asyncio.subprocess.PIPE
        )
        async with asyncio.timeout(PATIENCE_S):
            _, errors = await process.communicate()
    assert process.returncode == 1
    assert errors.decode().strip() == f"someone is called {other.me.name}: choose another name"


async def test_a_plain_bot_answers_whatever_the_kit_does(server: ServerProcess) -> None:
    class Doubling(Bot):
        def offer_double(self, turn: object) -> bool:
            return True

        def offer_resign(self, turn: object) -> int:
            return 3

    async with asyncio.timeout(PATIENCE_S), Client(server.url, name=unique("k"), bot=True) as client:
        match = await client.create(unique("t"), {"length": 3, "hints": True})
        process = await start(server.url, match.id)
        result = await Pilot(Doubling(), match).play()
        assert (await process.communicate())[0]
        assert process.returncode == 0
    assert result.ending == "resignation"


def test_it_is_short_and_takes_nothing_from_us() -> None:
    text = EXAMPLE.read_text()
    assert len(text.splitlines()) < 110
    assert "import tavla" not in text
    assert "from tavla" not in text
