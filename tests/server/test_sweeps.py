"""Sweeps: steps at intervals."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from structlog.testing import capture_logs
from tavla_server.errors import StoreUnavailable
from tavla_server.sweeps import Sweep, rounds_of

NEVER_S = 3600.0  # no second round


def note(taken: list[str], name: str, error: Exception | None = None) -> Callable[[], Awaitable[None]]:
    """A step that notes that it was taken, and may fail then."""

    async def step() -> None:
        taken.append(name)
        if error is not None:
            raise error

    return step


async def first_round(sweeps: list[Sweep], live: bool = True) -> None:
    """The first step of each sweep, period after period."""
    feed = asyncio.Event()
    if live:
        feed.set()
    for chore in rounds_of(sweeps, feed):
        task = asyncio.ensure_future(chore())
        await asyncio.sleep(0)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def test_those_of_one_period_are_one_task_in_their_order() -> None:
    taken = list[str]()
    sweeps = [Sweep("a", NEVER_S, note(taken, "a")), Sweep("b", 7.0, note(taken, "b"))]
    sweeps += [Sweep("c", NEVER_S, note(taken, "c"))]
    assert len(rounds_of(sweeps, asyncio.Event())) == 2
    await first_round(sweeps)
    assert taken == ["a", "c", "b"]


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
