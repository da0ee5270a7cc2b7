"""Time limits that would contradict each other are refused; what clients are told of them."""

from pathlib import Path

import pytest
from tavla_server.gateway.admission import TRIAL_S
from tavla_server.timings import DEFAULTS, Timings

CONTRADICTIONS: list[tuple[dict[str, float], str]] = [  # what is set, what it breaks
    ({"heartbeat_s": 2.0}, "no outage"),
    ({"gap_ms": 3000}, "no outage"),
    ({"ping_s": 9.5}, "dead client"),
    ({"claim_least_s": 61}, "people to be there"),
    ({"token_renewal_s": 60.0}, "before it dies"),
    ({"queue_poll_s": 3.0}, "is alive"),
    ({"no_show_s": 25.0}, "whoever sweeps"),
    ({"no_show_swept_s": 60.0}, "whoever sweeps"),
]


@pytest.mark.parametrize(("times", "broken"), CONTRADICTIONS)
def test_limits_that_contradict_each_other_are_refused(times: dict[str, float], broken: str) -> None:
    with pytest.raises(AssertionError, match=broken):
        Timings(**times)  # type: ignore[arg-type] # whichever field it is


def test_the_protocol_page_says_how_long_a_client_has() -> None:
    page = (Path(__file__).parents[2] / "protocol" / "README.md").read_text(encoding="utf-8")
    assert f"a WebSocket ping every {DEFAULTS.ping_s:g} seconds" in page
    assert f"`hello` within {DEFAULTS.hello_s:g} seconds; {TRIAL_S:g} while" in page
    assert f"within {DEFAULTS.hello_s:g} seconds, or {TRIAL_S:g} while" in page
