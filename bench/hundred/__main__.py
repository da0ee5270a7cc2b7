"""A hundred thousand at once: `python -m bench.hundred [PEOPLE [MATCHES [SECONDS]]]`.

Real connections to four server processes on one store, each append on disk. In each match somebody acts each 10 s; the
players of a match are on two servers. All others look at the lobby. In the middle one server is killed with -9, and
started again; its clients come back to any of the four. Nothing that a player was shown may be missing in the journal.
"""

import asyncio
import contextlib
import json
import math
import resource
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import Sequence
from typing import Any

import uvloop
from redis.asyncio import Redis
from tavla_server.store import keys

from bench.processes import Measured
from bench.scaling.costs import store
from tests.support.results import recorded
from tests.support.servers.processes import ServerProcess, Valkey, short_folder

PEOPLE, MATCHES, SECONDS = 100_000, 10_000, 60.0
SERVERS = 4
INTERVAL_S = 10.0  # between two actions of a match
EACH = 12_000  # people in one process of clients
WARM_UP_S = 10.0
LOOK_S = 0.2  # between two looks whether all are back
FILES = 65_536  # descriptors of a process, if the system lets us
SPARE_FILES = 1_000  # of them, for what is no client
BACK_S = 180.0  # for all to come back


class Clients:
    """The processes of clients."""

    def __init__(self, processes: Sequence[Process]) -> None:
        self.processes = processes

    async def ask(self, what: str) -> list[Any]:
        """An answer of each of them; "" = to what it was started for."""
        for process in self.processes:
            assert process.stdin is not None, "a pipe"
            process.stdin.write(f"{what}\n".encode() if what else b"")
        return await asyncio.gather(*map(_answer, self.processes))

    async def until_back(self) -> None:
        """Wait until all are there, for so long at most."""
        deadline = time.perf_counter() + BACK_S
        while together(await self.ask("report"), "away") and time.perf_counter() < deadline:  # noqa: ASYNC110 - processes
            await asyncio.sleep(LOOK_S)


async def _answer(process: Process) -> Any:
    assert process.stdout is not None, "a pipe"
    line = await process.stdout.readline()
    assert line, "the clients have ended; see above"
    return json.loads(line)


def latencies(reports: Sequence[dict[str, Any]]) -> str:
    """The median and the 99th percentile of all of them."""
    taken = sorted(latency for report in reports for latency in report["latencies_ms"])
    return f"{taken[len(taken) // 2]:.1f} / {taken[len(taken) * 99 // 100]:.1f} ms" if taken else "none"


def together(reports: Sequence[dict[str, Any]], field: str) -> Any:
    """A number of all of them."""
    return sum(report[field] for report in reports)


async def missing(url: str, shown: dict[str, int]) -> int:
    """The number of entries that were shown and that are not in the journal."""
    async with Redis.from_url(url) as redis, redis.pipeline(transaction=False) as pipeline:
        for match in shown:
            pipeline.xlen(keys.MATCH_LOG(match))
        kept: list[int] = await pipeline.execute()
    return sum(max(0, seq - there) for seq, there in zip(shown.values(), kept, strict=True))


def warnings(servers: Sequence[ServerProcess]) -> dict[str, int]:
    """The events of the logs that want to be read, and how often there was each."""
    lines = [json.loads(line) for server in servers for line in server.lines if line.startswith("{")]
    return Counter(line["event"] for line in lines if line["level"] in ("warning", "error"))


async def come(urls: list[str], people: int, matches: int) -> Clients:
    """All of them, connected."""
    parts = math.ceil(people / EACH)
    each, seated, processes = people // parts, matches // parts, list[Process]()
    for part in range(parts):
        sizes = part * each, seated, each - 2 * seated, INTERVAL_S
        command = [sys.executable, "-m", "bench.hundred.people", ",".join(urls), *map(str, sizes)]
        processes.append(await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, limit=1 << 26))
    clients = Clients(processes)
    await clients.ask("")
    return clients


