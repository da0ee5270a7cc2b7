"""Effects of attacks on others: `python -m bench.attack` tries all, `python -m bench.attack NAME ...` some.

Each runs in a process of its own against a server of its own on this machine, some seconds with it and some without, in
turns, beside two matches that go on. `python -m bench.attack --run NAME PORT CONNECTIONS SECONDS` is the attack itself.
"""

import subprocess
import sys
import time
from contextlib import nullcontext
from typing import NamedTuple

from bench.attack import trials
from bench.crowd import crowd
from bench.people import Plan
from bench.processes import LoneServer, cpu_s, lone_server
from tests.support.players.swarm import percentile
from tests.support.results import recorded

SECONDS, ROUNDS = 3.0, 2
LEAD_S = 1.0  # for the first connections of an attack
MATCHES, RATE = 2, 80.0  # actions a second in both


class Noticed(NamedTuple):
    """Effects on others. waits: seconds, without and with the attack. cpu: the server's, of each second."""

    times: int
    waits: tuple[list[float], list[float]]
    cpu: tuple[float, float]

    def line(self, name: str, connections: int, aim_ms: float) -> str:
        """A row of the table."""
        before, during = (1000 * percentile(sorted(waits), 0.99) for waits in self.waits)
        verdict = "holds" if during - before <= aim_ms else "FAILS"
        return (
            f"    {name:20} {connections:5} {self.times:9} {before:9.1f} {during:9.1f} {aim_ms:6.0f}"
            f" {self.cpu[0]:7.2f} {self.cpu[1]:7.2f}  {verdict}"
        )


HEADER = (
    f"    {'attack':20} {'conn.':>5} {'count':>9} {'p99 ms':>9} {'attacked':>9} {'aim +':>6}"
    f" {'CPU/s':>7} {'attacked':>8}"
)


def attacked(server: LoneServer, name: str, connections: int) -> Noticed:
    """Two matches go on, without and with the attack in turns."""
    waits, cpu, times = (list[float](), list[float]()), [0.0, 0.0], 0
    with crowd(Plan([server.url], matches=MATCHES, rate=RATE)) as others:
        others.tell("play")
        for turn in range(2 * ROUNDS):
            attack = started(server, name, connections) if turn % 2 else None
            began = cpu_s(server.pid)
            waits[turn % 2].extend(others.counted(SECONDS).latencies)
            cpu[turn % 2] += (cpu_s(server.pid) - began) / ROUNDS / SECONDS
            if attack is not None:
                times += int(attack.communicate()[0])
    return Noticed(times, waits, (cpu[0], cpu[1]))


def started(server: LoneServer, name: str, connections: int) -> "subprocess.Popen[str]":
    """An attack that has begun."""
    numbers = str(server.port), str(connections), str(SECONDS + LEAD_S)
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.attack", "--run", name, *numbers], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None, "a pipe"
    process.stdout.readline()
    time.sleep(LEAD_S)
    return process


def main() -> None:
    """Try them, and print a table; or be one of them."""
    if sys.argv[1:2] == ["--run"]:
        name, port, connections, seconds = sys.argv[2:]
        print(trials.run(name, int(port), int(connections), float(seconds)))
        return
    with nullcontext() if sys.argv[1:] else recorded("attack"):
        failed = tried(sys.argv[1:] or [*trials.ATTACKS])
    sys.exit(failed)


def tried(names: list[str]) -> bool:
    """Try attacks, and print a line each; True if one of them was noticed more than it may."""
    print(HEADER)
    failed = False
    for name, trial in trials.ATTACKS.items():
        if name in names:
            for connections, aim_ms in trial.sizes:
                with lone_server("--behind-proxy", *trial.options) as server:
                    line = attacked(server, name, connections).line(name, connections, aim_ms)
                failed = failed or line.endswith("FAILS")
                print(line, flush=True)
    return failed


if __name__ == "__main__":
    main()
