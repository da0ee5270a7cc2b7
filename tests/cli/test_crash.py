"""Faults of the program: what is on the terminal then, and what is in the log."""

import os
import sys
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE_S
from tests.support.players.pseudo_terminal import on_terminal

pytestmark = pytest.mark.slow  # each starts a program

FAILURES = {  # where it fails, a program
    "at once": "1 / 0",
    "in the main task": """
async def main():
    1 / 0
run_async(main())""",
    "in a callback, while a full screen stands": """
import asyncio
from prompt_toolkit import Application
async def main():
    asyncio.get_running_loop().call_later(0.1, lambda: 1 / 0)
    await Application(full_screen=True).run_async(set_exception_handler=False)
run_async(main())""",
    "beside a full screen": """
from prompt_toolkit import Application
async def failing():
    1 / 0
async def main():
    app = Application(full_screen=True)
    await app.run_async(pre_run=lambda: app.create_background_task(failing()), set_exception_handler=False)
run_async(main())""",
}


@pytest.mark.parametrize("where", FAILURES)
def test_a_failure_restores_the_screen_and_is_told_in_a_sentence_with_the_log(tmp_path: Path, where: str) -> None:
    body = "\n".join(f"    {line}" for line in FAILURES[where].splitlines())
    imports = "from tavla_cli import crash\nfrom tavla_cli.main_task import run_async"
    program = f"{imports}\ndef run():\n{body}\ncrash.run_guarded(run)"
    environment = {**os.environ, "TAVLA_CONFIG_DIR": str(tmp_path / "new"), "TERM": "xterm-256color"}
    with on_terminal([sys.executable, "-c", program], environment, size=(24, 200)) as (process, terminal):
        shown = terminal.read()
        assert process.wait(PATIENCE_S) == 1
    log = tmp_path / "new" / "tavla.log"
    assert f"Error: tavla has failed, by a fault of its own: what happened stands in {log}" in shown
    assert "Traceback" not in shown
    assert shown.rfind("\x1b[?1049h") <= shown.rfind("\x1b[?1049l"), "the screen before it is shown again"
    assert shown.rfind("\x1b[?25l") < shown.rfind("\x1b[?25h"), "with a cursor"
    assert "ZeroDivisionError: division by zero" in log.read_text("utf-8")


def test_without_a_log_the_failure_is_told_at_least(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    environment = {**os.environ, "TAVLA_CONFIG_DIR": str(blocked)}
    program = "from tavla_cli import crash\ncrash.run_guarded(lambda: 1 / 0)"
    with on_terminal([sys.executable, "-c", program], environment) as (process, terminal):
        shown = terminal.read()
        assert process.wait(PATIENCE_S) == 1
    assert "ZeroDivisionError('division by zero')" in shown
    assert "cannot be written" in shown
