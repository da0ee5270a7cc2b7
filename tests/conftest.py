"""Servers and stores that tests share, and how tests are marked. Everything is real: processes, sockets, Valkey."""

import contextlib
import functools
import gc
import os
import random
import secrets
import signal
import sys
import time
import zlib
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from argon2 import PasswordHasher
from tavla_client import match as shown
from tavla_server import sweeps
from tavla_server.features.accounts import passwords
from tavla_server.limits import DEFAULT_LIMITS, Limits
from tavla_server.match import replication
from tavla_server.store.client import Client, connection_to
from tavla_server.timings import DEFAULTS, Timings

from tests.support.patience import LATE_S
from tests.support.players.hooks import HookFailures, hook_failures
from tests.support.players.programs import user_environment
from tests.support.players.terminal import NewTerminal, Terminal
from tests.support.servers.lifetimes import left_behind, own_store, started
from tests.support.servers.nursery import CLIENT, NURSERIES, SERVER, Nursery
from tests.support.servers.processes import NewServer, ServerProcess, assert_no_fault, inside, kill
from tests.support.servers.rigged.server import command
from tests.support.servers.valkey import Valkey, folder_in_memory
from tests.support.tries import MANY, tries

LEFT = pytest.StashKey[list[str]]()  # what processes of this run have left behind
POLL_S = 0.1
PARTS = 8  # of all tests, each with its share of those of the page
MARKED = ("e2e", "faults")  # folders whose tests have a mark of the same name
# Fixtures that start a program: a store, a server on one, a browser, a terminal.
STARTING = frozenset(
    {"new_server", "own_server", "own_postgresql", "person", "terminal", "open_terminal", "start"}
    | {"server", "rigged_server", "valkey", "own_valkey"}
)

hypothesis.settings.register_profile("tavla", deadline=None)  # an example takes as long as a busy machine makes it take
hypothesis.settings.register_profile("few", parent=hypothesis.settings.get_profile("tavla"), max_examples=tries(100))
hypothesis.settings.load_profile("tavla" if MANY else "few")


def pytest_configure(config: pytest.Config) -> None:
    """Restore Ctrl-C: a script's background process ignores it, as every program that a test starts would, too."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    config.stash[LEFT] = []
    if sys.platform == "linux":
        NURSERIES[SERVER] = Nursery(SERVER, os.environ)
        NURSERIES[CLIENT] = Nursery(CLIENT, user_environment())


@pytest.hookimpl(trylast=True)  # when all fixtures have ended
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tests leave no store and no server behind. (One whose server has just been killed needs a moment to end.)"""
    until_s = time.monotonic() + LATE_S
    while (left := left_behind()) and time.monotonic() < until_s:
        time.sleep(POLL_S)
    for pid in left:
        kill(pid)
    for nursery in NURSERIES.values():
        nursery.close()
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_behind"] = [*left.values()]
    elif told := [*session.config.stash[LEFT], *left.values()]:
        print(f"\nprocesses were left behind, and are killed: {told}", file=sys.stderr)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Collect from a process of pytest-xdist the programs that its tests have left behind."""
    node.config.stash[LEFT].extend(getattr(node, "workeroutput", {}).get("left_behind", []))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without the garbage collector, a sixth of what that takes; what is imported by then is never garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by their folders, and as slow by what they start."""
    for item in items:
        if STARTING.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("slow")
        folder = item.nodeid.split("/", 2)[1]  # in a tenth of the time that its path takes
        if folder in MARKED:
            item.add_marker(folder)
    items[:] = mixed(items)


def mixed(items: list[pytest.Item]) -> list[pytest.Item]:
    """Files whose tests keep a core busy among those whose tests wait: else no core has work first, and too much last.

    Those of the page stay together by some: a Chromium is theirs, and ends with the last one of them.
    """
    files: dict[str, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.nodeid.partition("::")[0], []).append(item)
    by_chance = sorted(files, key=lambda file: zlib.crc32(file.encode()))
    page = [file for file in by_chance if file.startswith("tests/web/")]
    others = [file for file in by_chance if not file.startswith("tests/web/")]
    order = [file for part in range(PARTS) for kind in (page, others) for file in kind[part::PARTS]]
    return [item for file in order for item in files[file]]


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> random.Random:
    """Chance that can be had again: the seed is shown when a test fails, and TAVLA_TEST_SEED sets it."""
    seed = os.environ.get("TAVLA_TEST_SEED") or secrets.token_hex(4)
    print(f"{request.node.nodeid}: TAVLA_TEST_SEED={seed}")
    return random.Random(seed)


