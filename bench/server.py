"""A server process under load, beside the yardsticks: CPU per action, latency, bytes, memory.

`python -m bench.server [ROUNDS [SECONDS]]`. Each round runs every load on every server, one after the other, so that
all of them meet the same machine. The server has one processor, its clients and the store the other.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from bench import memory
from bench.processes import Measured, pin, tavla_server, yardstick
from tests.support.results import recorded

ROUNDS = 3
SECONDS = 10.0
LOADS = [  # matches, actions a second in all (0 = as fast as it goes), watchers of each match
    (100, 0, 0),
    (50, 0, 0),
    (50, 0, 10),  # what it takes more is what ten receivers more take
    (100, 1000, 0),
    (1000, 1000, 0),
    (10_000, 1000, 0),
]
ARRIVALS = 1000  # connections, from which on it is told what one of them takes to come
SERVERS = ("tavla", "fast", "bare", *(["colyseus"] if shutil.which("npm") else []))


@dataclass(frozen=True)
class Run:
    """A load on a server. cpu_us, store_us: CPU per action of the server and its store. per_s: actions.

    arrival_ms: the server's CPU for each connection until it has come, and all that follows from that is done.
    """

    per_s: float
    cpu_us: float
    store_us: float
    arrival_ms: float
    figures: dict[str, Any]


def server_of(kind: str) -> AbstractContextManager[Measured]:
    """A process to be measured."""
    return tavla_server() if kind == "tavla" else yardstick(kind)


def load(server: Measured, kind: str, matches: int, rate: float, seconds: float, watchers: int = 0) -> Run:
    """Let a process of scripted clients play, and read the server's CPU around the time that it counts."""
    args = [server.url, kind, str(matches), str(rate), str(seconds), str(watchers)]
    command = [sys.executable, "-m", "bench.load", *args]
    before = server.cpu_s()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=lambda: pin(-1)) as clients:
        assert clients.stdout is not None, "piped"
        _expect(clients, "ready")
        ready_s = time.monotonic()
        _expect(clients, "counting")
        cpu, store = server.cpu_s(), server.store_cpu_s()
        came, settled_s = cpu - before, time.monotonic() - ready_s
        _expect(clients, "done")
        cpu, store = server.cpu_s() - cpu, server.store_cpu_s() - store
        figures = json.loads(clients.stdout.readline())
    actions, arrival = figures["actions"], came - settled_s * cpu / seconds  # they played meanwhile, as they do later
    arrival_ms = 1e3 * arrival / figures["connections"]
    return Run(actions / seconds, 1e6 * cpu / actions, 1e6 * store / actions, arrival_ms, figures)


def _expect(clients: "subprocess.Popen[str]", word: str) -> None:
    assert clients.stdout is not None, "piped"
    line = clients.stdout.readline().strip()
    assert line == word, f"the clients said {line!r} instead of {word!r}"


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0))


def run(rounds: int = ROUNDS, seconds: float = SECONDS, loads: list[tuple[int, int, int]] = LOADS) -> list[str]:
    """The figures as lines of Markdown: medians of all rounds, the quartiles of the CPU beside them."""
    runs: dict[tuple[tuple[int, int, int], str], list[Run]] = {}
    for _ in range(rounds):
        for what in loads:
            for kind in SERVERS:
                matches, rate, watchers = what
                if (kind == "bare" and watchers) or (kind in ("bare", "colyseus") and matches > 1000):
                    continue  # no spectators there; no two rooms on one connection
                with server_of(kind) as server:
                    result = load(server, kind, matches, rate, seconds, watchers)
                runs.setdefault((what, kind), []).append(result)
                print(
                    f"{what} {kind}: {result.cpu_us:.1f} us, {result.arrival_ms:.2f} ms to come {result.figures}",
                    file=sys.stderr,
                    flush=True,
                )
    lines = [
        "| load | server | actions/s | CPU per action, quartiles | by `fast` | store CPU | to come, each "
        "| p50 / p99 / max "
        "| bytes p50/p99/max | clients busy |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for (what, kind), of in runs.items():
        fast = _median(run.cpu_us for run in runs[what, "fast"])
        cpus = sorted(run.cpu_us for run in of)
        low, high = (cpus[0], cpus[-1]) if len(cpus) < 4 else statistics.quantiles(cpus)[::2]
        figures = {name: _median(run.figures[name] for run in of) for name in of[0].figures}
        store = f"{_median(run.store_us for run in of):.0f} us" if kind == "tavla" else ""
        arrival = f"{_median(run.arrival_ms for run in of):.2f} ms" if figures["connections"] >= ARRIVALS else ""
        lines.append(
            f"| {_described(*what)} | {kind} | {_median(run.per_s for run in of):.0f} "
            f"| {_median(cpus):.1f} us ({low:.1f}-{high:.1f}) | {_median(cpus) / fast:.2f} | {store} "
            f"| {arrival} "
            f"| {figures['p50_ms']:.2f} / {figures['p99_ms']:.2f} / {figures['max_ms']:.0f} ms "
            f"| {figures['bytes_p50']:.0f} / {figures['bytes_p99']:.0f} / {figures['bytes_max']:.0f} "
            f"| {100 * figures['busy']:.0f} % |"
        )
    lines += ["", *memory.run()]
    return lines


def _median(values: Any) -> float:
    return float(statistics.median(values))


def _described(matches: int, rate: float, watchers: int) -> str:
    crowd = f", {watchers} watchers each" if watchers else ""
    return f"{matches:,} matches{crowd}, {f'{rate:,}/s' if rate else 'flat out'}"


if __name__ == "__main__":
    rounds, seconds = [*sys.argv[1:], *map(str, (ROUNDS, SECONDS)[len(sys.argv) - 1 :])]
    with recorded("server"):
        print("\n".join(run(int(rounds), float(seconds))))
