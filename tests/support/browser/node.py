"""The page's modules, run by Node as they are; and what is needed for that."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

WEB = Path(__file__).parents[3] / "clients" / "web"
HARNESS = Path(__file__).parent / "modules.mjs"
NODE_S = 600.0  # for a program to end: to judge a match takes 5 s alone, and minutes where thirty wait for each core


def need_node() -> str:
    """Node, with the packages that the page is made of; the test is skipped without them, but not under CI."""
    program = shutil.which("node")
    if program is None:
        missing = "Node is not installed: apt-get install nodejs npm"
    elif not (WEB / "node_modules" / "esbuild").is_dir():
        missing = "the page's packages are not installed: make web"
    else:
        return program
    if os.environ.get("CI") == "true":
        pytest.fail(missing)
    pytest.skip(missing)


def run_node(*arguments: str, given: str = "") -> str:
    """Output of a program, which has to end well."""
    done = subprocess.run(
        [need_node(), *arguments], input=given, capture_output=True, text=True, cwd=WEB, timeout=NODE_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def ask_modules(what: str, questions: list[Any]) -> list[Any]:
    """Answers of a function in modules.mjs, one to each question. Bytes travel as hex."""
    answers: list[Any] = json.loads(run_node(str(HARNESS), what, given=json.dumps(questions)))
    assert len(answers) == len(questions)
    return answers
