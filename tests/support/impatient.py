"""`python -m tests.support.impatient OPTIONS`: a server to whom a second is long, for tests of what takes minutes."""

from tavla_server.cli import main
from tavla_server.cluster import liveness as outages
from tavla_server.lobby import sweeper

outages.HEARTBEAT_S = 0.1
outages.GAP_MS = outages.DEAD_MS = 1000
sweeper.SWEEP_S = 0.3
sweeper.GONE_S = 1.0
sweeper.SPREAD_S = 0.2

if __name__ == "__main__":
    main()
