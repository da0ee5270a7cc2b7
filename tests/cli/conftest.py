"""Programs of people at one machine or at two, all at the server that tests share."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.support.players.programs import Machine, Program, Start, environment
from tests.support.servers.processes import ServerProcess


@pytest.fixture
async def start(server: ServerProcess, tmp_path: Path) -> AsyncIterator[Start]:
    """Starts programs that keep their tokens in one folder, as on one machine."""
    async with AsyncExitStack() as stack:

        async def start(*arguments: str, url: str = server.url, **env: str) -> Program:
            program = Program(arguments, environment(tmp_path, url, **env))
            stack.push_async_callback(program.clean_up)
            return program

        yield start


@pytest.fixture
def here(server: ServerProcess, tmp_path: Path) -> Machine:
    return Machine(tmp_path / "here", server.url)


@pytest.fixture
def there(server: ServerProcess, tmp_path: Path) -> Machine:
    return Machine(tmp_path / "there", server.url)
