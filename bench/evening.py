"""A club evening: what players notice while the server judges the matches of an evening, and how soon that is done.

`python -m bench.evening [MATCHES [MINUTES]]` (50 and 45): players take RATE turns a second, as if a match began each
second, and so many matches to 3 points of the computer's level `casual` wait in the archive. Until all are judged, or
so many minutes are over, the judge is stopped for a round and works for WORKING rounds, in turns, so that both meet the
same machine, which all share.
"""

import asyncio
import os
import random
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from unittest.mock import patch

from tavla_bots.house import Casual
from tavla_bots.judging import turn_of
from tavla_engine import actions as a
from tavla_engine.actions import Action
from tavla_engine.match import Match, Phase
from tavla_engine.rules import Rules
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import Database
from tavla_server.features.archive.summary import summary
from tavla_server.options import ARCHIVE

from bench.crowd import Crowd, Report, crowd, in_ms
from bench.people import Plan
from tests.support.games.chance import choose_action
from tests.support.results import recorded, table
from tests.support.servers.lifetimes import started
from tests.support.servers.processes import ServerProcess
from tests.support.servers.valkey import short_folder
from tests.support.stores.finished import journal_of, match_id, player

PLAYED, RATE = 100, 120.0  # matches at a time, and turns a second in all of them: a match has some 120
ROUND_S = 5.0  # of counting
WORKING = 4
RULES = Rules(length=3)  # nobody doubles


async def bring(server: ServerProcess, count: int) -> list[str]:
    """Put finished matches into the archive of a server; their ids."""
    database = Database(f"sqlite:///{server.data / ARCHIVE}")
    rng, bot, brought = random.Random(5), Casual(), list[str]()

    def choice(match: Match, chance: random.Random) -> Action:
        if match.phase is Phase.MOVE:
            return a.Move(match.turn, bot.choose_play(turn_of(match, match.turn)).moves)
        return a.Roll(match.turn) if match.phase is Phase.ROLL else choose_action(match, chance)

    with patch("tests.support.stores.finished.choose_action", choice):
        for number in range(count):
            match, players = match_id(rng), [player(rng, f"{name}{number}", 1500) for name in ("ada", "bob")]
            journal = journal_of(rng, match, players, RULES)
            found = await summary(match, journal)
            assert found is not None, "it is over"
            await Archive(database).put(found, journal)
            brought.append(match)
    await database.close()
    return brought


def row(name: str, reports: Sequence[Report]) -> Sequence[object]:
    """A line of the table."""
    times = [time_s for report in reports for time_s in report.latencies]
    return name, f"{sum(report.seconds for report in reports):.0f} s", len(times), *in_ms(times, 0.5, 0.99)


def judged(server: ServerProcess, matches: Sequence[str], kind: str) -> int:
    """How many of these matches the server has judged: `analysed_roughly` or `analysed`."""
    told = [line for line in server.lines if f'"{kind}"' in line]
    return sum(any(f'"{match}"' in line for line in told) for match in matches)


def programs(pid: int) -> Iterator[int]:
    """The judge's processes below a server's."""
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, children.read_text().split()):
            with suppress(OSError):  # it has ended
                if b"tavla_bots" in Path(f"/proc/{child}/cmdline").read_bytes():
                    yield child
                    yield from programs(child)


def counted(server: ServerProcess, players: Crowd, signal_: signal.Signals) -> Report:
    """A round in which the judge waits, or works."""
    for child in programs(server.pid):
        with suppress(ProcessLookupError):
            os.kill(child, signal_)
    return players.counted(ROUND_S)


def run(count: int, minutes: float) -> list[str]:
    """The figures as lines of Markdown."""
    parts: dict[str, list[Report]] = {"the judge waits": [], "the house judges": [], "Sage judges": []}
    waits, quick, deep = parts.values()
    with short_folder() as folder, started(ServerProcess(folder / "data", "--analysis")) as (server,):
        with crowd(Plan([server.url], matches=PLAYED, rate=RATE)) as players:
            players.tell("play")
            players.settle()
            brought, began = asyncio.run(bring(server, count)), time.monotonic()
            while time.monotonic() - began < 60 * minutes and judged(server, brought, "analysed") < count:
                waits.append(counted(server, players, signal.SIGSTOP))  # first, so that none is left so
                for _ in range(WORKING):
                    is_quick = judged(server, brought, "analysed_roughly") < count
                    (quick if is_quick else deep).append(counted(server, players, signal.SIGCONT))
        done = [judged(server, brought, kind) for kind in ("analysed_roughly", "analysed")]
    lines = table("a turn, while | counted | turns | p50 | p99", [row(*one) for one in parts.items() if one[1]])
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    took = [f"{ROUND_S * len(some):.0f} s" for some in (quick, deep)]
    words = f"The judge's time: {done[0]} of {count} by the house in {took[0]}, {done[1]} by Sage in {took[1]}"
    return [*lines, "", f"{words}; load {load}"]


if __name__ == "__main__":
    given = [*sys.argv[1:], *("50", "45")[len(sys.argv) - 1 :]]
    with recorded("evening"):
        print("\n".join(run(int(given[0]), float(given[1]))))
