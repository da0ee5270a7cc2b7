"""docs/limits.md has every limit as it is."""

import importlib
import re
from dataclasses import fields
from pathlib import Path

import pytest
from tavla_server.limits import DEFAULT_LIMITS, Limits, Quota
from tavla_server.token_bucket import Rate

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([\w/]+)\.py` `(\w+)` \| ([^|]+) \|", TABLE, re.MULTILINE)
NAMES = re.compile(r"^((?:[A-Z]+_)*(?:LIMIT|PER_S|AT_ONCE))\b(?:, ([A-Z_]+))? = ", re.MULTILINE)
RATES = re.compile(r"^(\w+) = Rate\(", re.MULTILINE)
NO_LIMITS = {
    "AT_ONCE",
    "BAND_PER_S",
    "CALM",
    "HEARTBEATS_AT_ONCE",
    "TOKENS_AT_ONCE",
}  # how fast or how much of our own we do


@pytest.mark.parametrize(("module", "name", "value"), ROWS, ids=[name for _, name, _ in ROWS])
def test_a_limit_is_what_the_table_says(module: str, name: str, value: str) -> None:
    package = "tavla_protocol" if module == "codec" else "tavla_server"
    place = importlib.import_module(f"{package}.{module.replace('/', '.')}")
    setting = getattr(place if name.isupper() else DEFAULT_LIMITS, name)
    if isinstance(setting, Rate):
        assert value == f"{setting.burst:g}, then {setting.per_s:g} a second"
    elif isinstance(setting, Quota):
        assert value == f"{setting.times} in {setting.per_s} s"
    else:
        assert float(value) == setting


def test_every_limit_is_in_the_table() -> None:
    known = {name for _, name, _ in ROWS} | NO_LIMITS
    found = set()
    for file in (ROOT / "server" / "tavla_server").rglob("*.py"):
        for names in NAMES.findall(file.read_text(encoding="utf-8")):
            found |= {name for name in names if name}
        found |= set(RATES.findall(file.read_text(encoding="utf-8")))
    assert found
    found |= {field.name for field in fields(Limits)} - {"rates"}
    assert found <= known, found - known
