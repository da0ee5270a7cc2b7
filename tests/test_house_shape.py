"""Sizes of the code: functions, files, constructors and classes that are read in one go."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PRODUCT = ("engine", "protocol", "server", "clients/python", "clients/cli", "clients/bots", "clients/gym")
FUNCTION_LINES, FILE_LINES, PARAMETERS = 50, 350, 8

CONSTRUCTORS = {"Client": "of the library, by keywords alone: each is explained in its docstring"}


def files() -> Iterator[tuple[str, ast.Module, int]]:
    """The product's modules by their places, parsed; and their lines."""
    for folder in PRODUCT:
        for file in sorted((ROOT / folder).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            yield file.relative_to(ROOT).as_posix(), ast.parse(text), text.count("\n")


def test_a_function_is_seen_on_one_screen() -> None:
    lines = {
        f"{where} {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for where, module, _ in files()
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert len(lines) > 1000
    assert {name: count for name, count in lines.items() if count > FUNCTION_LINES} == {}


def test_a_file_is_one_noun() -> None:
    assert {where: lines for where, _, lines in files() if lines > FILE_LINES} == {}


def test_a_constructor_is_handed_few_parts() -> None:
    found = {}
    for node in (node for _, module, _ in files() for node in ast.walk(module) if isinstance(node, ast.ClassDef)):
        for method in node.body:
            if isinstance(method, ast.FunctionDef) and method.name == "__init__":
                handed = method.args
                found[node.name] = len(handed.posonlyargs + handed.args + handed.kwonlyargs) - 1
    assert {name: count for name, count in found.items() if count > PARAMETERS}.keys() == CONSTRUCTORS.keys()
