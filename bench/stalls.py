"""Stalls of the loop during play: `python -m bench.stalls [MATCHES [RATE [SECONDS]]]`.

Scripted clients play at a steady rate; the server's probe tells of each step of its own work above 5 ms, CPU of the
loop's thread: a busy machine is not counted. Neither is what happens while they connect, and when all leave at once.
"""

import sys
from pathlib import Path

from bench.back import Watched
from bench.processes import Measured
from bench.server import load
from tests.support.results import recorded
from tests.support.servers.processes import short_folder

MATCHES, RATE, SECONDS = 1000, 1000, 70  # the first 10 s, and what follows the last summary, do not count


def run(folder: Path, matches: int, rate: int, seconds: int) -> list[str]:
    """The figures as lines of text."""
    server = Watched(folder, "--probe")
    try:
        server.start()
        process = Measured(server.process.url, server.process.pid)
        result = load(process, "tavla", matches, rate, seconds)
        late = server.lines("loop_late", 0)
        # Summaries come every 10 s, so the last ones are of the time in which all played.
        summaries = server.lines("loop_probe", 0)[-(seconds // 10) :]
    finally:
        server.process.clean_up()
    begin, end = summaries[0]["timestamp"], summaries[-1]["timestamp"]
    late = sorted((line for line in late if begin < line["timestamp"] <= end), key=lambda line: -line["own_ms"])
    lines = [
        f"{len(late)} steps of our own above 5 ms in {10 * (len(summaries) - 1)} s; "
        f"{result.figures['p99_ms']:.1f} ms p99"
    ]
    lines += [f"  {line['own_ms']} ms, of it garbage {line['gc_ms']} ms: {line['stack']}" for line in late[:10]]
    for name in ("late_max_ms", "own_max_ms", "gc"):
        lines.append(f"{name}: {[summary[name] for summary in summaries[1:]]}")
    return lines


if __name__ == "__main__":
    given = [*map(int, sys.argv[1:]), *(MATCHES, RATE, SECONDS)[len(sys.argv) - 1 :]]
    with recorded("stalls"), short_folder() as folder:
        print("\n".join(run(folder, *given)))
