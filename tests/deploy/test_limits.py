"""docs/limits.md has every limit as it is."""

import importlib
import re
from dataclasses import fields
from pathlib import Path

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


def setting(module: str, name: str) -> str:
    """A limit of the code, as the table has it."""
    package = "tavla_protocol" if module == "codec" else "tavla_server"
    place = importlib.import_module(f"{package}.{module.replace('/', '.')}")
    found = getattr(place if name.isupper() else DEFAULT_LIMITS, name)
    if isinstance(found, Rate):
        return f"{found.burst:g}, then {found.per_s:g} a second"
    return f"{found.times} in {found.per_s} s" if isinstance(found, Quota) else str(float(found))


def test_a_limit_is_what_the_table_says() -> None:
    said = [(module, name, value if " " in value else str(float(value))) for module, name, value in ROWS]
    assert said == [(module, name, setting(module, name)) for module, name, _ in ROWS]


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
