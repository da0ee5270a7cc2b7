"""Matches of persons in browsers: invited, played on, played out."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, expect
from tavla_protocol import messages as m

from tests.support.browser.loop import LoopBeside
from tests.support.browser.person import NewPerson, Person
from tests.support.patience import until
from tests.support.players.plain import Player
from tests.support.servers.rigged.partner import SHORT, friend_at_table


def invite(ada: Person, bob: Person, length: int = 1, **options: str) -> None:
    """Seat two players by a link: two clicks each. options: fields of the form, for a public table."""
    ada.open()
    ada.page.get_by_label("Match").select_option(str(length))
    if options:
        ada.press("More options…")
        for label, value in options.items():
            ada.page.get_by_role("dialog").get_by_label(label).select_option(value)
        ada.press("Open the table")
    else:
        ada.press("Play a friend")
    link = ada.page.locator("input.link").input_value()
    assert re.fullmatch(r"http://[^/]+/m/[a-z0-9]+" + ("" if options else r"#[a-z2-7]+"), link), link
    bob.open(link)
    bob.press("Sit down")
    for one in (ada, bob):
        expect(one.page.locator(".stone").first).to_be_visible()
        expect(one.status).not_to_have_text(re.compile("Waiting|seeds|free"))


def in_turn(one: Person, other: Person) -> tuple[Person, Person]:
    """Both, first the one who is asked for something, as soon as one is."""
    first = until(lambda: next((each for each in (one, other) if each.asked()), None), "a player's turn")
    assert first is not None, "one of them"
    return first, other if first is one else one


def begun(person: NewPerson, url: str, length: int = 1) -> tuple[Person, Person]:
    """Two at a private table; the first one is to move."""
    ada, bob = person(url), person(url)
    invite(ada, bob, length)
    return in_turn(ada, bob)


@contextmanager
def seated(one: Person, mode: str = "honest", **rules: bool | int | str) -> Iterator[tuple[Person, str]]:
    """A player at a table with a friend, who plays by itself and is helped in this mode; and the match."""
    with friend_at_table(one.http.replace("http://", "ws://"), mode, {**SHORT, **rules}) as match:
        one.open(f"/m/{match}")
        one.press("Sit down")
        yield one, match


def opposed(one: Person, beside: LoopBeside) -> tuple[Player, str]:
    """A player without a page, at whose table of one point another sits down; and the match, which has begun."""
    other = beside.enter(Player(one.http.replace("http://", "ws://")))
    match = beside.run(other.get(m.Snapshot, m.Create, rules={"length": 1})).match
    one.open(f"/m/{match}")
    one.press("Sit down")
    beside.run(other.sees_it_begin(match))
    return other, match


def until_move(one: Person) -> None:
    """Go on until a checker is to be moved."""
    while one.until_ours() != "move":
        one.act()


def resign(one: Person) -> None:
    """Offer to lose a single game."""
    one.choose("Resign")
    one.press("single game: 1 point")
    one.press("Yes, resign")


@contextmanager
def at_a_desk(browser: Browser, url: str) -> Iterator[Person]:
    """A player that is to move, at a fine screen with sounds, that can be touched; the other one waits."""
    fine: dict[str, Any] = {"device_scale_factor": 2, "has_touch": True}
    first, second = (Person(browser, url, sounds=True, **fine) for _ in range(2))
    invite(first, second)
    yield in_turn(first, second)[0]
    for one in (first, second):
        one.check()
        one.close()


def play_until(holds: Callable[[], object], *people: Person) -> None:
    """All play until something holds. Raises: AssertionError, when nobody has been asked for anything for too long."""

    def step() -> str:
        if holds():
            return "done"
        return "played" if sum(one.act() for one in people) else ""

    def asked() -> str:
        """A step, once there is any; what the pages show, if there is none."""
        try:
            return until(step, "a player's turn")
        except AssertionError as error:
            shown = [one.page.locator("main").inner_text() for one in people]
            raise AssertionError(f"{error}; the pages show {shown}") from error

    while asked() != "done":
        pass


def play_out(*people: Person) -> None:
    """All play until the match is over."""
    play_until(people[0].button("Rematch").is_visible, *people)
