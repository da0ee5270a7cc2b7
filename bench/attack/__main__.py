"""Effects of attacks on others: `python -m bench.attack` tries all, `python -m bench.attack NAME ...` some.

Each runs in a process of its own against a server of its own on this machine, some seconds with it and some without, in
turns, beside two matches that go on.
"""

import sys
import time
from contextlib import nullcontext
from multiprocessing import get_context
from multiprocessing.connection import Connection

from bench.attack import trials
from bench.crowd import crowd
from bench.people import Plan
from bench.processes import LoneServer, cpu_s, lone_server
from tests.support.players.swarm import percentile
from tests.support.results import recorded, table

SECONDS, ROUNDS = 3.0, 2
LEAD_S = 1.0  # for the first connections of an attack
MATCHES, RATE = 2, 80.0  # actions a second in both
PROCESSES = get_context("spawn")


def row(server: LoneServer, name: str, connections: int, aim_ms: float) -> list[object]:
    """Two matches go on, without and with the attack in turns: 99th percentiles, CPU of each second, the verdict."""
    waits, cpu, times = (list[float](), list[float]()), [0.0, 0.0], 0
    with crowd(Plan([server.url], matches=MATCHES, rate=RATE)) as others:
        others.tell("play")
        for turn in range(2 * ROUNDS):
            attack = started(server, name, connections) if turn % 2 else None
            began = cpu_s(server.pid)
            waits[turn % 2].extend(others.counted(SECONDS).latencies)
            cpu[turn % 2] += (cpu_s(server.pid) - began) / ROUNDS / SECONDS
            if attack is not None:
                times += attack.recv()
    without, during = (1000 * percentile(sorted(some), 0.99) for some in waits)
    verdict = "holds" if during - without <= aim_ms else "FAILS"
    figures = f"{without:.1f}", f"{during:.1f}", f"{aim_ms:.0f}", f"{cpu[0]:.2f}", f"{cpu[1]:.2f}"
    return [name, connections, times, *figures, verdict]


def started(server: LoneServer, name: str, connections: int) -> Connection:
    """An attack that has begun; how often it has acted comes out of this at its end."""
    ours, theirs = PROCESSES.Pipe()
    arguments = name, server.port, connections, SECONDS + LEAD_S, theirs
    PROCESSES.Process(target=trials.run, args=arguments, daemon=True).start()
    ours.recv()
    time.sleep(LEAD_S)
    return ours


def main(*names: str) -> bool:
    """Try attacks, all or some, and print the table; True if one of them was noticed more than it may."""
    rows = []
    for name in names or trials.ATTACKS:
        trial = trials.ATTACKS[name]
        for connections, aim_ms in trial.sizes:
            with lone_server("--behind-proxy", *trial.options) as server:
                rows.append(row(server, name, connections, aim_ms))
            print(*rows[-1], file=sys.stderr, flush=True)
    head = "attack | connections | count | p99 ms | attacked | aim + | CPU/s | attacked"
    print("\n".join(table(f"{head} | verdict", rows)))
    return any(one[-1] == "FAILS" for one in rows)


if __name__ == "__main__":
    with nullcontext() if sys.argv[1:] else recorded("attack"):
        failed = main(*sys.argv[1:])
    sys.exit(failed)
