"""Imports between modules, type-only imports counted. The arrows between rooms are contracts of import-linter."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.support.packages import PACKAGES, parsed, statements
from tests.support.results import ROOT

Graph = dict[str, set[str]]


def modules_of(root: Path, folder: str) -> dict[str, Path]:
    """The modules in a folder below a root, by their dotted names."""
    files = (root / folder).rglob("*.py")
    return {".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): file for file in files}


def imports_of(file: Path, module: ast.Module) -> Iterator[str]:
    """Imports of a module, wherever in it: modules, and names that may be modules."""
    for node in statements(module.body):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None, f"{file} says where it imports from"
            assert not node.level, f"{file} imports by full names"
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def graph_of(modules: dict[str, Path]) -> Graph:
    """Imports among some modules."""
    asts = zip(modules.items(), parsed([*modules.values()]), strict=True)
    return {name: {*imports_of(file, module)} & modules.keys() - {name} for (name, file), module in asts}


@cache
def graph_of_tests() -> Graph:
    """Imports among the tests and the bench."""
    return graph_of(modules_of(ROOT, "tests") | modules_of(ROOT, "bench"))


def in_circles(graph: Graph) -> list[str]:
    """Modules that can reach themselves."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        waiting = set(graph[start])
        while waiting:
            seen |= waiting
            waiting = {further for one in waiting for further in graph[one]} - seen
        return seen

    return sorted(name for name in graph if name in reached(name))


def test_circles_are_found() -> None:
    assert in_circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == ["b", "c"]
    assert in_circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_no_modules_import_each_other_in_a_circle(package: str) -> None:
    graph = graph_of(modules_of(ROOT / PACKAGES[package], package))
    assert any(graph.values())
    assert in_circles({name: others - {package} for name, others in graph.items()}) == []


def test_nobody_imports_from_a_test() -> None:
    graph = graph_of_tests()
    tests = {name for name in graph if name.rpartition(".")[2].startswith(("test_", "conftest"))}
    assert len(tests) > 100
    assert {name: found for name, others in graph.items() if (found := sorted(others & tests))} == {}


def test_the_bench_uses_of_the_tests_what_they_share_alone() -> None:
    used = {other for name, others in graph_of_tests().items() if name.startswith("bench") for other in others}
    assert not [other for other in used if other.startswith("tests") and not other.startswith("tests.support.")]


def test_no_test_uses_the_bench_but_those_of_the_bench() -> None:
    graph = graph_of_tests()
    others = {name: found for name, found in graph.items() if name.startswith("tests") and "tests.bench" not in name}
    assert not [name for name, found in others.items() if any(other.startswith("bench") for other in found)]