@pytest.fixture(autouse=True)
def house_hooks() -> Iterator[HookFailures]:
    """Failures of the house bot's hooks in this process: no test ends well with one."""
    with hook_failures() as failures:
        yield failures
    assert not failures.lines, "\n".join(failures.lines)


@pytest.fixture(scope="session", autouse=True)
def shortcuts() -> Iterator[None]:
    """Costs that servers in this process need not have: a password is 1 ms instead of 50, redis-py looks up its own
    version once instead of for each client, sweeps begin soon after a start, and each node compares more often."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweeps, "RETURN_S", 0.2)
        patch.setattr(replication, "CHECK_S", 1.0)
        patch.setattr(passwords, "HASHER", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
        patch.setattr(metadata, "version", functools.cache(metadata.version))
        yield


@pytest.fixture(scope="session")
def server() -> Iterator[ServerProcess]:
    """A server on its embedded store, shared by all tests that leave it alive. It never writes a traceback."""
    with folder_in_memory() as folder, started(ServerProcess(folder / "data")) as (server,):
        yield server
        assert server.stop() == 0
    assert_no_fault(server)


@pytest.fixture
def rigged(rigged_server: ServerProcess) -> Iterator[ServerProcess]:
    """The server that cheats; the test in which it fails inside says so, whatever else it has waited for in vain."""
    before = len(rigged_server.lines)
    yield rigged_server
    assert_no_fault(rigged_server, before)


@pytest.fixture(scope="session")
def rigged_server() -> Iterator[ServerProcess]:
    """A server that cheats in matches of those whose names ask for it, see `tests.support.servers.rigged.server`."""
    with folder_in_memory() as folder, started(ServerProcess(folder / "data", command=command())) as (server,):
        yield server
        assert server.stop() == 0
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
def own_server(new_server: NewServer) -> ServerProcess:
    """A started server that the test may kill, stop and restart."""
    server = new_server()
    server.start()
    return server


@pytest.fixture
def landing_s(monkeypatch: pytest.MonkeyPatch) -> float:
    """How long a request of before may act, as the library in this process takes it: in place of 5 s."""
    soon_s = 2.0
    monkeypatch.setattr(shown, "LANDING_S", soon_s)
    monkeypatch.setattr(shown, "STALL_S", 0.5)
    return soon_s


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder that no disk slows down."""
    with folder_in_memory() as folder:
        yield folder


@pytest.fixture(scope="session")
def valkey() -> Iterator[Valkey]:
    """A store beside the servers, shared by all tests that leave it alive."""
    with own_store() as valkey:
        yield valkey


@pytest.fixture
def own_valkey() -> Iterator[Valkey]:
    """A store that the test may kill, freeze and start again."""
    with own_store() as valkey:
        yield valkey


@pytest.fixture
async def redis(valkey: Valkey) -> AsyncIterator[Client]:
    """A connection to the shared store."""
    async with connection_to(valkey.url) as redis:
        yield redis


@pytest.fixture
async def own_redis(own_valkey: Valkey) -> AsyncIterator[Client]:
    """A connection to the test's own store."""
    async with connection_to(own_valkey.url) as redis:
        yield redis


@pytest.fixture
def open_terminal(tmp_path: Path) -> Iterator[NewTerminal]:
    """Opens terminals by what is typed after `tavla`, in the test's folder unless it gives another."""
    with contextlib.ExitStack() as stack:

        def new(*arguments: str, folder: Path = tmp_path, **options: Any) -> Terminal:
            opened = Terminal(folder, *arguments, **options)
            stack.callback(opened.clean_up)
            return opened

        yield new


@pytest.fixture
def terminal_of(open_terminal: NewTerminal, tmp_path: Path) -> NewTerminal:
    """Opens terminals by server, name, and what is typed after `tavla`; each name has a folder of its own."""

    def new(url: str, name: str, *arguments: str, **options: Any) -> Terminal:
        return open_terminal(*arguments, "--server", url, "--as", name, "--ascii", folder=tmp_path / name, **options)

    return new


@pytest.fixture
def rules(rng: random.Random) -> dict[str, bool | int | str]:
    """Rules of this test alone: its seekers meet no others."""
    return {"length": rng.randint(1, 64), "reserve_s": rng.randint(100, 600)}


@pytest.fixture
def timings() -> Timings:
    """Times of servers inside this process; a test that needs others is parametrized with them."""
    return DEFAULTS


@pytest.fixture
def limits() -> Limits:
    """The limits of the servers inside this process."""
    return DEFAULT_LIMITS


@pytest.fixture
async def node(valkey: Valkey, timings: Timings, limits: Limits) -> AsyncIterator[str]:
    """The URL of a server inside this process, on the shared store."""
    async with inside(valkey.url, timings, limits) as url:
        yield url
