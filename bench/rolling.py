"""Three servers behind HAProxy are restarted one after the other under live matches: who notices, and for how long.

`python -m bench.rolling [MATCHES]`. Players, servers, HAProxy and store share the machine.
"""

import asyncio
import random
import sys

from bench.crowd import in_ms
from bench.processes import servers, store
from tests.support.results import record, table
from tests.support.servers.balancers import HAProxy, find_program
from tests.support.servers.rolling import restart_under
from tests.support.servers.valkey import short_folder

MATCHES, SERVERS = 300, 3
PAUSE_S = 3.0  # of each player, before acting
OPTIONS = ("--behind-proxy", "--drain", "3")  # as in deploy/compose.yaml


def run(matches: int = MATCHES) -> list[str]:
    """The figures as lines of Markdown."""
    if find_program("haproxy") is None:
        sys.exit("HAProxy is not installed: apt-get install haproxy")
    with store() as valkey, servers(valkey, SERVERS, *OPTIONS) as all_, short_folder() as folder:
        haproxy = HAProxy(folder / "haproxy", [server.port for server in all_])
        haproxy.start()
        try:
            rolled = asyncio.run(restart_under(all_, haproxy.url, valkey.url, matches, PAUSE_S, random.Random(1)))
        finally:
            haproxy.stop()
    rows = {
        "without a connection": rolled.gaps_s,
        "an action, until its player sees it": rolled.acts_s,
        "a server, to stop": rolled.stops_s,
    }
    head = f"rolling restart of {SERVERS} servers, {matches} matches | number | median | 99th percentile | longest"
    cells = [[what, len(times), *in_ms(times, 0.5, 0.99, 1)] for what, times in rows.items()]
    return table(head, [*cells, ["someone was shown as away", rolled.absences, "", "", ""]])


if __name__ == "__main__":
    record("rolling", run)
