"""Sweeps: steps at intervals."""

import ast
import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path

import tavla_server
from structlog.testing import capture_logs
from tavla_server import sweeps
from tavla_server.chores import cancel_all
from tavla_server.errors import StoreUnavailable
from tavla_server.sweeps import Sweep, chores_of

from tests.support.servers.handloop import HandLoop

NEVER_S = 3600.0  # no second round


def note(taken: list[str], name: str, error: Exception | None = None) -> Callable[[], Awaitable[None]]:
    """A step that notes that it was taken, and may fail then."""

    async def step() -> None:
        taken.append(name)
        if error is not None:
            raise error

    return step


async def first_round(sweeps: list[Sweep], live: bool = True) -> None:
    """The first step of each sweep."""
    feed = asyncio.Event()
    if live:
        feed.set()
    for chore in chores_of(sweeps, feed):
        task = asyncio.ensure_future(chore())
        await asyncio.sleep(0)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def test_none_waits_for_one_that_takes_long() -> None:
    taken, live = list[str](), asyncio.Event()
    live.set()

    async def slow() -> None:
        taken.append("slow")
        await asyncio.sleep(10)

    async def rounds() -> None:
        chores = chores_of([Sweep("slow", 1.0, slow), Sweep("quick", 1.0, note(taken, "quick"))], live)
        tasks = [asyncio.ensure_future(chore()) for chore in chores]
        await asyncio.sleep(2.5)
        await cancel_all(tasks)

    with asyncio.Runner(loop_factory=HandLoop) as runner:
        runner.run(rounds())
    assert taken == ["slow", "quick", "quick", "quick"]


async def test_one_that_fails_holds_up_no_other() -> None:
    taken = list[str]()
    sweeps = [
        Sweep("away", NEVER_S, note(taken, "away", StoreUnavailable("no answer"))),
        Sweep("broken", NEVER_S, note(taken, "broken", ZeroDivisionError())),
        Sweep("good", NEVER_S, note(taken, "good")),
    ]
    with capture_logs() as logs:
        await first_round(sweeps)
    assert taken == ["away", "broken", "good"]
    assert [(line["event"], line["sweep"], line["log_level"]) for line in logs] == [
        ("sweep_failed", "away", "warning"),
        ("sweep_failed", "broken", "error"),
    ]


async def test_nothing_is_set_right_during_an_outage_and_what_is_stale_is_forgotten() -> None:
    taken = list[str]()
    sweeps = [Sweep("a", NEVER_S, note(taken, "a"), lambda: taken.append("forgotten"))]
    sweeps += [Sweep("b", NEVER_S, note(taken, "b"))]
    await first_round(sweeps, live=False)
    assert taken == ["forgotten"]


def test_after_an_outage_sweeps_go_on_when_nodes_have_had_a_moment_to_come_back() -> None:
    taken, live = list[tuple[str, float]](), asyncio.Event()

    async def rounds() -> None:
        clock = asyncio.get_running_loop().time

        async def step() -> None:
            taken.append(("step", clock()))

        sweep = Sweep("rare", NEVER_S, step, lambda: taken.append(("forgotten", clock())))
        (chore,) = chores_of([sweep], live)
        task = asyncio.ensure_future(chore())
        await asyncio.sleep(10)
        live.set()
        await asyncio.sleep(10)
        await cancel_all([task])

    with asyncio.Runner(loop_factory=HandLoop) as runner:
        runner.run(rounds())
    assert taken == [("forgotten", 0), ("step", 10 + sweeps.RETURN_S)]


def test_each_loop_that_is_no_sweep_says_why() -> None:
    folder = Path(tavla_server.__file__).parent
    functions = [
        node
        for file in folder.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.AsyncFunctionDef)
    ]
    told = [ast.get_docstring(node) or "" for node in functions]
    loops = [text for text in told if "until it is cancelled" in text]
    assert len(loops) <= 12, "nine of each server, one of its lanes, one of its own store, one beside it"
    assert [text for text in loops if "\n\nNo `Sweep`: " not in text] == []
