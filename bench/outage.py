"""Everyone comes back after a server was killed: `python -m bench.outage [CLIENTS [SERVERS [MATCHES]]]`.

Players, and onlookers who follow lists of the lobby, at one server with its store on one processor, the clients on the
other; or at several on one store, with the players of a match at two of them. In each match somebody acts each 10 s. In
the middle one server is killed with -9 and started again; its clients come back to any. Nothing that a player was shown
may be missing in the journal.
"""

import contextlib
import json
import sys
import time
from collections.abc import Sequence

from tavla_server.store import keys

from bench.crowd import Crowd, crowd, in_ms
from bench.people import Plan
from bench.processes import LAST, cpu_s, lone_server, resident, servers, store, use_all_descriptors
from tests.support.results import recorded
from tests.support.servers.processes import ServerProcess, redis_at

CLIENTS, SECONDS = 10_000, 10.0  # seconds of play before the kill, and when all are back
INTERVAL_S = 10.0  # between two actions of a match
WARM_UP_S = 10.0
LOOK_S = 0.2  # between two looks whether all are back
FILES = 65_536  # descriptors of a process, if the system lets us
SPARE_FILES = 1_000  # of them, for what is no client
BACK_S = 180.0  # for all to come back


def missing(url: str, shown: dict[str, int]) -> int:
    """The number of entries that were shown and that are not in the journal."""
    with contextlib.closing(redis_at(url)) as redis:
        return sum(max(0, seq - int(redis.xlen(keys.MATCH_LOG(match)))) for match, seq in shown.items())


def before_the_kill(clients: Crowd, processes: dict[str, int]) -> None:
    """Rows on play as it is."""
    cpu = {name: cpu_s(pid) for name, pid in processes.items()}
    report = clients.counted(SECONDS)
    row("actions a second", f"{report.actions / report.seconds:.0f}")
    row("an action until the opponent sees it, p50 / p99", " / ".join(in_ms(report.latencies, 0.5, 0.99)))
    for name, pid in processes.items():
        busy = 100 * (cpu_s(pid) - cpu[name]) / report.seconds
        row(f"{name}: CPU, memory", f"{busy:.0f} %, {resident(pid) >> 20} MiB")
    row("clients: CPU", f"{100 * report.busy:.0f} %")


def kill(clients: Crowd, server: ServerProcess) -> None:
    """Rows on what follows from a kill."""
    clients.count()
    began = time.perf_counter()
    server.kill()
    server.start()
    served_s, cpu = time.perf_counter() - began, cpu_s(server.pid)
    while clients.report().away and time.perf_counter() < began + BACK_S:
        time.sleep(LOOK_S)
    back_s = time.perf_counter() - began
    cpu = cpu_s(server.pid) - cpu
    time.sleep(SECONDS)
    report = clients.report()
    row("killed; serves again, and all are back, after", f"{served_s:.1f} s, {back_s:.1f} s")
    row(f"back after the kill; not back after {BACK_S:.0f} s", f"{len(report.backs):,}; {report.away:,}")
    row("back from the loss on: the half, 99 of 100, all after", ", ".join(in_ms(report.backs, 0.5, 0.99, 1)))
    row("CPU of the server for each of them", f"{1000 * cpu / max(1, len(report.backs)):.2f} ms")
    row("an action from the kill on, p50 / p99", " / ".join(in_ms(report.latencies, 0.5, 0.99)))
    row("tries to come in that failed, by why", json.dumps(report.failures))
    row("actions refused meanwhile", json.dumps(report.errors))


def run(all_: Sequence[ServerProcess], store_url: str, store_pid: int, plan: Plan) -> None:
    """The whole, as rows of a table."""
    began, processor = time.perf_counter(), LAST if len(all_) == 1 else None
    with crowd(plan._replace(urls=[server.url for server in all_]), processor) as clients:
        there_s = time.perf_counter() - began
        row(f"{clients.clients:,} clients, {plan.matches:,} matches: all there after", f"{there_s:.0f} s")
        clients.tell("play")
        time.sleep(WARM_UP_S)
        processes = {f"server {number}": server.pid for number, server in enumerate(all_, 1)}
        before_the_kill(clients, processes | {"the store": store_pid})
        kill(clients, all_[0])
        clients.stop()
        gone, lost = missing(store_url, clients.versions()), clients.report().lost
        row("lost: entries that were shown; matches older than they were", f"{gone}, {lost}")


def row(what: str, figure: str) -> None:
    """A line of the table."""
    print(f"| {what} | {figure} |", flush=True)


def main(clients: int = CLIENTS, count: int = 1, matches: int | None = None) -> None:
    """Measure it at so many servers."""
    print("| | |\n|---|---|")
    room = max(1, count - 1) * (use_all_descriptors(FILES) - SPARE_FILES)  # while one of several is away
    clients = min(clients, room)
    matches = clients // 2 if matches is None else matches
    plan = Plan([], matches=matches, rate=matches / INTERVAL_S, onlookers=clients - 2 * matches)
    if count == 1:
        with lone_server() as server:
            run([server], server.store_url, server.store_pid, plan)
    else:
        with store() as valkey, servers(valkey, count) as all_:
            run(all_, valkey.url, valkey.pid, plan)


if __name__ == "__main__":
    given = [int(one) for one in sys.argv[1:]]
    with recorded("outage" if len(given) < 2 or given[1] == 1 else "outage_many"):
        main(*given)
