"""Effects of attacks on others: `python -m bench.attack` tries all, `python -m bench.attack NAME ...` some.

Each runs in a process of its own against a server of its own on this machine, some seconds with it and some without, in
turns. `python -m bench.attack --run NAME PORT CONNECTIONS SECONDS` is the attack itself.
"""

import asyncio
import subprocess
import sys
from typing import NamedTuple

from bench.attack import attacks
from bench.attack.others import Others, percentile_ms
from bench.processes import Measured, tavla_server
from tests.support.results import recorded

SECONDS, ROUNDS = 3.0, 2
LEAD_S = 1.0  # for the first connections of an attack


class Noticed(NamedTuple):
    """Effects on others. waits: seconds, without and with the attack. cpu: the server's, of each second."""

    times: int
    waits: tuple[list[float], list[float]]
    cpu: tuple[float, float]

    def line(self, name: str, connections: int, aim_ms: float) -> str:
        """A row of the table."""
        before, during = (percentile_ms(waits, 0.99) for waits in self.waits)
        verdict = "holds" if during - before <= aim_ms else "FAILS"
        return (
            f"    {name:20} {connections:5} {self.times:9} {before:9.1f} {during:9.1f} {aim_ms:6.0f}"
            f" {self.cpu[0]:7.2f} {self.cpu[1]:7.2f}  {verdict}"
        )


HEADER = (
    f"    {'attack':20} {'conn.':>5} {'count':>9} {'p99 ms':>9} {'attacked':>9} {'aim +':>6}"
    f" {'CPU/s':>7} {'attacked':>8}"
)


async def attacked(server: Measured, name: str, connections: int) -> Noticed:
    """Two matches go on, without and with the attack in turns."""
    others, count = Others(server.url), 0
    waits: tuple[list[float], list[float]] = ([], [])
    cpu = [0.0, 0.0]
    await others.open()
    for turn in range(2 * ROUNDS):
        attack = await _started(server, name, connections) if turn % 2 else None
        began = server.cpu_s()
        await others.act(SECONDS)
        cpu[turn % 2] += (server.cpu_s() - began) / ROUNDS / SECONDS
        waits[turn % 2].extend(others.waits)
        if attack is not None:
            count += int((await attack.communicate())[0])
    await others.close()
    return Noticed(count, waits, (cpu[0], cpu[1]))


async def _started(server: Measured, name: str, connections: int) -> asyncio.subprocess.Process:
    port = server.url.rpartition(":")[2]
    program = [sys.executable, "-m", "bench.attack", "--run", name, port, str(connections), str(SECONDS + LEAD_S)]
    process = await asyncio.create_subprocess_exec(*program, stdout=subprocess.PIPE)
    assert process.stdout is not None, "a pipe"
    await process.stdout.readline()
    await asyncio.sleep(LEAD_S)
    return process


def main() -> None:
    """Try them, and print a table; or be one of them."""
    if sys.argv[1:2] == ["--run"]:
        name, port, connections_, seconds = sys.argv[2:]
        print(attacks.run(name, int(port), int(connections_), float(seconds)))
        return
    with recorded("attack"):
        failed = tried(sys.argv[1:] or [*attacks.ATTACKS])
    sys.exit(failed)


def tried(names: list[str]) -> bool:
    """Try attacks, and print a line each; True if one of them was noticed more than it may."""
    print(HEADER)
    failed = False
    for name, trial in attacks.ATTACKS.items():
        if name in names:
            for connections, aim_ms in trial.sizes:
                with tavla_server("--behind-proxy", *trial.options) as server:
                    noticed = asyncio.run(attacked(server, name, connections))
                line = noticed.line(name, connections, aim_ms)
                failed = failed or line.endswith("FAILS")
                print(line, flush=True)
    return failed


if __name__ == "__main__":
    main()
