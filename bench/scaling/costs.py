"""Costs of a piece of work: CPU here and of the store, commands, bytes. No clock is read: a machine may be busy."""

import contextlib
import time
from collections.abc import Iterator, Sequence
from typing import Any

from tests.support.servers.processes import Valkey, redis_at, short_folder

COUNTED = {
    "commands": "total_commands_processed",
    "memory": "used_memory",
    "disk": "aof_current_size",
    "sent": "total_net_output_bytes",
}


class Costs:
    """Of all between `start` and `stop`.

    own_s, store_s: CPU seconds of this process and of the store, user and system. commands: that the store has run,
    those in scripts included. memory, disk, sent: bytes that the store holds more, has appended to its file, has sent.
    """

    own_s = store_s = 0.0
    commands = memory = disk = sent = 0

    def __init__(self, *urls: str) -> None:
        """urls: of the store's masters."""
        self._masters = [redis_at(url) for url in urls]

    def start(self) -> None:
        """From now on."""
        self._before = self._now()

    def stop(self) -> "Costs":
        """Until now."""
        after = self._now()
        for name, before in self._before.items():
            setattr(self, name, after[name] - before)
        return self

    def _now(self) -> dict[str, float]:
        infos: list[Any] = [redis.info("everything") for redis in self._masters]
        now = {name: sum(info[key] for info in infos) for name, key in COUNTED.items()}
        now["store_s"] = sum(info["used_cpu_user"] + info["used_cpu_sys"] for info in infos)
        return {**now, "own_s": time.process_time()}

    def close(self) -> None:
        """Ask the store no more."""
        for redis in self._masters:
            redis.close()


@contextlib.contextmanager
def store() -> Iterator[Valkey]:
    """A Valkey of the bench's own, each write on disk before it is answered."""
    with short_folder() as folder:
        valkey = Valkey(folder)
        valkey.start()
        valkey.configure("auto-aof-rewrite-percentage", "0")  # its file only grows, and nothing else takes its CPU
        try:
            yield valkey
        finally:
            valkey.kill()


@contextlib.contextmanager
def counted(*urls: str) -> Iterator[Costs]:
    """The costs of a `with` block; filled in at its end."""
    costs = Costs(*urls)
    costs.start()
    try:
        yield costs
        costs.stop()
    finally:
        costs.close()


def table(head: str, rows: Sequence[Sequence[object]]) -> list[str]:
    """A table in Markdown; head: its columns, with |."""
    line = "|".join("---" for _ in head.split("|"))
    return [f"| {head} |", f"|{line}|", *(f"| {' | '.join(map(str, row))} |" for row in rows), ""]
