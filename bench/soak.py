"""Many matches for long: is the memory of a server and of its store flat?

`python -m bench.soak [MINUTES [MATCHES]]` (30 and 200). Bots of the kit play so many matches to 3 points side by side
on one server with its embedded store: who has finished one begins the next. Every tenth match is watched by somebody
who goes on to another one after a while, and every half minute a tenth of all connections is cut. Archived matches stay
in the store for GRACE_S. A line a minute; then a verdict, over what follows the first third: by how much memory would
grow in an hour, by a line through all samples (least squares).
"""

import asyncio
import contextlib
import itertools
import random
import secrets
import statistics
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from tavla_client import Bot, Client, ClientError, Match, Pilot, Play, Turn
from tavla_server.chores import cancel_all

from bench.processes import lone_server, resident
from tests.support.results import recorded, table
from tests.support.servers.processes import ServerProcess
from tests.support.wire.proxy import Proxy

MINUTES, MATCHES = 30.0, 200
GRACE_S = 60.0  # of the archive; a server's own is 7 days
SETTLE_S = 2 * GRACE_S  # before that no sample counts: what is forgotten after a minute has not been yet
WIRES = 10  # each carries a part of the matches, and is cut as one
CUT_S = 30.0
WATCH_S = 40.0
PAUSE_S = 1.5  # of a bot, before each play
SAMPLE_S = 5.0
FLAT = 0.05  # of what there is: growth within the time that counts, past which it is not flat
RETRY_S = 1.0
RULES: dict[str, bool | int | str] = {"preset": "club", "cube": False, "length": 3}


@dataclass
class Tally:
    """Counts so far. live: matches that are being played now."""

    live: dict[str, Match] = field(default_factory=dict)
    ended: int = 0
    turns: int = 0
    cuts: int = 0
    errors: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Sample:
    """Resident memory, in bytes, at a time."""

    at_s: float
    server: int
    store: int


