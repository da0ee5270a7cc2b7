"""Costs of a piece of work: CPU here and of the store, commands, bytes. No clock is read: a machine may be busy."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from redis import Redis

from bench.processes import store
from tests.support.results import table
from tests.support.servers.processes import redis_at

Result = TypeVar("Result")

COUNTED = {
    "commands": "total_commands_processed",
    "memory": "used_memory",
    "disk": "aof_current_size",
    "sent": "total_net_output_bytes",
}


@dataclass
class Costs:
    """Costs of a piece of work.

    own_s, store_s: CPU seconds of this process and of the store, user and system. commands: that the store has run,
    those in scripts included. memory, disk, sent: bytes that the store holds more, has appended to its file, has sent.
    """

    own_s: float = 0.0
    store_s: float = 0.0
    commands: int = 0
    memory: int = 0
    disk: int = 0
    sent: int = 0

    def __sub__(self, other: "Costs") -> "Costs":
        return Costs(**{name: value - getattr(other, name) for name, value in vars(self).items()})

    def cells(self, count: float) -> list[str]:
        """A row of the table, for one of so many."""
        cpu = (f"{1e6 * seconds / count:.1f} us" for seconds in (self.store_s, self.own_s))
        sizes = (f"{size / count:,.0f} B" for size in (self.disk, self.memory, self.sent))
        return [*cpu, f"{self.commands / count:.1f}", *sizes]


Measured = tuple[str, Costs, float]  # what, its costs, and of how many


def lines_of(part: Iterable[Measured]) -> list[str]:
    """The costs of each, as lines of Markdown."""
    head = "each | store CPU | our CPU | commands | on disk | in the store | sent by the store"
    return table(head, [(what, *costs.cells(count)) for what, costs, count in part])


def on_a_store(work: Callable[..., Coroutine[Any, Any, Result]], *arguments: Any) -> Result:
    """The result of some work at a store of its own, whose address it gets first."""
    with store() as valkey:
        return asyncio.run(work(valkey.url, *arguments))


@contextlib.contextmanager
def counted(*urls: str) -> Iterator[Costs]:
    """The costs of a `with` block; filled in at its end. urls: of the store's masters."""
    with contextlib.ExitStack() as stack:
        masters = [stack.enter_context(contextlib.closing(redis_at(url))) for url in urls]
        costs, before = Costs(), _spent(masters)
        yield costs
        for name, after in _spent(masters).items():
            setattr(costs, name, after - before[name])


def _spent(masters: Sequence[Redis]) -> dict[str, float]:
    infos: list[Any] = [redis.info("everything") for redis in masters]
    spent = {name: sum(info[key] for info in infos) for name, key in COUNTED.items()}
    spent["store_s"] = sum(info["used_cpu_user"] + info["used_cpu_sys"] for info in infos)
    return {**spent, "own_s": time.process_time()}
