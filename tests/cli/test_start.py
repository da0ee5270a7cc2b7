"""The first second of `tavla`, and Ctrl-Z: what a shell sees of them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from tests.support.games.gnubg_matches import MAT_FILES
from tests.support.patience import PATIENCE_S
from tests.support.players.pseudo_terminal import on_terminal
from tests.support.servers.processes import script

pytestmark = pytest.mark.slow  # each starts programs

IMPORTING = """
import sys, time
class Finder:
    def find_spec(self, name, *_):
        if name == "tavla_cli.main":
            print("importing", flush=True)
            time.sleep(600)
sys.meta_path.insert(0, Finder())
from tavla_cli.start import main
main()
"""


def test_ctrl_c_while_modules_are_imported_ends_it_without_a_word() -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", IMPORTING], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with program:
        assert program.stdout is not None
        assert program.stdout.readline() == "importing\n"
        program.send_signal(signal.SIGINT)
        assert program.communicate(timeout=PATIENCE_S) == ("", "")
    assert program.returncode == -signal.SIGINT


def test_later_ctrl_c_is_the_programs_own() -> None:
    ends = "import sys, tavla_cli.main, tavla_cli.start, signal\n"
    ends += "tavla_cli.main.main = lambda: signal.raise_signal(signal.SIGINT)\ntavla_cli.start.main()"
    ended = subprocess.run(
        [sys.executable, "-c", ends], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert (ended.returncode, ended.stderr) == (130, "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no job control")
@pytest.mark.parametrize("command", ["replay {}", "create --server {}"])
def test_ctrl_z_suspends_and_fg_goes_on(tmp_path: Path, request: pytest.FixtureRequest, command: str) -> None:
    where = str(MAT_FILES[0]) if "replay" in command else request.getfixturevalue("server").url
    shown = "PlayerA" if "replay" in command else "waiting for an opponent"
    environment = {**os.environ, "TAVLA_CONFIG_DIR": str(tmp_path), "TERM": "xterm-256color", "PS1": "shell$ "}
    with on_terminal(["bash", "--norc", "-i"], environment) as (_, shell):
        try:
            shell.expect_exact("shell$ ")
            shell.sendline(" ".join([*script("tavla"), command.format(where)]))
            shell.expect_exact(shown)
            shell.send("\x1a")
            shell.expect_exact("Stopped")
            shell.expect_exact("shell$ ")
            shell.sendline("fg")
            shell.expect_exact(shown)
            shell.send("q" if "replay" in command else "\x03")
            shell.expect_exact("shell$ ")
            shell.sendline("echo over $?")
            shell.expect_exact("over 0")
        finally:
            shell.sendline("kill -9 %1; exit")
            shell.expect(pexpect.EOF)
