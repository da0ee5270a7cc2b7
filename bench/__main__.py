"""`python -m bench`: measures server, idle connections and quick matches; bench/results has the figures."""

from bench import idle, quick_match, server
from tests.support.results import record

if __name__ == "__main__":
    for name, run in (("server", server.run), ("idle", idle.run), ("quick_match", quick_match.run)):
        record(name, run)
