"""What cannot be in a view is noticed before the page shows it. In Node."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import to_builtins
from tavla_protocol.codec import pack
from tavla_protocol.view import View, fields

from tests.support.browser.node import ask_modules
from tests.support.browser.verdicts import MATCHES, match_of, packed

pytestmark = pytest.mark.slow


ABSURD: list[tuple[str, Any]] = [
    ("dice", [7, 9]),
    ("dice", [1]),
    ("dice", "66"),
    ("points", b"\xff" * 52),
    ("points", [1, 2]),
    ("last", [[0, 1, 2, 99, 3]]),
    ("last", [[3, 1, 2]]),
    ("last", 5),
    ("rolls", -1),
    ("rolls", 1.5),
    ("turn", 9),
    ("turn", None),
    ("players", ["ada"]),
    ("players", [{"x": 1}, None]),
    ("cube", 0),
    ("score", [1]),
    ("outcome", [5, 1, 1, "x"]),
    ("outcome", []),
    ("resignation", [2, 1]),
    ("seeds", [1, 2]),
    ("seed", 5),
    ("commitments", None),
    ("unrevealed", [0, 1, 2]),
    ("clock", ["a", 1, 2]),
    ("rules", None),
    ("phase", {}),
    ("name", "x" * 5000),
    ("seeds", ["", None]),
]


def test_what_cannot_be_is_noticed_before_it_is_shown() -> None:
    honest: Iterator[View] = (view for name, seed in MATCHES for view in match_of(name, seed)[0][::7])
    assert set(ask_modules("unreadable", [packed(view) for view in honest])) == {""}
    plain = to_builtins(fields(match_of("portes", 1)[0][5]), builtin_types=(bytes,))
    views = [pack({**plain, field: value}).hex() for field, value in ABSURD]
    assert ask_modules("unreadable", views) == [field for field, _ in ABSURD]
