"""The packages of the product, and their modules parsed."""

import ast
from collections.abc import Iterator
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


def sources(package: str) -> Iterator[tuple[Path, ast.Module]]:
    """The modules of a package, parsed, by their places in its folder."""
    root = ROOT / PACKAGES[package]
    for file in sorted((root / package).rglob("*.py")):
        yield file.relative_to(root), ast.parse(file.read_text(encoding="utf-8"))