async def run(servers: list[ServerProcess], valkey: Valkey, people: int, matches: int, s: float) -> None:
    """The whole, as a table."""
    began = time.perf_counter()
    clients = await come([server.url for server in servers], people, matches)
    print(f"| {people:,} people, {matches:,} matches: all there after | {time.perf_counter() - began:.0f} s |")
    await clients.ask("play")
    await asyncio.sleep(WARM_UP_S)
    measured = {f"server {number}": Measured("", server.pid) for number, server in enumerate(servers, 1)}
    measured |= {"the store": Measured("", valkey.pid)}
    measured |= {f"clients {number}": Measured("", one.pid) for number, one in enumerate(clients.processes, 1)}
    await clients.ask("count")
    before, began = {name: one.cpu_s() for name, one in measured.items()}, time.perf_counter()
    await asyncio.sleep(s / 2)
    took_s, reports = time.perf_counter() - began, await clients.ask("report")
    print(f"| actions a second | {together(reports, 'actions') / took_s:.0f} |")
    print(f"| an action until the opponent sees it, p50 / p99 | {latencies(reports)} |")
    print(f"| bytes of the lobby a second, to all | {together(reports, 'heard_bytes') / took_s:,.0f} |")
    for name, one in measured.items():
        busy = 100 * (one.cpu_s() - before[name]) / took_s
        print(f"| {name}: CPU, memory | {busy:.0f} %, {one.rss() >> 20} MiB |")
    await clients.ask("count")
    servers[0].kill()
    await asyncio.gather(asyncio.to_thread(servers[0].start), clients.until_back())
    await asyncio.sleep(s / 2)
    reports = await clients.ask("report")
    backs = sorted(back for report in reports for back in report["backs_s"])
    print(f"| back after the kill; not back after {BACK_S:.0f} s | {len(backs):,}; {together(reports, 'away'):,} |")
    if backs:
        print(f"| back: the half, 99 of 100, all after | {_of(backs, 0.5)}, {_of(backs, 0.99)}, {backs[-1]:.1f} s |")
    print(f"| an action from the kill on, p50 / p99 | {latencies(reports)} |")
    print(f"| tries to come in that failed, by why | {json.dumps(_sum([report['failures'] for report in reports]))} |")
    print(f"| actions refused meanwhile | {json.dumps(_sum([report['errors'] for report in reports]))} |")
    print(f"| lines of the servers' logs, from warnings on | {json.dumps(warnings(servers))} |")
    shown = {match: seq for versions in await clients.ask("stop") for match, seq in versions.items()}
    gone = await missing(valkey.url, shown)
    print(f"| lost: entries that were shown; matches older than they were | {gone}, {together(reports, 'lost')} |")
    for process in clients.processes:
        process.kill()
        await process.wait()


def _of(ordered: Sequence[float], part: float) -> str:
    return f"{ordered[int(part * (len(ordered) - 1))]:.1f} s"


def _sum(counts: Sequence[dict[str, int]]) -> dict[str, int]:
    return {name: sum(one.get(name, 0) for one in counts) for name in sorted(set().union(*counts))}


def room() -> int:
    """The number of people for whom there are descriptors, when one server of them is away."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):  # only root may have more than the hard limit
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(hard, FILES), max(hard, FILES)))
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return (SERVERS - 1) * (hard - SPARE_FILES)


def main() -> None:
    people, matches, seconds = PEOPLE, MATCHES, SECONDS
    if len(sys.argv) > 1:
        people = int(sys.argv[1])
        matches = int(sys.argv[2]) if len(sys.argv) > 2 else people // 10
        seconds = float(sys.argv[3]) if len(sys.argv) > 3 else SECONDS
    print("| | |\n|---|---|")
    if people > room():
        print(f"| scaled down from {people:,} people: descriptors of a process | {room():,} |")
        matches, people = matches * room() // people, room()
    with store() as valkey, short_folder() as folder, contextlib.ExitStack() as stack:
        servers = [ServerProcess(folder / str(number), "--redis", valkey.url) for number in range(SERVERS)]
        for server in servers:
            stack.callback(server.clean_up)
            server.start()
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(run(servers, valkey, people, matches, seconds))


if __name__ == "__main__":
    with recorded("hundred"):
        main()
