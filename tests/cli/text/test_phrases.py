"""Parts that many sentences share."""

import pytest
from tavla_cli.text import phrases


@pytest.mark.parametrize(
    ("free", "reserve", "text"),
    [(8.0, 120.0, "8 s, then 2:00"), (0.2, 59.9, "1 s, then 1:00"), (0.0, 59.0, "0:59"), (0.0, 0.0, "0:00")],
)
def test_a_running_time_is_told_in_full_seconds(free: float, reserve: float, text: str) -> None:
    assert phrases.time_text(free, reserve) == text
