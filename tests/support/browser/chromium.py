"""People at a browser: the page in a real Chromium, without a window."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from tests.support.needs import need
from tests.support.patience import PATIENCE_S
from tests.support.players.programs import environment
from tests.support.servers.our_programs import start_program

SHELL, WHOLE = "chromium-headless-shell", "chromium"
BOT = "beginner"
PLAIN_HOST = "club.internal"  # this machine, as a browser does not know it: http:// there is not a secure context
expect.set_options(timeout=1000 * PATIENCE_S)


def need_chromium(*names: str) -> str:
    """The first program of these that is there; the test is skipped without one, but not under CI."""
    return need(next(filter(None, map(shutil.which, names)), None), names[0], "Chromium")


@contextmanager
def chromium(*names: str) -> Iterator[Browser]:
    """A Chromium, by default without what draws its windows. Root, as in a container, cannot have its sandbox.

    Each of its people costs 0.5 s of CPU; in a browser that has windows as well, 1.2 s.
    """
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=need_chromium(*(names or (SHELL, WHOLE))), args=_options())
        yield browser
        browser.close()


def _options() -> list[str]:
    """Names, no sandbox for root, and what is drawn without a process of its own: a tenth of the CPU."""
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    return [f"--host-resolver-rules=MAP {PLAIN_HOST} 127.0.0.1", "--in-process-gpu", *root]


@contextmanager
def keeping_nothing(browser: Browser, folder: Path) -> Iterator[BrowserContext]:
    """A browser whose owner lets no page keep anything: `localStorage` itself throws. (The shell cannot.)"""
    settings = {"profile": {"default_content_setting_values": {"cookies": 2}}}
    (folder / "Default").mkdir(parents=True)
    (folder / "Default" / "Preferences").write_text(json.dumps(settings))
    options: dict[str, Any] = {"executable_path": need_chromium(WHOLE), "args": _options(), "reduced_motion": "reduce"}
    with browser.browser_type.launch_persistent_context(folder, **options) as context:
        yield context


@contextmanager
def computer_at(url: str, folder: Path) -> Iterator[str]:
    """A program that plays those who ask; its name."""
    arguments = ["bot", "run", BOT, "--available", "--fast", "--max-concurrent", "8", "--keep"]
    log = (folder / "bot.log").open("w")
    process = start_program("tavla", arguments, environment(folder, url), (0, log.fileno(), log.fileno()))
    try:
        yield f"bot-{BOT}"
    finally:
        process.terminate()
        process.wait()
        log.close()
