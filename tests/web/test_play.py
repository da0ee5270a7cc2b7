"""People play in the page: against the computer, each other, and those who come by other clients."""

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.support.browser import Person, invite, play_out
from tests.support.patience import LATE_S
from tests.support.servers import ServerProcess
from tests.support.terminal import Terminal

NewPerson = Callable[..., Person]
NewTerminal = Callable[..., Terminal]
FIRST_MOVE_S = 10 + LATE_S

pytestmark = pytest.mark.slow


def test_from_a_blank_profile_to_the_first_move_with_one_click_and_no_text(
    person: NewPerson, server: ServerProcess, computer: str
) -> None:
    ada = person(server.url, reduced_motion="no-preference")
    ada.open()
    expect(ada.page.get_by_role("listitem").filter(has_text=computer).first).to_be_visible()
    assert ada.page.evaluate("localStorage.getItem('tavla.token')") is None, "to look on makes nobody"
    began = time.monotonic()
    assert ada.page.locator("input").count() == 0, "no field to fill in"
    ada.press("Play the computer")
    if ada.until_ours() == "roll":
        ada.act()
    ada.until_ours("move")
    ada.make_turn()
    assert time.monotonic() - began < FIRST_MOVE_S


def test_a_match_by_a_private_link_to_its_end_with_the_dice_checked(person: NewPerson, server: ServerProcess) -> None:
    ada, bob, eve = (person(server.url) for _ in range(3))
    invite(ada, bob)
    eve.open(bob.page.url)  # no click
    expect(eve.status).to_have_text(re.compile("You are watching"))
    expect(ada.page.locator(".watchers")).to_have_text("1 watching")
    play_out(ada, bob)
    for one in (ada, bob, eve):
        expect(one.page.locator(".verdict.sound")).to_have_text(re.compile(r"^All \d+ rolls follow from the seeds"))
        assert "added no seed" not in one.page.locator(".verdict").inner_text()
    assert eve.page.evaluate("localStorage.getItem('tavla.token')") is None, "a watcher is nobody"
    first = ada.page.url
    ada.press("Rematch")
    expect(bob.page.get_by_text("challenges you")).to_be_visible()
    bob.press("Accept")
    for one in (ada, bob):
        one.page.wait_for_url(lambda url: url.partition("#")[0] != first.partition("#")[0])


def test_two_who_want_someone_meet(person: NewPerson, server: ServerProcess) -> None:
    ada, bob = person(server.url), person(server.url)
    for one in (ada, bob):
        one.open()
        one.page.get_by_label("Match").select_option("5")
        one.press("Play someone")
    for one in (ada, bob):
        expect(one.page.locator(".board")).to_be_visible()
    assert ada.page.url == bob.page.url


def test_the_page_against_a_terminal(person: NewPerson, server: ServerProcess, terminal: NewTerminal) -> None:
    tom = terminal("tom", "create", "sofa", "--length", "1")
    ada = person(server.url)
    ada.open()
    ada.page.get_by_role("listitem").filter(has_text="tom").get_by_role("button", name="Sit down").click()
    tom.wait_for("guest")
    expect(ada.page.locator(".player.opponent")).to_contain_text("tom")


def test_chat_is_shown_as_text(person: NewPerson, server: ServerProcess) -> None:
    ada, bob = person(server.url), person(server.url)
    invite(ada, bob)
    words = "<img src=x onerror=alert(1)> & <b>hi</b>"
    ada.page.get_by_label("Say something").fill(words)
    ada.page.get_by_label("Say something").press("Enter")
    expect(bob.page.locator(".talk li")).to_contain_text(words)
    assert bob.page.locator(".talk img").count() == 0
