"""Each attack does what it says, and the server is there afterwards."""

import time
from dataclasses import replace

import pytest
from tavla_server.limits import DEFAULT_LIMITS

from bench.attack import attacks
from bench.attack.trials import ATTACKS
from tests.support.patience import PATIENCE_S
from tests.support.servers.processes import NewServer, assert_no_fault, page

LISTED = 25  # matches of a long list: to begin as many as a server lists takes longer than all attacks
LONGER_S = (0.1, 5.0, PATIENCE_S)  # tries, until it has acted: a busy machine may need more than one


@pytest.mark.long
def test_every_attack_acts_and_none_is_a_fault(new_server: NewServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attacks, "DEFAULT_LIMITS", replace(DEFAULT_LIMITS, listed=LISTED))
    server = new_server("--behind-proxy", "--max-per-address", "20")
    server.start()
    for name, trial in ATTACKS.items():
        attack = attacks.begun(trial.attack, server.port, 3)
        assert any(attack(time.monotonic() + seconds) for seconds in LONGER_S), name
        assert page(server.url, "/healthz") == (200, "ok\n"), name
    assert_no_fault(server)
