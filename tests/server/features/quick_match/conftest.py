"""Two nodes of the match queue, in a pool of the test's own."""

import pytest
from tavla_server.store.client import Client

from tests.support.players.plain import unique
from tests.support.servers.queue_nodes import Node


@pytest.fixture
async def mine(redis: Client) -> Node:
    return Node(redis, unique("pool"))


@pytest.fixture
def other(mine: Node) -> Node:
    """Another node, with the same pool."""
    return Node(mine.redis, mine.pool)
