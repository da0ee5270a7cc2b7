"""Positions to be solved in the page: the one of the day, and one's own mistakes."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect
from tavla_cli.records.classics import CLASSICS

from tests.support.browser.axe import axe_faults
from tests.support.browser.lobby import come_in
from tests.support.browser.node import ask_modules
from tests.support.browser.person import NewPerson, Person
from tests.support.servers.processes import ServerProcess
from tests.support.stores.judged import server_of_old_matches

pytestmark = pytest.mark.slow

SIZES = [(360, 740), (844, 390), (1440, 900), (2560, 1440)]


@pytest.fixture(scope="module")
def club() -> Iterator[ServerProcess]:
    with server_of_old_matches() as server:
        yield server


def answer(person: Person) -> None:
    """Play by the keyboard alone, each time the first checker that may go, by the first die."""
    done = person.page.locator(".trial").get_by_role("button", name="Done")
    for _ in range(4):
        if done.is_enabled():
            break
        person.page.locator(".source").first.focus()
        person.page.keyboard.press("Enter")
        person.page.locator(".goal").first.focus()  # as soon as it is there
        person.page.keyboard.press("Enter")
        expect(person.page.locator(".goal")).to_have_count(0)
    done.focus()
    person.page.keyboard.press("Enter")


def test_the_position_of_the_day_is_answered_and_counted(person: NewPerson, club: ServerProcess) -> None:
    eve = person(club.url)
    eve.open()
    eve.page.get_by_role("link", name="Puzzles").click()
    expect(eve.page.locator(".decision h2")).to_have_text(re.compile("^(White|Black) to play "))
    expect(eve.page.locator(".legend[role=status]")).to_have_text(re.compile("^Your turn: play "))
    expect(eve.page.locator(".decision table")).to_have_count(0)
    assert axe_faults(eve) == []
    answer(eve)
    expect(eve.page.locator(".chosen li")).to_have_text(re.compile("1×$"))
    expect(eve.page.locator(".legend[role=status]")).to_have_text(re.compile(r"Right!| costs "))
    expect(eve.page.locator(".decision table")).to_be_visible()
    expect(eve.page.get_by_text(re.compile("^In the match: "))).to_be_visible()
    assert axe_faults(eve) == []
    streak = eve.page.locator(".streak").inner_text()
    eve.page.reload()
    expect(eve.page.get_by_text("You have answered this one.")).to_be_visible()
    answer(eve)
    expect(eve.page.locator(".chosen li")).to_have_text(re.compile("1×$"))
    assert eve.page.locator(".streak").inner_text() == streak
    eve.page.get_by_role("link", name="See the match").click()
    expect(eve.page).to_have_url(re.compile(r"/m/\w+\?review"))
    eve.page.get_by_role("link", name="Puzzles").click()
    expect(eve.page).to_have_url(re.compile("/puzzles$"))


def test_puzzles_of_others_come_by_theme_and_are_rated_for_an_account(person: NewPerson, club: ServerProcess) -> None:
    eve = person(club.url)
    eve.open()
    come_in(eve, "puzzler", "correct horse")
    eve.open("/puzzles#themes")
    expect(eve.page.locator(".decision h2")).to_have_text(re.compile("^(White|Black) to play "))
    expect(eve.page.locator(".streak")).to_have_text("0 right in a row · this one is rated 1500 · you 1500")
    assert axe_faults(eve) == []
    answer(eve)
    expect(eve.page.get_by_text(re.compile("^In the match: "))).to_be_visible()
    expect(eve.page.locator(".streak")).to_have_text(
        re.compile(r"^[01] right in a row · this one is rated 1500 · you 1[45]50 \([+−]50\)$")
    )
    eve.press("Next")
    expect(eve.page.locator(".aside[role=status]")).to_have_text(re.compile("^There is no such puzzle"))
    eve.page.get_by_label("Theme").select_option("Cube")
    expect(eve.page.locator(".aside[role=status]")).to_have_text(re.compile("^There is no such puzzle"))
    eve.open("/p/puzzler")
    expect(eve.page.locator(".tagline")).to_contain_text(re.compile(r" · Puzzles 1[45]50$"))


def test_own_mistakes_come_one_after_the_other_judged_by_the_server_or_here(
    person: NewPerson, club: ServerProcess
) -> None:
    ada = person(club.url)
    ada.open("/puzzles")
    ada.page.evaluate("localStorage.setItem('tavla.name', 'ada')")
    ada.page.reload()
    ada.page.get_by_role("link", name="My own mistakes").first.click()
    seen = set()
    for _ in range(3):  # one mistake is the server's
        expect(ada.page.locator(".decision h2")).to_have_text(re.compile("^ada "))
        if ada.page.locator(".trial").get_by_role("button", name="Done").count():
            answer(ada)
        else:
            ada.page.locator(".trial .main").first.click()
        ada.page.get_by_role("link", name="See the match").wait_for()
        seen.add(ada.page.get_by_role("link", name="See the match").get_attribute("href"))
        expect(ada.page.locator(".decision table").first).to_be_visible()
        ada.press("Next")
    assert len(seen) == 3
    kept = json.loads(ada.page.evaluate("localStorage.getItem('tavla.puzzles')"))
    key = list(kept["again"])[1]
    due = json.dumps({**kept, "again": {key: [0, 1]}})
    ada.page.evaluate("due => localStorage.setItem('tavla.puzzles', due)", due)
    ada.page.reload()
    expect(ada.page.locator(".decision h2")).to_have_text(re.compile("^ada "))
    expect(ada.page.get_by_text("You have answered this one.")).to_have_count(0)
    if ada.page.locator(".trial").get_by_role("button", name="Done").count():
        answer(ada)
    else:
        ada.page.locator(".trial .main").first.click()
    expect(ada.page.get_by_text(re.compile(r"^It comes back in (1 day|3 days)\.$"))).to_be_visible()
    link = ada.page.get_by_role("link", name="See the match").get_attribute("href")
    assert link == f"/m/{key.replace('#', '?review#')}", "what is due comes first"


def test_without_a_position_it_says_why(person: NewPerson, server: ServerProcess) -> None:
    eve = person(server.url)
    eve.open("/puzzles")
    for view, why in (
        ("", "There is no position today"),
        ("My own mistakes", "There are no more mistakes"),
        ("Classics", ""),
    ):
        if view:
            eve.page.get_by_role("link", name=view).click()
        expect(eve.page.locator(".aside[role=status]")).to_have_text([re.compile(f"^{why}.* classic")] if why else [])
        expect(eve.page.locator(".decision h2")).to_have_text("White to play 3-1")
        assert axe_faults(eve) == []
    for start, end in ((8, 5), (6, 5)):
        eve.point(start).click()
        eve.point(end).click()
    eve.press("Done")
    expect(eve.page.locator(".legend[role=status]")).to_have_text(re.compile("Right!"))
    expect(eve.page.locator(".streak")).to_have_text("1 right in a row")
    expect(eve.page.get_by_text("In the match")).to_have_count(0)
    eve.press("Next")
    expect(eve.page.locator(".decision h2")).to_have_text("White to play 4-2")
    eve.page.get_by_role("link", name="Position of the day").click()
    expect(eve.page.locator(".aside[role=status]")).to_have_text(re.compile("^There is no position today"))
    for start, end in ((8, 4), (6, 4)):
        eve.point(start).click()
        eve.point(end).click()
    eve.press("Done")
    eve.press("Next")  # of what was asked for, not of what stood in for it
    expect(eve.page.locator(".decision h2")).not_to_have_text("White to play 4-2")
    expect(eve.page.locator(".aside[role=status]")).to_have_text(re.compile("^There is no position today"))
    eve.page.evaluate(
        "done => localStorage.setItem('tavla.puzzles', JSON.stringify({ right: 6, done }))", list(CLASSICS)[:6]
    )
    eve.page.reload()
    for judged in ("Double", "Drop", "No double"):  # by the evaluator of the page
        eve.press(judged)
        expect(eve.page.locator(".legend[role=status]")).to_have_text(re.compile("Right!"))
        eve.press("Next")
    expect(eve.page.locator(".streak")).to_have_text("9 right in a row")


def test_the_page_and_the_terminal_have_the_same_classic_decisions() -> None:
    assert ask_modules("classics", [None]) == [list(CLASSICS)]


def test_it_fits_and_speaks_turkish(person: NewPerson, club: ServerProcess) -> None:
    eve = person(club.url, locale="tr-TR")
    eve.open("/puzzles")
    expect(eve.page.get_by_role("link", name="Kendi hatalarım").first).to_be_visible()
    expect(eve.page.locator(".decision h2")).to_be_visible()
    for width, height in SIZES:
        eve.page.set_viewport_size({"width": width, "height": height})
        assert eve.page.evaluate("document.documentElement.scrollWidth") <= width
        board = eve.page.locator(".board").bounding_box()
        assert board is not None
        assert board["width"] > 0.3 * width
    for theme in ("light", "dark"):
        eve.page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
        assert axe_faults(eve) == [], theme
