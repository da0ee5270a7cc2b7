"""People at a browser: the page in a real Chromium, without a window."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

from tests.support.node import WEB, need_node
from tests.support.patience import PATIENCE_S
from tests.support.programs import environment
from tests.support.servers import script

BOT = "beginner"
BUTTONS = {"over": "Rematch", "move": "Done", "roll": "Roll", "take": "Take", "accept": "Accept", "next": "Next game"}
ASKED_BODY = f"""
    const names = {json.dumps(BUTTONS)};
    const shown = [...document.querySelectorAll(".controls button")].map(one => one.textContent);
    const asked = Object.keys(names).find(what => shown.some(name => name.startsWith(names[what]))) ?? "";
    return !wanted || asked === wanted || asked === "over" ? asked : "";
"""
AXE = "axe.run().then(done => done.violations.map(one => one.id + ': ' + one.nodes.map(node => node.html).join(' ')))"
ASKED = f"() => {{ const wanted = ''; {ASKED_BODY} }}"
expect.set_options(timeout=1000 * PATIENCE_S)


def need_chromium() -> str:
    """The program; the test is skipped without it, but not under CI."""
    program = shutil.which("chromium")
    if program is None:
        missing = "Chromium is not installed: apt-get install chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return program


@contextmanager
def chromium() -> Iterator[Browser]:
    """A Chromium; root, as in a container, cannot have its sandbox."""
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=need_chromium(), args=options)
        yield browser
        browser.close()


class Person:
    """Somebody with a browser of their own, and nothing in it. faults: what the page has complained of."""

    def __init__(self, browser: Browser, url: str, **options: Any) -> None:
        self.http = url.replace("ws://", "http://")
        self.context: BrowserContext = browser.new_context(**{"reduced_motion": "reduce", **options})
        self.context.set_default_timeout(1000 * PATIENCE_S)
        self.faults: list[str] = []
        self.page: Page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda line: self.faults.append(line.text) if line.type == "error" else None)

    def open(self, path: str = "/") -> None:
        """Go to an address of the page."""
        self.page.goto(path if path.startswith("http") else self.http + path)

    def press(self, name: str) -> None:
        """Press the button of this name."""
        self.button(name).click()

    def button(self, name: str) -> Locator:
        """The button of this name."""
        return self.page.get_by_role("button", name=name, exact=True)

    @property
    def status(self) -> Locator:
        """The line that says what is going on."""
        return self.page.locator(".status")

    @property
    def said(self) -> Locator:
        """The last line that a screen reader was told."""
        return self.page.locator("[aria-live] p").last

    def point(self, number: int) -> Locator:
        """A point of the board, in this person's numbering; 25 = bar, 0 = off."""
        return self.page.locator(f'[data-point="{number}"]')

    def can_move(self) -> list[int]:
        """The points from which a checker can be moved now."""
        found = self.page.locator("[data-point].source").evaluate_all("all => all.map(one => +one.dataset.point)")
        return [int(point) for point in found]

    def targets(self) -> list[int]:
        """The points where the chosen checker can go."""
        found = self.page.locator("[data-point].goal").evaluate_all("all => all.map(one => +one.dataset.point)")
        return [int(point) for point in found]

    def asked(self) -> str:
        """What we are asked for now: roll, move, take, next, accept, over; "" = nothing."""
        found: str = self.page.evaluate(ASKED)
        return found

    def until_ours(self, what: str = "") -> str:
        """Wait until we are asked for something, or for this; or until the match is over. What it is."""
        found: str = self.page.wait_for_function(f"wanted => {{ {ASKED_BODY} }}", arg=what).json_value()
        return found

    def make_turn(self) -> None:
        """Move checkers, whichever can, until the turn can be sent; then send it."""
        while not self.button("Done").is_enabled():
            point = self.can_move()[-1]
            self.point(point).click()
            self.point(self.targets()[0]).click()
        self.press("Done")
        expect(self.page.get_by_role("button", name="Done", disabled=False)).to_have_count(0)

    def act(self) -> None:
        """Do what we are asked for."""
        what = self.asked()
        if what == "move":
            self.make_turn()
        elif what in BUTTONS and what != "over":
            button = self.page.get_by_role("button", name=BUTTONS[what])
            button.click()
            expect(button).to_have_count(0)

    def check(self) -> None:
        """Nothing went wrong in the page, by its own account."""
        assert self.faults == []

    def close(self) -> None:
        """Close the browser's window."""
        self.context.close()


def invite(ada: Person, bob: Person, length: int = 1) -> None:
    """They meet at a private table, by a link: two clicks each."""
    ada.open()
    ada.page.get_by_label("Match").select_option(str(length))
    ada.press("Play a friend")
    link = ada.page.locator("input.link").input_value()
    assert re.fullmatch(r"http://[^/]+/m/[a-z0-9]+#[a-z2-7]+", link), link
    bob.open(link)
    bob.press("Sit down")
    for one in (ada, bob):
        expect(one.page.locator(".stone").first).to_be_visible()
        expect(one.status).not_to_have_text(re.compile("Waiting|seeds|free"))


def play_out(*people: Person) -> None:
    """All play until the match is over."""
    while not people[0].button("Rematch").is_visible():
        for one in people:
            one.act()


def axe_faults(person: Person) -> list[str]:
    """What axe-core complains of on the page as it is now, whoever may be kept out by it."""
    source = WEB / "node_modules" / "axe-core" / "axe.min.js"
    need_node()
    session = person.context.new_cdp_session(person.page)  # past the page's own policy, which lets nothing else run
    session.send("Runtime.evaluate", {"expression": source.read_text("utf-8")})
    ran = session.send("Runtime.evaluate", {"expression": AXE, "awaitPromise": True, "returnByValue": True})
    found: list[str] = ran["result"]["value"]
    return found


@contextmanager
def computer_at(url: str, folder: Path) -> Iterator[str]:
    """A program that plays those who ask; its name."""
    command = [*script("tavla"), "bot", "run", BOT, "--available", "--max-concurrent", "8", "--keep"]
    log = (folder / "bot.log").open("w")
    process = subprocess.Popen(command, env=environment(folder, url), stdout=log, stderr=log)
    try:
        yield f"bot-{BOT}"
    finally:
        process.terminate()
        process.wait()
        log.close()
