"""The packages of the product, and their modules parsed."""

import ast
import gc
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from tests.support.results import ROOT

PACKAGES = {  # each with the folder that it stands in
    "tavla_engine": "engine",
    "tavla_protocol": "protocol",
    "tavla_server": "server",
    "tavla_client": "clients/python",
    "tavla_cli": "clients/cli",
    "tavla_bots": "clients/bots",
    "tavla_gym": "clients/gym",
}


@cache
def modules_in(folder: str) -> list[tuple[Path, ast.Module]]:
    """The modules in a folder, by their places in it, parsed once by each process."""
    files = sorted((ROOT / folder).rglob("*.py"))
    return [(file.relative_to(ROOT / folder), module) for file, module in zip(files, parsed(files), strict=True)]


def sources(package: str) -> list[tuple[Path, ast.Module]]:
    """The modules of a package, parsed, by their places in its folder."""
    return [(file, module) for file, module in modules_in(PACKAGES[package]) if file.parts[0] == package]


def parsed(files: Sequence[Path]) -> list[ast.Module]:
    """Some modules, parsed without the garbage collector, which looks through them for three quarters of the time."""
    gc.disable()
    try:
        return [ast.parse(file.read_bytes()) for file in files]
    finally:
        gc.enable()


def statements(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Statements and all that are in them, expressions left out: nine tenths of what `ast.walk` visits."""
    for node in body:
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from statements(getattr(node, part, ()))
