"""Three servers behind HAProxy are restarted one after the other under live matches: who notices, and for how long.

`python -m bench.rolling [MATCHES [OLDER]]`. Players, servers, HAProxy and store share the machine.
OLDER: the `tavla-server` of an earlier version, which all servers are before their restart.
"""

import asyncio
import random
import sys

from tests.support.players.swarm import percentile
from tests.support.results import recorded
from tests.support.servers.balancers import HAProxy, find_program
from tests.support.servers.processes import ServerProcess, Valkey, short_folder
from tests.support.servers.rolling import restart_under

MATCHES = 300
SERVERS = 3
PAUSE_S = 3.0  # of each player, before acting


def run(matches: int = MATCHES, older: str | None = None) -> list[str]:
    """The figures as lines of Markdown. older: as above."""
    if find_program("haproxy") is None:
        sys.exit("HAProxy is not installed: apt-get install haproxy")
    with short_folder() as folder:
        valkey = Valkey(folder)
        valkey.start()
        options = ("--redis", valkey.url, "--behind-proxy", "--drain", "3")  # as in deploy/compose.yaml
        servers = [ServerProcess(folder / str(number), *options) for number in range(SERVERS)]
        haproxy = HAProxy(folder / "haproxy", [server.port for server in servers])
        try:
            for server in servers:
                new, server.command = server.command, [older] if older else server.command
                server.start()
                server.command = new
            haproxy.start()
            rolled = asyncio.run(restart_under(servers, haproxy.url, valkey.url, matches, PAUSE_S, random.Random(1)))
        finally:
            haproxy.stop()
            for server in servers:
                server.clean_up()
            valkey.kill()
    return [
        f"| rolling restart of {SERVERS} servers, {matches} matches | number | median | 99th percentile | longest |",
        "|---|---|---|---|---|",
        f"| without a connection | {_figures(rolled.gaps_s)} |",
        f"| an action, until its player sees it | {_figures(rolled.acts_s)} |",
        f"| a server, to stop | {_figures(sorted(rolled.stops_s))} |",
        f"| someone was shown as away | {rolled.absences} | | | |",
    ]


def _figures(times_s: list[float]) -> str:
    shares = [percentile(times_s, 0.5), percentile(times_s, 0.99), times_s[-1]]
    return " | ".join([str(len(times_s)), *(f"{1000 * time_s:.0f} ms" for time_s in shares)])


if __name__ == "__main__":
    with recorded("rolling"):
        matches, *older = sys.argv[1:] or [str(MATCHES)]
        print("\n".join(run(int(matches), *older)))
