"""A thousand people watch one match on three servers while 200 others are played: what the players notice of it.

`python -m bench.spectators [ROUNDS [SPECTATORS/SERVERS...]]`. The spectators follow the match for some seconds, then
nothing, in turns; all the while the same players play. Servers, store, players and spectators share the machine.
"""

import asyncio
import json
import math
import os
import resource
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from typing import Any

import uvloop

from bench.load import CONNECTING_AT_ONCE, SETTLED_PER_S, Match, Pair, Tally, compiled_plays, encode, plain_plays, watch
from tests.support.players.swarm import percentile
from tests.support.results import recorded
from tests.support.servers.processes import ServerProcess, Valkey, short_folder

SERVERS = 3
SPECTATORS = 1000
EACH = 12_000  # spectators in one process: there are so many descriptors
MATCHES = 200
RATE = 100.0  # actions a second in all those matches together: each player takes four seconds
FAMOUS_RATE = 1.0  # in the match that is watched
ROUNDS = 8
SECONDS = 10.0  # of counting, each way, in each round
SETTLE_S = 3.0
NICE = 19  # of the spectators, who have machines of their own: here they would take the processors from the servers


async def play(urls: str) -> None:
    """The players: say which match is the famous one; then, for each line of input, count and print the latencies."""
    famous, others, find_play = Tally(), Tally(), compiled_plays() or plain_plays
    matches = [Match(number, MATCHES / RATE, others, find_play) for number in range(1, MATCHES + 1)]
    matches.append(Match(0, 1 / FAMOUS_RATE, famous, find_play))
    pairs = [Pair([match], match.tally) for match in matches]
    await _at_once(pairs, lambda pair: pair.start(urls))
    for match, pair in zip(matches, pairs, strict=True):
        match.next_at = time.perf_counter() + match.interval_s * match.number / MATCHES
        pair.play()
    print(matches[-1].id, flush=True)
    while await _line():
        for tally in (famous, others):
            tally.counting, tally.latencies = True, []
        await asyncio.sleep(SECONDS)
        print(json.dumps([famous.latencies, others.latencies]), flush=True)


async def follow(urls: str, match: str, first: int, count: int) -> None:
    """Some spectators, from number `first` on: for each line of input, `attach` or `detach`, all do so, and the
    updates since are printed.
    """
    os.nice(NICE)
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    nodes, tally, sockets = urls.split(","), Tally(), []
    tally.counting = True

    async def come(number: int) -> None:
        sockets.append(await watch(nodes[number % len(nodes)], number, "", tally))

    await _at_once(list(range(first, first + count)), come)
    print("ready", flush=True)
    requests = {
        "attach": {"type": "attach", "id": 2, "table": match},
        "detach": {"type": "detach", "id": 3, "match": match},
    }
    attached = False
    while line := await _line():
        if attached or line == "attach":
            for socket in sockets:
                socket.send(encode(requests[line]))
        attached = line == "attach"
        print(tally.received, flush=True)
        tally.received = 0


async def _at_once(who: list[Any], what: Callable[[Any], Awaitable[None]]) -> None:
    gate = asyncio.Semaphore(CONNECTING_AT_ONCE)

    async def one(each: Any) -> None:
        async with gate:
            await what(each)

    await asyncio.gather(*map(one, who))


async def _line() -> str:
    line: str = await asyncio.to_thread(sys.stdin.readline)
    return line.strip()


class Clients:
    """A process of clients that is told what to do."""

    def __init__(self, *role: str) -> None:
        command = [sys.executable, "-m", "bench.spectators", *role]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> "Clients":
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.communicate()

    def tell(self, line: str) -> None:
        """Send a command to the process."""
        assert self.process.stdin is not None, "piped"
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def hear(self) -> str:
        """Read the process's next line."""
        assert self.process.stdout is not None, "piped"
        return self.process.stdout.readline().strip()


