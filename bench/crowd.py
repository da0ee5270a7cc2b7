"""Many clients, in processes of their own that are told what to do: so the server's CPU is its own."""

import contextlib
import itertools
import json
import math
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from bench.clients import Tally
from bench.people import Plan
from bench.processes import cpu_s, pin
from tests.support.players.swarm import percentile

EACH = 12_000  # clients in one process: there are so many descriptors
SETTLE_S = 2.0  # before it counts; and beside that
IN_TIME_S = 0.5  # for what is on its way when all stop
SETTLED_PER_S = 1000  # a second for so many connections: 10,000 of them are pinged once by then


@dataclass
class Report(Tally):
    """Counts of a crowd in so many seconds. busy: CPU of its processes, by the time."""

    busy: float = 0.0
    seconds: float = 0.0


def in_ms(times_s: Iterable[float], *shares: float) -> list[str]:
    """Percentiles of some times, in words."""
    ordered = sorted(times_s)
    return [f"{1000 * percentile(ordered, share):.1f} ms" for share in shares]


class Crowd:
    """The processes. clients: of all together."""

    def __init__(self, processes: list["subprocess.Popen[str]"], clients: int) -> None:
        self.processes, self.clients = processes, clients
        self._since, self._cpu_s = time.perf_counter(), 0.0

    def tell(self, line: str) -> list[Any]:
        """Have all processes do something; the answer of each."""
        for process in self.processes:
            assert process.stdin is not None, "piped"
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
        return self.answers()

    def answers(self) -> list[Any]:
        """The next line of each process."""
        lines = [process.stdout.readline() for process in self.processes if process.stdout is not None]
        assert all(lines), "clients have ended; see above"
        return [json.loads(line) for line in lines]

    def settle(self) -> None:
        """Wait until what thousands who have come leave to do is over: longer the more there are, for any server."""
        time.sleep(SETTLE_S + self.clients / SETTLED_PER_S)

    def count(self) -> None:
        """Count from now on."""
        self.tell("count")
        self._since, self._cpu_s = time.perf_counter(), self._cpu()

    def report(self) -> Report:
        """The counts of all until now."""
        seconds = time.perf_counter() - self._since
        busy, reports = (self._cpu() - self._cpu_s) / seconds, self.tell("report")
        together = {name: _together([each[name] for each in reports]) for name in reports[0]}
        return Report(**together, busy=busy, seconds=seconds)

    def counted(self, seconds: float) -> Report:
        """The counts of so many seconds."""
        self.count()
        time.sleep(seconds)
        return self.report()

    def stop(self) -> None:
        """Play no more, and take in what is on its way."""
        self.tell("stop")
        time.sleep(IN_TIME_S)

    def versions(self) -> dict[str, int]:
        """The newest version of each match that a player was shown."""
        return {match: seq for each in self.tell("versions") for match, seq in each.items()}

    def _cpu(self) -> float:
        return sum(cpu_s(process.pid) for process in self.processes)


def _together(values: list[Any]) -> Any:
    """Numbers as a sum, lists as one in order, counts by name as a sum."""
    match values[0]:
        case dict():
            return sum(map(Counter, values), Counter[str]())
        case list():
            return sorted(itertools.chain.from_iterable(values))
        case _:
            return sum(values)


@contextlib.contextmanager
def crowd(plan: Plan, processor: int | None = None) -> Iterator[Crowd]:
    """A crowd that has come. plan: of all processes together. processor: which of them the clients have, None = any."""
    clients, parts = plan.matches * (2 + plan.watchers) + plan.onlookers, list["subprocess.Popen[str]"]()
    count = max(1, math.ceil(clients / EACH))
    with contextlib.ExitStack() as stack:
        for at in range(count):
            matches, onlookers = ((whole + at) // count for whole in (plan.matches, plan.onlookers))
            rate = plan.rate * matches / plan.matches if plan.matches else 0.0
            part = plan._replace(first=plan.first + 2 * EACH * at, matches=matches, onlookers=onlookers, rate=rate)
            parts.append(stack.enter_context(_process(part, processor)))
        whole = Crowd(parts, clients)
        whole.answers()
        yield whole


@contextlib.contextmanager
def _process(plan: Plan, processor: int | None) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "bench.people", json.dumps(plan._asdict())]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, preexec_fn=lambda: pin(processor)) as process:
        try:
            yield process
        finally:
            process.kill()
