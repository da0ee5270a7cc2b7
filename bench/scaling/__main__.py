"""Makes the tables that docs/scaling.md sums up: `python -m bench.scaling [PART...]`; all take some ten minutes."""

import sys
from collections.abc import Callable, Iterable

from tavla_server.telemetry.log import configure_log

from bench.scaling import lobby, matches, matchmaking
from bench.scaling.costs import Measured, lines_of
from tests.support.results import recorded

PARTS: dict[str, Callable[[], Iterable[Measured]]] = {
    "tickets": lambda: matchmaking.queue(matchmaking.ROWS),
    "starts": lambda: matchmaking.starts([1_000, 3_000, 10_000]),
    "entries": lambda: matches.appends([100, 1_000, 10_000]),
    "nodes": lambda: matches.nodes_apart([100, 1_000, 5_000]),
    "lobby": lambda: lobby.rows([4_000, 20_000, 100_000]),
    "heartbeats": lambda: lobby.heartbeats([10, 100, 1_000]),
    "ratings": lambda: lobby.ratings([2_000, 20_000, 200_000]),
}

if __name__ == "__main__":
    configure_log("console", "warning")  # nodes run in this process
    for part in sys.argv[1:] or PARTS:
        with recorded(f"scaling_{part}"):
            print("\n".join(lines_of(PARTS[part]())))
