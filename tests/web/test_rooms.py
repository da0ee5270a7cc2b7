"""The page's rooms: a core that imports no feature, features that import earlier ones alone, and no circle."""

import re
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path, PurePosixPath

import pytest

from tests.support.browser.node import WEB

SRC = WEB / "src"
# Each feature may import those before it.
FEATURES = ("match", "ledger", "lobby", "account", "people", "review", "puzzles", "learn", "calls", "tournaments")
# A room of the core, and what it does without.
APART = {
    "model": ("net", "board", "look"),
    "evaluator": ("net", "board", "look"),
    "device": ("model", "net", "board", "look"),
    "net": ("board", "look"),
    "board": ("net", "look"),
}
IMPORT = re.compile(r'(import type [^;]*? from|from|import\(?)\s*"(\.[^"]+)"')


@cache
def imports(path: Path) -> list[tuple[PurePosixPath, bool]]:
    """What a file imports, from src/; and whether it imports more than types, and at once."""
    found = IMPORT.findall(path.read_text("utf-8"))
    there = ((path.parent / name).resolve() for _, name in found)
    named = [PurePosixPath(one.relative_to(SRC)) if one.is_relative_to(SRC) else None for one in there]
    hows = [how not in ("import(",) and not how.startswith("import type") for how, _ in found]
    return [(one, how) for one, how in zip(named, hows, strict=True) if one]


def files(*rooms: str) -> Iterator[Path]:
    """The sources in some rooms."""
    for room in rooms:
        yield from (path for path in sorted((SRC / room).rglob("*.ts*")))


def test_every_feature_has_its_place_in_the_order() -> None:
    assert {path.name for path in (SRC / "features").iterdir()} == set(FEATURES)


def test_the_core_imports_no_feature() -> None:
    strays = [(path.name, str(one)) for path in files("core") for one, _ in imports(path) if one.parts[0] != "core"]
    assert strays == []


@pytest.mark.parametrize("feature", FEATURES)
def test_a_feature_imports_earlier_ones_alone(feature: str) -> None:
    earlier = FEATURES[: FEATURES.index(feature) + 1]
    used = {one for path in files(f"features/{feature}") for one, _ in imports(path) if one.parts[0] != "core"}
    assert [str(one) for one in used if one.parts[0] != "features" or one.parts[1] not in earlier] == []


@pytest.mark.parametrize("room", APART)
def test_a_room_of_the_core_does_without_others(room: str) -> None:
    used = {one.parts[1] for path in files(f"core/{room}") for one, _ in imports(path)}
    assert used & set(APART[room]) == set()


def test_no_module_leads_back_to_itself() -> None:
    graph = {
        str(path.relative_to(SRC)): {str(one) for one, is_needed in imports(path) if is_needed} for path in files("")
    }
    list(TopologicalSorter(graph).static_order())  # Raises: CycleError


def test_no_function_is_given_the_whole_screen_of_a_match() -> None:
    """Each names the parts that it needs: what it may change can be read off its first line."""
    match = [path for path in files("features/match") if path.name != "screen.tsx"]
    assert [path.name for path in match if "MatchScreen" in path.read_text("utf-8")] == []
