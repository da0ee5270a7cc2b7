"""Stalls of the loop during play: `python -m bench.stalls [MATCHES [RATE [SECONDS]]]`.

Scripted clients play at a steady rate; the server's probe tells of each step of its own work above 5 ms, CPU of the
loop's thread: a busy machine is not counted. Neither is what happens while they connect, and when all leave at once.
"""

from bench.crowd import in_ms
from bench.processes import lone_server
from bench.server import Load, measure
from tests.support.results import record

MATCHES, RATE, SECONDS = 1000, 1000, 70  # the first 10 s, and what follows the last summary, do not count


def run(matches: int = MATCHES, rate: int = RATE, seconds: int = SECONDS) -> list[str]:
    """The figures as lines of text."""
    with lone_server("--probe", "--log-level", "info") as server:
        report = measure(server.url, server.pid, 0, Load(matches, rate), seconds).report
        # Summaries come every 10 s, so the last ones are of the time in which all played.
        summaries = server.logged("loop_probe")[-(seconds // 10) :]
        late = sorted(server.logged("loop_late"), key=lambda line: -line["own_ms"])
    begin, end = summaries[0]["timestamp"], summaries[-1]["timestamp"]
    late = [line for line in late if begin < line["timestamp"] <= end]
    lasted_s, (p99,) = 10 * (len(summaries) - 1), in_ms(report.latencies, 0.99)
    lines = [f"{len(late)} steps of our own above 5 ms in {lasted_s} s; {p99} p99"]
    lines += [f"  {line['own_ms']} ms, of it garbage {line['gc_ms']} ms: {line['stack']}" for line in late[:10]]
    for name in ("late_max_ms", "own_max_ms", "gc"):
        lines.append(f"{name}: {[summary[name] for summary in summaries[1:]]}")
    return lines


if __name__ == "__main__":
    record("stalls", run)