class Pausing(Bot):
    """A bot that plays at random, after a pause."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally

    async def choose_play(self, turn: Turn) -> Play:
        """Any."""
        await asyncio.sleep(PAUSE_S * random.uniform(0.5, 1.5))
        self._tally.turns += 1
        return random.choice(turn.plays)


async def again_and_again(once: Callable[[], Awaitable[None]], tally: Tally) -> None:
    """Do something until cancelled; what goes wrong is counted, and tried again."""
    while True:
        try:
            await once()
        except (ClientError, OSError) as error:
            tally.errors[f"{type(error).__name__}: {error}"] += 1
            await asyncio.sleep(RETRY_S)


async def play_one(pair: Sequence[Client], tally: Tally) -> None:
    """A match between two, to its end."""
    maker, joiner = random.sample(list(pair), 2)
    seats = [match := await maker.create(f"t{secrets.token_hex(6)}", RULES)]
    seats.append(await joiner.join(match.id))
    tally.live[match.id] = match
    try:
        await asyncio.gather(*(Pilot(Pausing(tally), seat).play() for seat in seats))
        tally.ended += 1
    finally:
        del tally.live[match.id]
        for seat in seats:
            await seat.detach()


async def watch_one(client: Client, tally: Tally) -> None:
    """Watch some match for a while; its end says nothing."""
    if tally.live:
        match = await client.attach(random.choice(list(tally.live)))
        await asyncio.sleep(WATCH_S * random.uniform(0.5, 1.5))
        await match.detach()
    await asyncio.sleep(RETRY_S)


async def cut(wires: Sequence[Proxy], tally: Tally) -> None:
    """Cut all connections of one wire after the other."""
    for wire in itertools.cycle(wires):
        await asyncio.sleep(CUT_S)
        wire.reset()
        tally.cuts += 1


async def look_on(server: ServerProcess, tally: Tally, minutes: float) -> list[Sample]:
    """Print a line each minute; the samples."""
    began, store, samples, shown, turns = time.monotonic(), server.store_pid, list[Sample](), 0, 0
    head = "minute | server | store | live | ended | turns/s | cuts | archive | errors"
    print("\n".join(table(head, [])), flush=True)
    while (at_s := time.monotonic() - began) < 60 * minutes:
        samples.append(Sample(at_s, resident(server.pid), resident(store)))
        if at_s >= 60 * (shown + 1):
            shown, per_s, turns = shown + 1, (tally.turns - turns) / 60, tally.turns
            archive = sum(file.stat().st_size for file in server.data.glob("archive.sqlite3*"))
            sizes = [f"{size / 2**20:.1f} MiB" for size in (samples[-1].server, samples[-1].store, archive)]
            counts = f"{len(tally.live)} | {tally.ended} | {per_s:.0f} | {tally.cuts}"
            errors = tally.errors.total() + len(faults(server))
            print(f"| {shown} | {sizes[0]} | {sizes[1]} | {counts} | {sizes[2]} | {errors} |", flush=True)
        await asyncio.sleep(SAMPLE_S)
    return samples


def faults(server: ServerProcess) -> list[str]:
    """The lines that the server has logged as errors."""
    return [line for line in server.lines if "Traceback" in line or '"level": "error"' in line]


def verdict(samples: Sequence[Sample]) -> list[str]:
    """For server and store: whether memory is flat, from the end of the first third on."""
    since = max(SETTLE_S, samples[-1].at_s / 3)
    counted = [sample for sample in samples if sample.at_s >= since]
    if len(counted) < 12:
        return [f"no verdict: what counts begins after {since:.0f} s, and a minute of that is the least"]
    lines, lasted_s = [], counted[-1].at_s - counted[0].at_s
    for name in ("server", "store"):
        sizes = [getattr(sample, name) for sample in counted]
        growth, _ = statistics.linear_regression([sample.at_s for sample in counted], sizes)
        mean = statistics.mean(sizes)
        flat = growth * lasted_s < FLAT * mean
        lines.append(
            f"{name}: {'flat' if flat else 'NOT FLAT'}: {mean / 2**20:.1f} MiB in the mean of the last "
            f"{lasted_s / 60:.0f} minutes, {growth * 3600 / 2**20:+.1f} MiB an hour"
        )
    return lines


async def soak(server: ServerProcess, minutes: float, matches: int) -> tuple[list[Sample], Tally]:
    """Let them play."""
    tally = Tally()
    async with contextlib.AsyncExitStack() as stack:
        wires = [await stack.enter_async_context(Proxy.to_port(server.port)) for _ in range(WIRES)]
        names = (f"bot-{number}" for number in itertools.count())

        def bot(url: str) -> Client:
            return Client(url, name=next(names), bot=True)

        tasks = [asyncio.create_task(cut(wires, tally))]
        for number in range(matches):
            url = f"ws://127.0.0.1:{wires[number % WIRES].port}"
            pair = [await connected(stack, partial(bot, url)) for _ in range(2)]
            tasks.append(asyncio.create_task(again_and_again(partial(play_one, pair, tally), tally)))
            if number % 10 == 0:
                watcher = await connected(stack, partial(Client, url))
                tasks.append(asyncio.create_task(again_and_again(partial(watch_one, watcher, tally), tally)))
        try:
            samples = await look_on(server, tally, minutes)
        finally:
            await cancel_all(tasks)
    return samples, tally


async def connected(stack: contextlib.AsyncExitStack, new_client: Callable[[], Client]) -> Client:
    """A client that has come; a busy machine may take more than one try."""
    while True:
        try:
            return await stack.enter_async_context(new_client())
        except ClientError:
            await asyncio.sleep(RETRY_S)


def run(minutes: float = MINUTES, matches: int = MATCHES) -> int:
    """Print all of it; the exit code: 1 when memory is not flat, or something went wrong."""
    with lone_server("--archive-grace", f"{GRACE_S / 86_400:.8f}") as server:
        samples, tally = asyncio.run(soak(server, minutes, matches))  # (uvloop complains of wires that are cut)
        wrong = [*(f"{count} times {what}" for what, count in tally.errors.most_common(10)), *faults(server)[:10]]
    lines = verdict(samples)
    print("", *lines, f"{tally.ended} matches ended, {tally.turns} turns", *wrong, sep="\n")
    return int(bool(wrong) or any("NOT FLAT" in line for line in lines))


if __name__ == "__main__":
    given = sys.argv[1:]
    with recorded("soak"):
        code = run(float(given[0]) if given else MINUTES, int(given[1]) if given[1:] else MATCHES)
    sys.exit(code)
