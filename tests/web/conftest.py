"""A Chromium that the tests share, and people who use it."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser.chromium import chromium, computer_at
from tests.support.browser.loop import LoopBeside
from tests.support.browser.person import NewPerson, Person
from tests.support.browser.playing import in_turn, invite
from tests.support.players.terminal import NewTerminal, Terminal
from tests.support.servers.processes import ServerProcess


@pytest.fixture(scope="package")  # no longer: beside playwright no other loop of asyncio runs in this thread
def browser() -> Iterator[Browser]:
    """A Chromium for all tests of this folder: to start one takes a second of CPU."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def person(browser: Browser) -> Iterator[NewPerson]:
    """Makes people with blank profiles; whatever their page has complained of fails the test."""
    with contextlib.ExitStack() as stack:
        made: list[Person] = []

        def new(url: str, **options: Any) -> Person:
            made.append(Person(browser, url, **options))
            stack.callback(made[-1].close)
            return made[-1]

        yield new
        for one in made:
            one.check()


@pytest.fixture(scope="package")
def table(browser: Browser, server: ServerProcess) -> Iterator[tuple[Person, Person]]:
    """Two at a match to three points with which no test goes on; the first one is to move."""
    ada, bob = Person(browser, server.url), Person(browser, server.url)
    invite(ada, bob, length=3)
    yield in_turn(ada, bob)
    for one in (ada, bob):
        one.close()


@pytest.fixture
def two(table: tuple[Person, Person]) -> Iterator[tuple[Person, Person]]:
    """The same two, whose pages are loaded anew: for tests that leave no turn and no setting behind."""
    match = table[0].page.url
    yield table
    for one in table:
        one.page.emulate_media(color_scheme="light")
        one.page.set_viewport_size({"width": 1280, "height": 720})
        one.open(match)
        expect(one.page.locator(".stone").first).to_be_visible()
    faults = [fault for one in table for fault in one.faults]
    for one in table:
        one.faults.clear()
    assert faults == []
    assert table[0].until_ours() == "move"
    assert not table[0].button("Undo").is_enabled(), "no half-made turn"


@pytest.fixture
def beside() -> Iterator[LoopBeside]:
    """A loop for players without a page: each page costs as much CPU as hundreds of them."""
    with LoopBeside() as loop:
        yield loop


@pytest.fixture
def computer(server: ServerProcess, tmp_path: Path) -> Iterator[str]:
    """The computer plays on the shared server; its name."""
    with computer_at(server.url, tmp_path) as name:
        yield name


@pytest.fixture
def terminal(server: ServerProcess, tmp_path: Path) -> Iterator[NewTerminal]:
    """Opens terminals at the shared server, by the name of who sits there and what is typed after `tavla`."""
    with contextlib.ExitStack() as stack:

        def new(name: str, *arguments: str) -> Terminal:
            opened = Terminal(tmp_path / name, *arguments, "--server", server.url, "--as", name, "--ascii")
            stack.callback(opened.clean_up)
            return opened

        yield new
