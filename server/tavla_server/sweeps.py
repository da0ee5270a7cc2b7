"""Sweeps: what is set right at intervals, whoever has left it so."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import NamedTuple

import structlog

from tavla_server.chores import Chore
from tavla_server.errors import StoreUnavailable

log = structlog.get_logger()


class Sweep(NamedTuple):
    """A sweep: a step that is taken at intervals, by every node: a change that another one has made already changes
    nothing.
    """

    name: str
    every_s: float
    step: Callable[[], Awaitable[None]]  # may raise StoreUnavailable
    forget: Callable[[], None] = lambda: None  # what an outage makes stale


def rounds_of(sweeps: Sequence[Sweep], live: asyncio.Event) -> list[Chore]:
    """A background task for each period, which takes its steps in order. live: set while the feed is."""
    periods = dict.fromkeys(sweep.every_s for sweep in sweeps)
    return [partial(_run, every_s, [one for one in sweeps if one.every_s == every_s], live) for every_s in periods]


async def _run(every_s: float, sweeps: Sequence[Sweep], live: asyncio.Event) -> None:
    while True:
        for sweep in sweeps:
            await take(sweep, live)
        await asyncio.sleep(every_s)


async def take(sweep: Sweep, live: asyncio.Event) -> None:
    """Take a step, if the feed is live: during an outage nobody knows who is there. No fault of it ends the others."""
    if not live.is_set():
        sweep.forget()
        return
    try:
        await sweep.step()
    except StoreUnavailable as error:
        log.warning("sweep_failed", sweep=sweep.name, error=str(error))
    except Exception:
        log.exception("sweep_failed", sweep=sweep.name)
