"""`python -m bench`: measures rules, server, idle connections and quick matches; bench/results has the figures."""

from bench import engine, idle, quick_match, server
from tests.support.results import recorded


def main() -> None:
    with recorded("engine"):
        engine.main()
    for name, run in (("server", server.run), ("idle", idle.run), ("quick_match", quick_match.run)):
        with recorded(name):
            print("\n".join(run()))


if __name__ == "__main__":
    main()
