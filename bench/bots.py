"""Two hundred matches between bots of the kit on one server process: CPU of an action, and how long a bot waits for it.

`python -m bench.bots`. The bots run in a process of their own, ten matches to a connection; they play money games with
random plays, with a pause before each decision, and without one. A wait runs from sending an action to its answer.
"""

import asyncio
import itertools
import json
import secrets
import subprocess
import sys
import time
from typing import Any
from unittest.mock import patch

from tavla_client import Bot, Client, Pilot, Play, Turn
from tavla_client.channel import Channel
from tavla_protocol import messages as m

from bench.processes import Measured, tavla_server
from tests.support.results import recorded

MATCHES = 200
OF_A_CONNECTION = 10
PAUSES_S = (1.0, 0.0)
WARM_UP_S = 5.0
SECONDS = 20.0
RULES: dict[str, bool | int | str] = {"preset": "club", "cube": False, "length": 0}  # without an end


class TimedChannel(Channel):
    """Notes how long actions take. waits: in seconds; one list for all."""

    waits: list[float] = []  # noqa: RUF012 - shared on purpose

    async def request(self, request: Any) -> Any:
        """Ask, and note how long a match's action took."""
        began = time.perf_counter()
        answer = await super().request(request)
        if isinstance(request, m.MatchAction):
            self.waits.append(time.perf_counter() - began)
        return answer


def bot_with_pause(pause_s: float) -> type[Bot]:
    """A bot that plays at random, after so long."""

    class Pausing(Bot):
        async def choose_play(self, turn: Turn) -> Play:
            await asyncio.sleep(pause_s)
            return secrets.choice(turn.plays)

    return Pausing if pause_s else Bot


async def play(url: str, pause_s: float) -> dict[str, float]:
    """Let them play for SECONDS; what was seen. Says when it counts, and when no longer."""
    new_bot, names = bot_with_pause(pause_s), (f"bot-{number}" for number in itertools.count())
    clients: list[Client] = []
    playing: list[asyncio.Task[Any]] = []
    for _ in range(MATCHES // OF_A_CONNECTION):
        with patch("tavla_client.client.Channel", TimedChannel):
            pair = [Client(url, name=next(names), bot=True) for _ in range(2)]
        for client in pair:
            await client.connect()
        clients += pair
        for number in range(OF_A_CONNECTION):
            match = await pair[0].create(f"t{pair[0].me.name}-{number}", RULES)
            seats = match, await pair[1].join(match.id)
            playing += [asyncio.create_task(Pilot(new_bot(), seat).play()) for seat in seats]
            await asyncio.sleep(0.02)  # a player opens so many tables at once, then one a second
    await asyncio.sleep(WARM_UP_S)
    TimedChannel.waits.clear()
    print("counting", flush=True)
    await asyncio.sleep(SECONDS)
    waits = sorted(TimedChannel.waits)
    print("done", flush=True)
    assert not any(task.done() for task in playing), "every match goes on"
    for task in playing:
        task.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
    for client in clients:
        await client.close()
    return {
        "actions": len(waits),
        **{name: 1000 * waits[min(len(waits) - 1, int(len(waits) * part))] for name, part in PARTS.items()},
    }


PARTS = {"p50": 0.5, "p99": 0.99, "worst": 1.0}


def measure(server: Measured, pause_s: float) -> str:
    """A table's row, in Markdown."""
    command = [sys.executable, "-m", "bench.bots", server.url, str(pause_s)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as bots:
        assert bots.stdout is not None, "piped"
        assert bots.stdout.readline() == "counting\n"
        cpu, store = server.cpu_s(), server.store_cpu_s()
        assert bots.stdout.readline() == "done\n"
        cpu, store = server.cpu_s() - cpu, server.store_cpu_s() - store
        seen = json.loads(bots.stdout.readline())
    actions = seen["actions"]
    return (
        f"| {f'{pause_s:g} s' if pause_s else 'none'} | {actions / SECONDS:.0f} | {1e6 * cpu / actions:.0f} us "
        f"| {100 * cpu / SECONDS:.0f} % | {1e6 * store / actions:.0f} us "
        f"| {seen['p50']:.1f} / {seen['p99']:.1f} / {seen['worst']:.1f} ms |"
    )


def run() -> list[str]:
    """The figures as lines of Markdown."""
    lines = [
        f"| {MATCHES} matches between bots, pause | actions/s | CPU | of a core | store CPU | wait p50 / p99 / worst |",
        "|---|---|---|---|---|---|",
    ]
    for pause_s in PAUSES_S:
        with tavla_server() as server:
            lines.append(measure(server, pause_s))
    return lines


if __name__ == "__main__":
    if sys.argv[1:]:
        print(json.dumps(asyncio.run(play(sys.argv[1], float(sys.argv[2])))), flush=True)
    else:
        with recorded("bots"):
            print("\n".join(run()))
