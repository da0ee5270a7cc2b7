"""A thousand clients press quick match within a second: how long they wait, also while one of three servers dies.

`python -m bench.quick_match [CLIENTS]`. Clients, servers and store share the machine.
"""

import asyncio
import random

from bench.crowd import in_ms
from bench.processes import servers, store
from tests.support.players.swarm import check_swarm, press
from tests.support.results import record, table

CLIENTS = 1000
RUNS = [(1, False), (3, False), (3, True)]  # servers, and whether one of them is killed


def run(clients: int = CLIENTS) -> list[str]:
    """The figures as lines of Markdown."""
    head = f"{clients} clients press within 1 s | median wait | 99th percentile | longest | cut off: median, longest"
    return table(head, [_row(clients, count, killed) for count, killed in RUNS])


def _row(clients: int, count: int, killed: bool) -> list[str]:
    with store() as valkey, servers(valkey, count) as all_:
        swarm = asyncio.run(press(all_, clients, random.Random(1), all_[-1] if killed else None))
        check_swarm(valkey.url, swarm)
    what = f"{count} server{'s' if count > 1 else ''}{', one killed with -9' if killed else ''}"
    cut = ", ".join(in_ms(swarm.cut_waits_s, 0.5, 1))
    return [what, *in_ms(swarm.waits_s, 0.5, 0.99, 1), f"{len(swarm.cut_waits_s)}: {cut}" if killed else ""]


if __name__ == "__main__":
    record("quick_match", run)
