"""`python -m tests.support.servers.impatient OPTIONS`: a server whose minutes are seconds, for tests."""

from tavla_engine import gameclock
from tavla_server.process import cli
from tavla_server.timings import Timings

TIMINGS = Timings(
    heartbeat_s=0.1,
    gap_ms=900,
    dead_ms=1000,
    sweep_s=0.3,
    maker_gone_s=1.0,
    sweep_spread_s=0.2,
    no_show_s=0.5,
    no_show_swept_s=1.0,
    reveal_s=1.0,
    reveal_away_s=3.0,
    left_ms=1000,
    leftovers_s=0.5,
)


def main() -> None:
    """Serve."""
    gameclock.FIRST_TURN_MS = 0
    cli.main(obj=TIMINGS)


if __name__ == "__main__":
    main()
