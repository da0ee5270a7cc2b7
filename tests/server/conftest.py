"""A clock that a test moves, for the servers in its process."""

import pytest
from tavla_server import wiring

from tests.support.servers.handclock import HandClock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> HandClock:
    """The clock of servers inside this process."""
    clock = HandClock()
    monkeypatch.setattr(wiring, "Clock", lambda: clock)
    return clock
