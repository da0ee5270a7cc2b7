"""`python -m bench`: measures rules, server, quick matches and bots; bench/results has the figures."""

from bench import bots, engine, quick, server
from tests.support.results import recorded


def main() -> None:
    with recorded("engine"):
        engine.main()
    with recorded("server"):
        print("\n".join(server.run()))
    with recorded("quick"):
        print("\n".join(quick.run()))
    with recorded("bots"):
        print("\n".join(bots.run()))


if __name__ == "__main__":
    main()
