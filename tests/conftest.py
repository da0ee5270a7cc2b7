"""Servers and stores that tests share, and how tests are marked. Everything is real: processes, sockets, Valkey."""

import os
import random
import secrets
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import hypothesis
import pytest
from tavla_server.store.client import Client, connected
from tavla_server.timings import DEFAULTS, Timings

from tests.support.servers import ServerProcess, Valkey, assert_no_fault, folder_in_memory, inside

MARKED = ("e2e", "faults")  # folders whose tests have a mark of the same name: `make fast` leaves them out

hypothesis.settings.register_profile("tavla", deadline=None)  # an example takes as long as a busy machine makes it take
hypothesis.settings.register_profile("fast", parent=hypothesis.settings.get_profile("tavla"), max_examples=20)
hypothesis.settings.load_profile("tavla")


def pytest_configure() -> None:
    """What a script starts in the background ignores Ctrl-C, and so would every program that a test starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by their folders."""
    for item in items:
        folder = item.path.relative_to(Path(__file__).parent).parts[0]
        if folder in MARKED:
            item.add_marker(folder)


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> random.Random:
    """Chance that can be had again: the seed is shown when a test fails, and TAVLA_TEST_SEED sets it."""
    seed = os.environ.get("TAVLA_TEST_SEED") or secrets.token_hex(4)
    print(f"{request.node.nodeid}: TAVLA_TEST_SEED={seed}")
    return random.Random(seed)


@pytest.fixture(scope="session")
def server() -> Iterator[ServerProcess]:
    """A server on its embedded store, shared by all tests that leave it alive. It never writes a traceback."""
    with folder_in_memory() as folder:
        server = ServerProcess(folder / "data")
        try:
            server.start()
            yield server
            assert server.stop() == 0
        finally:
            server.clean_up()
        assert_no_fault(server)


@pytest.fixture
def new_server() -> Iterator[Callable[..., ServerProcess]]:
    """Makes servers that a test may kill, on one folder unless it gives others. Not started yet."""
    made: list[ServerProcess] = []
    with folder_in_memory() as folder:

        def new(
            *options: str, data: Path | None = None, env: dict[str, str] | None = None, command: list[str] | None = None
        ) -> ServerProcess:
            made.append(ServerProcess(data or folder / "data", *options, env=env, command=command))
            return made[-1]

        yield new
        for server in made:
            server.clean_up()


@pytest.fixture
def own_server(new_server: Callable[..., ServerProcess]) -> ServerProcess:
    """A started server that the test may kill, stop and restart."""
    server = new_server()
    server.start()
    return server


@pytest.fixture(scope="session")
def valkey() -> Iterator[Valkey]:
    """A store beside the servers, shared by all tests that leave it alive."""
    with folder_in_memory() as folder:
        valkey = Valkey(folder)
        valkey.start()
        yield valkey
        valkey.kill()


@pytest.fixture
def own_valkey() -> Iterator[Valkey]:
    """A store that the test may kill, freeze and start again."""
    with folder_in_memory() as folder:
        valkey = Valkey(folder)
        valkey.start()
        yield valkey
        valkey.kill()


@pytest.fixture
async def redis(valkey: Valkey) -> AsyncIterator[Client]:
    """A connection to the shared store."""
    async with connected(valkey.url) as redis:
        yield redis


@pytest.fixture
def rules(rng: random.Random) -> dict[str, bool | int | str]:
    """Rules that nobody wants in any other test: who seeks them meets nobody else."""
    return {"length": rng.randint(1, 64), "reserve_s": rng.randint(100, 600)}


@pytest.fixture
def timings() -> Timings:
    """Those of servers inside this process; a test that needs others is parametrized with them."""
    return DEFAULTS


@pytest.fixture
async def node(valkey: Valkey, timings: Timings) -> AsyncIterator[str]:
    """The URL of a server inside this process, on the shared store: its constants can be monkeypatched."""
    async with inside(valkey.url, timings) as url:
        yield url
