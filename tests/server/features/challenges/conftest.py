"""Two players who know each other, on two nodes."""

from collections.abc import AsyncIterator

import pytest
from tavla_server.limits import Limits
from tavla_server.timings import Timings

from tests.support.players.challenges import Two, know_each_other
from tests.support.players.plain import Player
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey


@pytest.fixture
async def two(valkey: Valkey, timings: Timings, limits: Limits) -> AsyncIterator[Two]:
    """Two players, on two nodes."""
    async with (
        inside(valkey.url, timings, limits) as here,
        inside(valkey.url, timings, limits) as there,
        Player(here) as ada,
        Player(there) as bob,
    ):
        await know_each_other(ada, bob)
        yield ada, bob
