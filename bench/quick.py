"""A thousand clients press quick match within a second: how long they wait, also while one of three servers dies.

`python -m bench.quick [CLIENTS]`. Clients, servers and store share the machine.
"""

import asyncio
import random
import sys

from tests.support.players.swarm import check_swarm, percentile, press
from tests.support.results import recorded
from tests.support.servers.processes import ServerProcess, Valkey, short_folder

CLIENTS = 1000
RUNS = [(1, False), (3, False), (3, True)]  # servers, and whether one of them is killed


def run(clients: int = CLIENTS) -> list[str]:
    """The figures as lines of Markdown."""
    lines = [
        f"| {clients} clients press within 1 s | median wait | 99th percentile | longest | cut off: median, longest |",
        "|---|---|---|---|---|",
    ]
    for servers, killed in RUNS:
        what = f"{servers} server{'s' if servers > 1 else ''}{', one killed with -9' if killed else ''}"
        lines.append(f"| {what} | {_one(clients, servers, killed)} |")
    return lines


def _one(clients: int, count: int, killed: bool) -> str:
    with short_folder() as folder:
        valkey = Valkey(folder)
        valkey.start()
        servers = [ServerProcess(folder / str(number), "--redis", valkey.url) for number in range(count)]
        try:
            for server in servers:
                server.start()
            swarm = asyncio.run(press(servers, clients, random.Random(1), servers[-1] if killed else None))
            check_swarm(valkey.url, swarm)
        finally:
            for server in servers:
                server.clean_up()
            valkey.kill()
    waits, cut = swarm.waits_s, swarm.cut_waits_s
    cells = [f"{1000 * wait:.0f} ms" for wait in (percentile(waits, 0.5), percentile(waits, 0.99), waits[-1])]
    cells.append(f"{len(cut)}: {percentile(cut, 0.5):.2f} s, {cut[-1]:.2f} s" if cut else "")
    return " | ".join(cells)


if __name__ == "__main__":
    with recorded("quick"):
        print("\n".join(run(*map(int, sys.argv[1:]))))
