"""The commands of the README, and of the page on the terminal client, do what they say."""

import asyncio
import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import click
import pytest
from tavla_bots.sage import is_installed
from tavla_cli.main import cli
from tavla_client import Client

from tests.support.patience import PATIENCE_S
from tests.support.servers.processes import ServerProcess, free_port, script

ROOT = Path(__file__).parents[2]
TERMINAL = (ROOT / "docs" / "terminal.md").read_text()
README = (ROOT / "README.md").read_text()
LEVELS = {"beginner", "casual", "club", "strong", "expert", "world-class"} | ({"sage"} if is_installed() else set())
OF_MAKE = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")  # these tests may be run by another make
ALONE = {name: value for name, value in os.environ.items() if name not in OF_MAKE}
COMMANDS = re.findall(r"^    \.venv/bin/tavla (.+)$", TERMINAL, re.MULTILINE)
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


def test_two_people_meet_as_the_page_says(own_server: ServerProcess, tmp_path: Path, programs: ExitStack) -> None:
    assert [command.split()[0] for command in COMMANDS] == list(SHOWN), "a new command needs a line here"
    for number, command in enumerate(COMMANDS):
        run(programs, command, own_server, tmp_path / str(number))


WORDS = {"NAME": "ada", "MATCH": "k3v7q2xa", "COMMAND": "play"}  # what stands for something in a command
IN_CODE = r"`(?:\.venv/bin/)?tavla ([^`]+)`|^    (?:\.venv/bin/)?tavla (.+)$"
QUOTED = re.findall(IN_CODE, README + TERMINAL, re.MULTILINE)


@pytest.mark.parametrize("line", sorted({"".join(found) for found in QUOTED}))
def test_every_command_of_the_readme_is_one(line: str) -> None:
    command: click.Command = cli
    words = [WORDS.get(word, word) for word in shlex.split(line)]
    context = cli.make_context("tavla", words)  # which takes the options of `tavla` itself, wherever they stand
    words = [*context._protected_args, *context.args]
    while isinstance(command, click.Group):
        found = command.get_command(context, words.pop(0))
        assert found is not None, line
        command = found
    command.make_context("tavla", words)  # which fails when it is not understood


def test_the_completion_of_the_page_is_what_a_shell_reads(tmp_path: Path) -> None:
    found = re.findall(r"_TAVLA_COMPLETE=(\w+) tavla|`(zsh_source)`", TERMINAL)
    shells = ["".join(names) for names in found]
    assert shells == ["bash_source", "zsh_source"]
    for shell in shells:
        env = {**os.environ, "_TAVLA_COMPLETE": shell, "TAVLA_CONFIG_DIR": str(tmp_path)}
        run = subprocess.run(script("tavla"), env=env, capture_output=True, text=True, check=True)
        assert "_tavla_completion()" in run.stdout


@pytest.mark.long
def test_make_serve_starts_the_server_and_six_levels_of_the_computer(tmp_path: Path) -> None:
    folder, port, log = tmp_path / "venv", free_port(), tmp_path / "my data" / "bots.log"
    (folder / "bin").mkdir(parents=True)
    for name in ("tavla", "tavla-server", "python"):
        command = [sys.executable] if name == "python" else script(name)
        (folder / "bin" / name).write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
        (folder / "bin" / name).chmod(0o755)
    (folder / ".installed").touch()
    command = ["make", "serve", f"VENV={folder}", f"PORT={port}", f"DATA={tmp_path / 'my data'}"]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=ALONE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as make:
        try:
            assert make.stdout is not None, "piped"
            said = []
            for line in make.stdout:
                said.append(line)
                if line == f"The computer plays, too: what it does stands in {log}. Ctrl-C ends both.\n":
                    break
            assert said[0] == f"Starting a server on port {port}, with its matches in {log.parent} ...\n"
            assert f"    {folder}/bin/tavla play --server localhost:{port}\n" in said, "what to type, in a pipe as well"
            asyncio.run(levels_are_there(f"ws://127.0.0.1:{port}"))
            assert "has died" not in log.read_text("utf-8"), "the server answered before the bots came"
            again = subprocess.run(
                command, cwd=ROOT, env=ALONE, capture_output=True, text=True, timeout=PATIENCE_S, check=False
            )
            assert f"Port {port} is taken: make serve PORT={port + 1} takes another.\n" in again.stdout
        finally:
            os.killpg(make.pid, signal.SIGINT)  # as Ctrl-C does
            try:
                make.communicate(timeout=PATIENCE_S)  # until no process has the pipe any more
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(make.pid, signal.SIGKILL)  # a test that fails must not wait for ever


def test_make_serve_ends_with_a_server_that_cannot_start(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for name, does in {"tavla-server": "exit 3", "tavla": "exit 4", "python": f'exec {sys.executable} "$@"'}.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    (tmp_path / ".installed").touch()
    command = ["make", "serve", f"VENV={tmp_path}", f"PORT={free_port()}", f"DATA={tmp_path / 'data'}"]
    ended = subprocess.run(
        command, cwd=ROOT, env=ALONE, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert "Error 3" in ended.stderr
    assert "To play" not in ended.stdout


async def levels_are_there(url: str) -> None:
    """Wait until one can play the computer at every level."""
    async with asyncio.timeout(PATIENCE_S), Client(url, name="ada") as ada, ada.lobby.lists("people") as lists:
        while {one.level for one in lists.rows["people"].values() if one.places} != LEVELS:
            await lists.wait_for_change()
