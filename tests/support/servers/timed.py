"""`python -m tests.support.servers.timed NAME=TIME,... OPTIONS`: a server, some of whose timings are others."""

import sys
from typing import Any

from tavla_server.process import cli
from tavla_server.timings import Timings


def timed(**timings: int) -> list[str]:
    """The command that starts a server with these timings, for `ServerProcess`."""
    return [sys.executable, "-m", __name__, ",".join(f"{name}={time}" for name, time in timings.items())]


def main() -> None:
    """Serve."""
    timings: dict[str, Any] = {name: int(time) for name, time in (one.split("=") for one in sys.argv.pop(1).split(","))}
    cli.main(obj=Timings(**timings))


if __name__ == "__main__":
    main()
