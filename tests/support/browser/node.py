"""The page's modules, run by Node as they are; and what is needed for that."""

import atexit
import json
import shutil
import subprocess
from pathlib import Path
from subprocess import PIPE
from typing import Any

from tests.support.needs import lack, need

WEB = Path(__file__).parents[3] / "clients" / "web"
HARNESS = Path(__file__).parent / "modules.mjs"
NODE_S = 600.0  # for a program to end: to judge a match takes 5 s alone, and minutes where thirty wait for each core


def need_node() -> str:
    """Node, with the packages that the page is made of; the test is skipped without them, but not under CI."""
    program = need(shutil.which("node"), "nodejs npm", "Node")
    if not (WEB / "node_modules" / "esbuild").is_dir():
        lack("the page's packages are not installed: make web")
    return program


def run_node(*arguments: str, given: str = "") -> str:
    """Output of a program, which has to end well."""
    done = subprocess.run(
        [need_node(), *arguments], input=given, capture_output=True, text=True, cwd=WEB, timeout=NODE_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Modules:
    """The page's modules in a Node process, which starts with the first question and answers all of this process."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def ask(self, what: str, questions: list[Any]) -> list[Any]:
        """Answers of a function in modules.mjs, one to each question. Bytes travel as hex."""
        process = self._running()
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps([what, questions]) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        assert line, f"Node has ended: {process.wait()}"
        told: dict[str, Any] = json.loads(line)
        assert "fault" not in told, told["fault"]
        answers: list[Any] = told["answers"]
        assert len(answers) == len(questions)
        return answers

    def close(self) -> None:
        """End the process, as tests have done with theirs."""
        if self._process:
            self._process.communicate()
            self._process = None

    def _running(self) -> "subprocess.Popen[str]":
        if self._process and self._process.poll() is not None:
            self.close()
        if not self._process:
            command = [need_node(), str(HARNESS)]
            self._process = subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True, encoding="utf-8", cwd=WEB)
        return self._process


MODULES = Modules()
atexit.register(MODULES.close)


def ask_modules(what: str, questions: list[Any]) -> list[Any]:
    """Answers of the page's modules. The first question costs 0.5 s, the others what it takes to answer them."""
    return MODULES.ask(what, questions)
