"""Sweeps: what is set right at intervals, whoever has left it so."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import NamedTuple

import structlog

from tavla_server.chores import Chore
from tavla_server.errors import ArchiveUnavailable, StoreUnavailable

RETURN_S = 2.0  # after an outage nodes, and their clients, come back one after the other

log = structlog.get_logger()


class Sweep(NamedTuple):
    """A sweep: a step that is taken at intervals, by every node: a change that another one has made already changes
    nothing.
    """

    name: str
    every_s: float
    step: Callable[[], Awaitable[None]]  # may raise StoreUnavailable, ArchiveUnavailable
    forget: Callable[[], None] = lambda: None  # what an outage makes stale


def chores_of(sweeps: Sequence[Sweep], live: asyncio.Event) -> list[Chore]:
    """A background task for each sweep, so that none waits for another, however long it takes.

    live: set while the feed is.
    """
    return [partial(_run, sweep, live) for sweep in sweeps]


async def _run(sweep: Sweep, live: asyncio.Event) -> None:
    while True:
        if live.is_set():
            await _take(sweep)
            await asyncio.sleep(sweep.every_s)
        else:  # during an outage nobody knows who is there
            sweep.forget()
            await live.wait()
            await asyncio.sleep(min(sweep.every_s, RETURN_S))


async def _take(sweep: Sweep) -> None:
    try:
        await sweep.step()
    except (StoreUnavailable, ArchiveUnavailable) as error:
        log.warning("sweep_failed", sweep=sweep.name, error=str(error))
    except Exception:
        log.exception("sweep_failed", sweep=sweep.name)
