"""Nodes that the tests of requests in the same moment share."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from tavla_server.timings import Timings

from tests.support.players.moments import Nodes
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def two_nodes(valkey: Valkey) -> AsyncIterator[Nodes]:
    """Two nodes of one server, for the whole table."""
    timings = Timings(queue_poll_s=0.05)
    async with inside(valkey.url, timings) as here, inside(valkey.url, timings) as there:
        yield here, there


@pytest.fixture(params=["one node", "two nodes"])
def nodes(two_nodes: Nodes, request: pytest.FixtureRequest) -> Nodes:
    """Where ada is, and where bob is."""
    return two_nodes if request.param == "two nodes" else (two_nodes[0], two_nodes[0])
