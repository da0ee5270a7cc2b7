"""Spectators of a famous match on several servers while 200 others are played: their cost, and what players notice.

`python -m bench.spectators [ROUNDS [SPECTATORS/SERVERS...]]`. The spectators follow the match for some seconds, then
nothing, in turns; all the while the same players play. Servers, store, players and spectators share the machine.
"""

import sys
import time
from contextlib import ExitStack

from bench.crowd import SETTLED_PER_S, Crowd, crowd, in_ms
from bench.people import Plan
from bench.processes import cpu_s, servers, store
from tests.support.results import recorded, table

SERVERS, SPECTATORS = 3, 1000
MATCHES = 200
RATE = 100.0  # actions a second in all those matches together: each player takes four seconds
FAMOUS_RATE = 1.0  # in the match that is watched
ROUNDS = 8
SECONDS = 10.0  # of counting, each way, in each round
SETTLE_S = 3.0
NICE = 19  # of the spectators, who have machines of their own: here they would take the processors from the servers


class Turn:
    """Some seconds with or without spectators: latencies of the match and of the others, CPU of the servers."""

    def __init__(self, crowds: tuple[Crowd, Crowd, Crowd], pids: list[int]) -> None:
        for each in crowds:
            each.count()
        before = sum(map(cpu_s, pids))
        time.sleep(SECONDS)
        self.cpu_s = sum(map(cpu_s, pids)) - before
        self.famous, self.others, self.spectators = (each.report() for each in crowds)


def turns(rounds: int, count: int, nodes: int) -> dict[bool, list[Turn]]:
    """The turns of all rounds, by whether the spectators follow the match."""
    found: dict[bool, list[Turn]] = {False: [], True: []}
    with store() as valkey, servers(valkey, nodes) as all_, ExitStack() as stack:
        urls, pids = [server.url for server in all_], [server.pid for server in all_]
        famous = stack.enter_context(crowd(Plan(urls, matches=1, rate=FAMOUS_RATE)))
        others = stack.enter_context(crowd(Plan(urls, first=100, matches=MATCHES, rate=RATE)))
        (match,) = famous.versions()
        looking = Plan(urls, first=10_000, onlookers=count, match=match, nice=NICE)
        spectators = stack.enter_context(crowd(looking))
        for players in (famous, others):
            players.tell("play")
        for number in range(2 * rounds):
            if number:
                spectators.tell("attach" if number % 2 else "detach")
            time.sleep(SETTLE_S + count / SETTLED_PER_S)
            found[number % 2 == 1].append(Turn((famous, others, spectators), pids))
    return found


def rows(found: dict[bool, list[Turn]], crowded: str) -> list[list[str]]:
    """Latencies of the others and of the one, without and with spectators."""
    lines = []
    for attached, how in ((False, "without"), (True, "with")):
        for name in ("others", "famous"):
            times = [time_s for turn in found[attached] for time_s in getattr(turn, name).latencies]
            lines.append([f"{name}, {how} {crowded}", f"{len(times)}", *in_ms(times, 0.5, 0.99)])
    return lines


def summary(found: dict[bool, list[Turn]], crowded: str) -> str:
    """The costs of an update to a spectator."""
    updates = sum(turn.spectators.received for turn in found[True])
    more_s = sum(turn.cpu_s for turn in found[True]) - sum(turn.cpu_s for turn in found[False])
    return f"{crowded}: {updates:,} updates, each {1e6 * more_s / updates:.1f} us of the servers' CPU"


def run(rounds: int = ROUNDS, *crowds: tuple[int, int]) -> list[str]:
    """The figures as lines of Markdown. crowds: numbers of spectators and of servers."""
    lines, notes = list[list[str]](), [""]
    for count, nodes in crowds or ((SPECTATORS, SERVERS),):
        found, crowded = turns(rounds, count, nodes), f"{count:,} spectators on {nodes}"
        lines += rows(found, crowded)
        notes.append(summary(found, crowded))
    head = f"{MATCHES} matches, {RATE:.0f} actions/s; the famous one, {FAMOUS_RATE:.0f}/s; spectators on servers"
    return table(f"{head} | actions | median | 99th percentile", lines) + notes


if __name__ == "__main__":
    rounds, *crowds = sys.argv[1:] or [str(ROUNDS)]
    sizes = [text.partition("/")[::2] for text in crowds]
    with recorded("spectators"):
        print("\n".join(run(int(rounds), *((int(count), int(nodes or SERVERS)) for count, nodes in sizes))))
