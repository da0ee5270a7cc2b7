"""Sizes of the code: functions, files, constructors and classes that are read in one go."""

import ast
from collections.abc import Iterator

from tests.support.packages import PACKAGES, modules_in, statements
from tests.support.results import ROOT

FUNCTION_LINES, FILE_LINES, PARAMETERS, METHODS = 50, 350, 8, 15

CONSTRUCTORS = {"Client": "of the library, by keywords alone: each is explained in its docstring"}

# Classes that are longer, each with what would get worse by a split. This table gets shorter, not longer.
STATE = "one state, which each method leaves whole; its parts are classes of their own already"
PUBLIC = "what a program writes by hand: each action is a method"
CLASSES = {
    "Attendance": STATE,
    "Audience": "on the way of each update: parts would cost each a call",
    "Connection": STATE,
    "DiceCheck": "what was seen of one match, and each way in which it can be wrong",
    "Dispatcher": "a method for each kind of message that comes",
    "FollowedMatch": STATE,
    "Handshake": "asyncio's protocol: states of one connection",
    "Match": PUBLIC,
    "Replication": "what nodes tell each other of one match, in both directions",
    "Session": STATE,
    "Socket": "asyncio's protocol: what comes, what goes and the end depend on each other",
    "Timers": "the timers of one match, each armed by the others",
}


def nodes() -> Iterator[tuple[str, ast.AST]]:
    """All statements of the product, each with the place of its module."""
    for folder in PACKAGES.values():
        for file, module in modules_in(folder):
            yield from ((f"{folder}/{file.as_posix()}", node) for node in statements(module.body))


def classes() -> Iterator[ast.ClassDef]:
    """The product's classes."""
    return (node for _, node in nodes() if isinstance(node, ast.ClassDef))


def test_a_function_is_seen_on_one_screen() -> None:
    lines = {
        f"{where} {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for where, node in nodes()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert len(lines) > 1000
    assert {name: count for name, count in lines.items() if count > FUNCTION_LINES} == {}


def test_a_file_is_one_noun() -> None:
    files = [file for folder in PACKAGES.values() for file in (ROOT / folder).rglob("*.py")]
    lines = {file.relative_to(ROOT).as_posix(): file.read_bytes().count(b"\n") for file in files}
    assert len(lines) > 500
    assert {where: count for where, count in lines.items() if count > FILE_LINES} == {}


def test_a_constructor_is_handed_few_parts() -> None:
    found = {}
    for node in classes():
        for method in node.body:
            if isinstance(method, ast.FunctionDef) and method.name == "__init__":
                handed = method.args
                found[node.name] = len(handed.posonlyargs + handed.args + handed.kwonlyargs) - 1
    assert {name: count for name, count in found.items() if count > PARAMETERS}.keys() == CONSTRUCTORS.keys()


def test_a_class_is_small_or_says_why_not() -> None:
    methods: dict[str, int] = {}
    for node in classes():
        count = sum(isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) for part in node.body)
        methods[node.name] = max(count, methods.get(node.name, 0))
    assert {name for name, count in methods.items() if count > METHODS} == CLASSES.keys() | {"Client"}