class Spectators:
    """All of them, in as many processes as they need."""

    def __init__(self, stack: ExitStack, urls: str, match: str, count: int) -> None:
        parts = math.ceil(count / EACH)
        firsts = [10_000 + part * EACH for part in range(parts)]
        counts = [(count + part) // parts for part in range(parts)]
        roles = (("watch", urls, match, str(first), str(some)) for first, some in zip(firsts, counts, strict=True))
        self._processes = [stack.enter_context(Clients(*role)) for role in roles]
        for process in self._processes:
            assert process.hear() == "ready"

    def tell(self, line: str) -> int:
        """Have all of them do something. Returns how many updates they have had since they were last told."""
        for process in self._processes:
            process.tell(line)
        return sum(int(process.hear()) for process in self._processes)


def watched(rounds: int, count: int, nodes: int) -> tuple[list[str], list[str]]:
    """Rows of the table, and what there is to say beside it."""
    latencies: dict[bool, list[list[list[float]]]] = {False: [], True: []}  # by whether they watch, then by round
    with ExitStack() as stack:
        folder = stack.enter_context(short_folder())
        valkey = Valkey(folder)
        valkey.start()
        stack.callback(valkey.kill)
        servers = [ServerProcess(folder / str(number), "--redis", valkey.url) for number in range(nodes)]
        for server in servers:
            stack.callback(server.clean_up)
            server.start()
        urls = ",".join(server.url for server in servers)
        players = stack.enter_context(Clients("play", urls))
        spectators = Spectators(stack, urls, players.hear(), count)
        updates = 0
        for number in range(2 * rounds):
            attached = number % 2 == 1
            updates += spectators.tell("attach" if attached else "detach")
            time.sleep(SETTLE_S + count / SETTLED_PER_S)
            players.tell("count")
            latencies[attached].append([sorted(part) for part in json.loads(players.hear())])
        updates += spectators.tell("detach")
    crowd = f"{count:,} spectators on {nodes}"
    rows = []
    for attached, how in ((False, "without"), (True, "with")):
        for part, what in ((1, "the others"), (0, "the one")):
            times = sorted(time_s for round_ in latencies[attached] for time_s in round_[part])
            rows.append(f"| {what}, {how} {crowd} | {len(times)} | {_ms(times, 0.5)} | {_ms(times, 0.99)} |")
    ratios = sorted(
        percentile(with_[1], 0.99) / percentile(without[1], 0.99)
        for without, with_ in zip(latencies[False], latencies[True], strict=True)
    )
    shown = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    return rows, [f"{crowd}: 99th percentile of the others, with by without, by rounds: {shown}; updates: {updates:,}"]


def run(rounds: int = ROUNDS, *crowds: tuple[int, int]) -> list[str]:
    """The figures as lines of Markdown. crowds: numbers of spectators and of servers."""
    head = f"{MATCHES} matches, {RATE:.0f} actions/s; one, {FAMOUS_RATE:.0f}/s; spectators on so many servers"
    lines, notes = [f"| {head} | actions | median | 99th percentile |", "|---|---|---|---|"], [""]
    for count, nodes in crowds or ((SPECTATORS, SERVERS),):
        rows, said = watched(rounds, count, nodes)
        lines += rows
        notes += said
    return lines + notes


def _crowd(text: str) -> tuple[int, int]:
    spectators, _, servers = text.partition("/")
    return int(spectators), int(servers or SERVERS)


def _ms(times_s: list[float], share: float) -> str:
    return f"{1000 * percentile(times_s, share):.1f} ms"


if __name__ == "__main__":
    role, args = (sys.argv[1], sys.argv[2:]) if sys.argv[1:2] in (["play"], ["watch"]) else ("", sys.argv[1:])
    if role:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(play(*args) if role == "play" else follow(args[0], args[1], int(args[2]), int(args[3])))
    else:
        with recorded("spectators"):
            print("\n".join(run(int(args[0]) if args else ROUNDS, *map(_crowd, args[1:]))))
