"""The API that the site shows: each public name has its docstring, and says what it raises."""

import ast
from collections.abc import Iterator

from tests.support.packages import sources

SHOWN = ("tavla_engine", "tavla_protocol", "tavla_client", "tavla_gym")
Function = ast.FunctionDef | ast.AsyncFunctionDef


def public(body: list[ast.stmt], within: str, said: str) -> Iterator[tuple[str, ast.ClassDef | Function, str]]:
    """The public names of a module or class, each with what its class says of all of them."""
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.name[0] != "_":
            decorators = [ast.unparse(one) for one in node.decorator_list]
            if "overload" not in decorators and not any(one.endswith(".setter") for one in decorators):
                yield f"{within}.{node.name}", node, said
            if isinstance(node, ast.ClassDef):
                yield from public(node.body, f"{within}.{node.name}", ast.get_docstring(node) or "")


def raises(node: Function) -> bool:
    """True if an error is raised in it by name, as a rule of what it does."""
    return any(isinstance(part, ast.Raise) and part.exc is not None for part in ast.walk(node))


def test_each_public_name_says_what_it_is_and_what_it_raises() -> None:
    names = [
        found
        for package in SHOWN
        for where, module in sources(package)
        for found in public(module.body, where.stem, "")
    ]
    assert len(names) > 600
    assert [name for name, node, _ in names if not ast.get_docstring(node)] == []
    assert [
        name
        for name, node, of_all in names
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and raises(node)
        if "aise" not in (ast.get_docstring(node) or "") + of_all
    ] == []
