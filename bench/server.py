"""An action at a server under load, beside the yardstick: CPU, latency, bytes.

`python -m bench.server [ROUNDS [SECONDS]]`. Each round runs every load on both servers, one after the other, so that
they meet the same machine. The server and its store have one processor, the clients the other.
"""

import statistics
import sys
import time
from typing import NamedTuple

from bench.crowd import Report, crowd
from bench.people import Plan
from bench.processes import LAST, cpu_s, lone_server, yardstick
from tests.support.players.swarm import percentile
from tests.support.results import record, table

ROUNDS = 3
SECONDS = 10


class Load(NamedTuple):
    """A load: matches, actions a second in all (0 = as fast as it goes), and watchers of each match."""

    matches: int
    rate: int = 0
    watchers: int = 0

    def __str__(self) -> str:
        watched = f", {self.watchers} watchers each" if self.watchers else ""
        return f"{self.matches:,} matches{watched}, {f'{self.rate:,}/s' if self.rate else 'flat out'}"


LOADS = [
    Load(100),
    Load(50),
    Load(50, watchers=10),  # what it takes more is what ten receivers more take
    Load(100, 1000),
    Load(1000, 1000),
    Load(5_000, 1000),  # with 10,000 connections
]


class Run(NamedTuple):
    """Figures of a load on a server. cpu_us, store_us: CPU of an action, of the server and of its store."""

    report: Report
    cpu_us: float
    store_us: float


def measure(url: str, pid: int, store_pid: int, load: Load, seconds: float) -> Run:
    """Let scripted clients play, and read the CPU of the server around the time that counts."""
    plan = Plan([url], matches=load.matches, rate=load.rate, watchers=load.watchers)
    pids = [pid, *([store_pid] if store_pid else [])]
    with crowd(plan, LAST) as clients:
        clients.tell("play")
        clients.settle()
        clients.count()
        before = [cpu_s(one) for one in pids]
        time.sleep(seconds)
        cpu, store = [*(cpu_s(one) - was for one, was in zip(pids, before, strict=True)), 0.0][:2]
        report = clients.report()
    assert not report.errors, report.errors
    return Run(report, 1e6 * cpu / report.actions, 1e6 * store / report.actions)


def run(rounds: int = ROUNDS, seconds: int = SECONDS) -> list[str]:
    """The figures as lines of Markdown: medians of all rounds, the quartiles of the CPU beside them."""
    runs: dict[Load, tuple[list[Run], list[Run]]] = {load: ([], []) for load in LOADS}
    for _ in range(rounds):
        for load, (ours, fast) in runs.items():
            with lone_server() as server:
                ours.append(measure(server.url, server.pid, server.store_pid, load, seconds))
            with yardstick() as (url, pid):
                fast.append(measure(url, pid, 0, load, seconds))
            print(f"{load}: {ours[-1].cpu_us:.1f} us, yardstick {fast[-1].cpu_us:.1f} us", file=sys.stderr, flush=True)
    rows = list[list[str]]()
    for load, (ours, fast) in runs.items():
        rows += [_row(load, "tavla", ours, fast), _row(load, "yardstick", fast, fast)]
    head = "load | server | actions/s | CPU per action, quartiles | by the yardstick | store CPU | p50 / p99 / max"
    return table(f"{head} | bytes p50/p99/max | clients busy", rows)


def _row(load: Load, name: str, runs: list[Run], fast: list[Run]) -> list[str]:
    cpus, reports = sorted(one.cpu_us for one in runs), [one.report for one in runs]
    low, high = (cpus[0], cpus[-1]) if len(cpus) < 4 else statistics.quantiles(cpus)[::2]
    middle, store_us = statistics.median(cpus), statistics.median(one.store_us for one in runs)
    times, sizes = ([_medians(reports, what, share) for share in (0.5, 0.99, 1)] for what in ("latencies", "sizes"))
    return [
        str(load),
        name,
        f"{statistics.median(one.actions / one.seconds for one in reports):.0f}",
        f"{middle:.1f} us ({low:.1f}-{high:.1f})",
        f"{middle / statistics.median(one.cpu_us for one in fast):.2f}",
        f"{store_us:.0f} us" if store_us else "",
        " / ".join(f"{1000 * time_s:.2f}" for time_s in times) + " ms",
        " / ".join(f"{size:.0f}" for size in sizes),
        f"{100 * statistics.median(one.busy for one in reports):.0f} %",
    ]


def _medians(reports: list[Report], what: str, share: float) -> float:
    return statistics.median(percentile(getattr(one, what), share) for one in reports)


if __name__ == "__main__":
    record("server", run)
