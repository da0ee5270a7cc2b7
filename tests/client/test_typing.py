"""Types of the client library: those that a program needs are exported, and the README's bot is strictly typed."""

import ast
import inspect
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
import tavla_client

ROOT = Path(__file__).parents[2]
BOT = re.compile(r"^```python\n(.+?)^```", re.MULTILINE | re.DOTALL)


def named_in(annotation: Any) -> Iterator[type]:
    """Classes in an annotation, at any depth."""
    if isinstance(annotation, type):
        yield annotation
    for argument in annotation if isinstance(annotation, list) else get_args(annotation):
        yield from named_in(argument)


def annotated(exported: Any) -> Iterator[Any]:
    """Functions with annotations that a program sees of an exported name, and the name itself."""
    if inspect.isfunction(exported) or inspect.isclass(exported):
        yield exported
    for name, value in vars(exported).items() if inspect.isclass(exported) else ():
        if not name.startswith("_"):
            found = value.fget if isinstance(value, property) else getattr(value, "func", value)
            if inspect.isfunction(found):
                yield found


def attributes_of(exported: Any) -> Iterator[type]:
    """Classes that a class names where it sets its public attributes."""
    init = vars(exported).get("__init__") if inspect.isclass(exported) else None
    if not inspect.isfunction(init) or is_dataclass(exported):
        return  # none of its own
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(init)))):
        if isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            names = [it.attr for it in ast.walk(target) if isinstance(it, ast.Attribute)]
            for it in ast.walk(node) if not all(name.startswith("_") for name in names) else ():
                found = init.__globals__.get(it.id) if isinstance(it, ast.Name) else None
                yield from named_in(found)


def test_each_type_that_the_library_shows_is_exported() -> None:
    exported = {value for one in tavla_client.__all__ if isinstance(value := getattr(tavla_client, one), type)}
    for name in tavla_client.__all__:
        hints = [get_type_hints(it) for it in annotated(getattr(tavla_client, name))]
        annotations = [it for hint in hints for field, it in hint.items() if not field.startswith("_")]
        shown = {found for it in annotations for found in named_in(it)} | {*attributes_of(getattr(tavla_client, name))}
        assert {found for found in shown - exported if found.__module__.startswith("tavla_client")} == set(), name


@pytest.mark.long
def test_the_bot_of_the_readme_passes_mypy_strict(tmp_path: Path) -> None:
    (bot,) = BOT.findall((ROOT / "README.md").read_text())
    (tmp_path / "cautious.py").write_text(bot)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "cautious.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
