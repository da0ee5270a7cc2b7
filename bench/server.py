"""One server process under load, beside the yardstick: CPU per action, latency, bytes, memory."""

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from tavla_protocol import SUBPROTOCOL, messages
from tavla_protocol.codec import encode
from websockets.typing import Subprotocol

from bench.load import open_socket
from bench.processes import Measured, bare_server, tavla_server

SECONDS = 10.0
LOADS = [(100, 500.0), (1000, 1000.0), (100, 0.0)]  # pairs, actions a second in all; 0 = as fast as it goes
CONNECTIONS = 1000


@dataclass(frozen=True)
class Run:
    """One load on one server. cpu_us, store_us: CPU per action of the server and its store."""

    rate: float
    cpu_us: float
    store_us: float
    figures: dict[str, Any]


def load(server: Measured, pairs: int, rate: float, kind: str) -> Run:
    """Let a process of scripted clients play, and read the server's CPU around the time that it counts."""
    command = [sys.executable, "-m", "bench.load", server.url, str(pairs), str(rate), str(SECONDS), kind]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as clients:
        assert clients.stdout is not None, "piped"
        _expect(clients, "ready")
        _expect(clients, "counting")
        cpu, store = server.cpu_s(), server.store_cpu_s()
        _expect(clients, "done")
        cpu, store = server.cpu_s() - cpu, server.store_cpu_s() - store
        figures = json.loads(clients.stdout.readline())
    actions = figures["actions"]
    return Run(actions / SECONDS, 1e6 * cpu / actions, 1e6 * store / actions, figures)


def _expect(clients: "subprocess.Popen[str]", word: str) -> None:
    assert clients.stdout is not None, "piped"
    line = clients.stdout.readline().strip()
    assert line == word, f"the clients said {line!r} instead of {word!r}"


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0))


async def _memory(server: Measured) -> tuple[float, float]:
    """Resident bytes per idle connection that has said hello, and per match that waits with one player attached."""
    before = server.rss()
    sockets = []
    for number in range(CONNECTIONS):
        socket = await open_socket(server.url, number, [Subprotocol(SUBPROTOCOL)])
        await socket.send(encode(messages.Hello(id=1, name=f"idle{number}")))
        await socket.recv()
        sockets.append(socket)
    connected = server.rss()
    for socket in sockets:
        await socket.send(encode(messages.Create(id=2)))
        await socket.recv()
    with_matches = server.rss()
    await asyncio.gather(*(socket.close() for socket in sockets))
    return (connected - before) / CONNECTIONS, (with_matches - connected) / CONNECTIONS


def run() -> list[str]:
    """The figures as lines of Markdown."""
    lines = [
        "| load | actions/s | CPU | bare CPU | ratio | store CPU | p50 / p99 | bare p50 / p99 | bytes p50/p99/max |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for pairs, rate in LOADS:
        with tavla_server() as server:
            ours = load(server, pairs, rate, "tavla")
        with bare_server() as server:
            bare = load(server, pairs, rate, "bare")
        wanted = f"{rate:.0f}/s" if rate else "no pause"
        mine, theirs = ours.figures, bare.figures
        lines.append(
            f"| {pairs} matches, {wanted} | {ours.rate:.0f} (bare {bare.rate:.0f}) | {ours.cpu_us:.0f} us "
            f"| {bare.cpu_us:.0f} us | {ours.cpu_us / bare.cpu_us:.2f} | {ours.store_us:.0f} us "
            f"| {mine['p50_ms']:.2f} / {mine['p99_ms']:.2f} ms | {theirs['p50_ms']:.2f} / {theirs['p99_ms']:.2f} ms "
            f"| {mine['bytes_p50']} / {mine['bytes_p99']} / {mine['bytes_max']} |"
        )
    with tavla_server() as server:
        connection, match = asyncio.run(_memory(server))
    lines += ["", f"Memory: {connection / 1024:.1f} KiB per idle connection, {match / 1024:.1f} KiB per match."]
    return lines


if __name__ == "__main__":
    print("\n".join(run()))
