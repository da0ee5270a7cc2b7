"""The attacks. Each takes a port, the number of its connections and a time to end, and says how often it did what."""

import time
from collections.abc import Callable
from typing import NamedTuple

from bench.attack.raw import BEGUN, GOES_ON, PING, PONG, Raw, frame, name

TURN_S = 0.01
RATE = 600_000  # bytes/s, of all connections together
ONE_MS, MANY_MS = 20.0, 100.0  # that one connection may cost others, and that 100 may
BACK_S = 0.2  # until a connection that was cut is replaced by another

Attack = Callable[[int, int, float], int]


def flood(data: bytes, begin: bytes = b"", greet: bool = False) -> Attack:
    """Send the same again and again at RATE, on connections that come back when they are cut, five times a second."""

    def attack(port: int, count: int, until: float) -> int:
        sent, each = 0, data * max(1, int(RATE * TURN_S / count / len(data)))
        lines: list[Raw] = []
        due = back = time.monotonic()
        while (now := time.monotonic()) < until:
            for at, line in enumerate(lines):
                sent += line.send(each) * len(each) // len(data)
                line.drain()
                if line.closed and now > back:
                    lines[at].close()
                    lines[at], back = _line(port, begin, greet), now + BACK_S
            while len(lines) < count and time.monotonic() < now + TURN_S:
                lines.append(_line(port, begin, greet))
            due = max(due + TURN_S, time.monotonic())
            time.sleep(max(0.0, due - time.monotonic()))
        for line in lines:
            line.close()
        return sent

    return attack


def _line(port: int, begin: bytes, greet: bool) -> Raw:
    line = Raw(port, name() if greet else None)
    line.send(begin)
    return line


class Trial(NamedTuple):
    """How an attack is tried. sizes: with how many connections, and by how many ms others' p99 may then grow."""

    attack: Attack
    sizes: tuple[tuple[int, float], ...] = ((1, ONE_MS), (100, MANY_MS))
    options: tuple[str, ...] = ()


ATTACKS: dict[str, Trial] = {
    "empty pings": Trial(flood(frame(PING))),
    "empty pongs": Trial(flood(frame(PONG))),
    "long pings": Trial(flood(frame(PING, bytes(125)))),
    "pings after hello": Trial(flood(frame(PING), greet=True)),
    "empty pieces": Trial(flood(frame(GOES_ON), begin=frame(BEGUN))),
}


def run(name: str, port: int, connections: int, seconds: float) -> int:
    """Attack for a while; how often."""
    return ATTACKS[name].attack(port, connections, time.monotonic() + seconds)
