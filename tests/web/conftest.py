"""A Chromium that the tests share, and people who use it."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.support.browser.chromium import chromium, computer_at
from tests.support.browser.person import Person
from tests.support.players.terminal import Terminal
from tests.support.servers.processes import ServerProcess

NewPerson = Callable[..., Person]
NewTerminal = Callable[..., Terminal]


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
