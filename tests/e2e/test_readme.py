"""The commands of the README do what it says."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.servers import STOP_TIMEOUT_S, ServerProcess, script

README = (Path(__file__).parents[2] / "README.md").read_text()
COMMANDS = re.findall(r"^    \.venv/bin/tavla (.+)$", README, re.MULTILINE)
SHOWN = {"create": "is open", "join": "you play", "watch": "watching"}  # by command: what it says when it has worked


@pytest.fixture
def programs() -> Iterator[ExitStack]:
    """Programs that run until the end of the test."""
    with ExitStack() as stack:
        yield stack


def run(programs: ExitStack, command: str, server: ServerProcess, config: Path) -> str:
    """Start a command of the README as a user of its own; all it says up to what shows that it has worked."""
    word, *_ = command.split()
    process = programs.enter_context(
        subprocess.Popen(
            [*script("tavla"), *command.split()],
            env={**os.environ, "TAVLA_SERVER": server.url, "TAVLA_CONFIG_DIR": str(config)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    )
    programs.callback(process.kill)
    assert process.stdout is not None, "piped"
    said = ""
    for line in process.stdout:
        said += line
        if SHOWN[word] in line:
            return said
    raise AssertionError(said)


def test_two_people_meet_as_the_readme_says(own_server: ServerProcess, tmp_path: Path, programs: ExitStack) -> None:
    assert [command.split()[0] for command in COMMANDS] == list(SHOWN), "a new command needs a line here"
    for number, command in enumerate(COMMANDS):
        run(programs, command, own_server, tmp_path / str(number))


def test_the_server_starts_as_the_makefile_says(tmp_path: Path) -> None:
    makefile = (Path(__file__).parents[2] / "Makefile").read_text()
    found = re.search(r"^\t\$\(BIN\)/tavla-server (.+)$", makefile, re.MULTILINE)
    assert found is not None
    options = found.group(1).replace("$(PORT)", "0").replace("./data", str(tmp_path / "data")).split()
    with subprocess.Popen([*script("tavla-server"), *options], stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None, "piped"
        assert any("serving" in line for line in server.stderr)
        server.terminate()
        assert server.wait(STOP_TIMEOUT_S) == 0
