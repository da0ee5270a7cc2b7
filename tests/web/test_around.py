"""All that is around the board: the lobby, dialogs, accounts, profiles, talk, and words of the operators."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tavla_protocol import SUBPROTOCOL
from tavla_protocol import messages as m
from tavla_protocol.codec import decode_reply, pack
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.support.browser.chromium import keeping_nothing
from tests.support.browser.lobby import PASSWORD, come_in, dialog, fill_in, fits, row
from tests.support.browser.person import NewPerson, Person
from tests.support.browser.playing import invite
from tests.support.servers.our_programs import run_program
from tests.support.servers.processes import ServerProcess

PHONE = {"viewport": {"width": 360, "height": 640}}

pytestmark = pytest.mark.long


TOLD = "all => all.map(one => document.getElementById(one.getAttribute('aria-describedby')).textContent)"


def test_a_table_with_options_of_ones_own_is_listed_and_closed(person: NewPerson, server: ServerProcess) -> None:
    ada, bob = person(server.url), person(server.url)
    for one in (ada, bob):
        one.open()
    come_in(bob, "table-bob")
    ada.press("More options…")
    options = dialog(ada)
    expect(options.locator("small").last).not_to_be_empty()
    told = options.locator("[aria-describedby]").evaluate_all(TOLD)
    assert len(told) == options.locator("select, input").count()
    assert all(told), told
    fits(ada)
    expect(options.get_by_role("link", name="Crawford game")).to_have_attribute("href", "/learn#crawford")
    options.get_by_label("Rules").select_option("tavla")
    expect(options.get_by_role("link", name="no hit-and-run")).to_have_attribute("href", "/learn#rules-tavla")
    assert options.get_by_label("Match").input_value() == "5", "as the preset has it"
    assert not options.get_by_label("Doubling cube").is_checked()
    options.get_by_label("Your side").select_option("black")
    options.get_by_label("Clock").select_option("slow")
    options.get_by_label("Hints").check()
    options.get_by_label("Name of the table").fill("table-bob")
    options.get_by_role("button", name="Open the table").click()
    expect(options.get_by_role("alert")).to_have_text(re.compile("table-bob"))  # another player's name: said in place
    options.get_by_label("Name of the table").fill("the-sofa")
    options.get_by_role("button", name="Open the table").click()
    expect(ada.page.locator(".stone.black ~ .who").last).to_contain_text("guest")
    expect(row(bob, "the-sofa")).to_contain_text("5 points · no cube · Slow clock · Hints")
    ada.page.get_by_role("link", name="Tavla").click()
    row(ada, "the-sofa").get_by_role("button", name="Close the table").click()
    expect(row(bob, "the-sofa")).to_have_count(0)


def test_a_challenge_is_taken_back_declined_and_accepted(person: NewPerson, server: ServerProcess) -> None:
    ada, bob = person(server.url), person(server.url)
    for one, name in ((ada, "ask-ada"), (bob, "ask-bob")):
        one.open()
        come_in(one, name)
    for answer in ("Take it back", "Decline", "Accept"):
        row(ada, "ask-bob").get_by_role("button", name="Challenge").click()
        dialog(ada).get_by_label("Match").select_option("3")
        dialog(ada).get_by_role("button", name="Challenge").click()
        expect(bob.page.get_by_text("ask-ada challenges you: 3 points")).to_be_visible()
        (ada if answer == "Take it back" else bob).press(answer)
        for one in (ada, bob):
            expect(one.page.locator(".challenge")).to_have_count(0)
        if answer == "Decline":
            expect(ada.page.get_by_text("ask-bob does not want to play now.")).to_be_visible()
    for one in (ada, bob):
        expect(one.page.locator(".match .board")).to_be_visible()


def test_who_waits_for_a_quick_match_is_seen_and_met(person: NewPerson, server: ServerProcess) -> None:
    ada, bob = person(server.url), person(server.url)
    for one in (ada, bob):
        one.open()
    ada.press("More options…")
    dialog(ada).get_by_label("Against").select_option("quick")
    dialog(ada).get_by_label("Start").select_option("nackgammon")
    dialog(ada).get_by_role("button", name="Look for an opponent").click()
    expect(ada.page.get_by_role("heading", name="Looking for an opponent…")).to_be_visible()
    fits(ada)
    row(bob, "Nackgammon").get_by_role("button", name="Play").click()
    for one in (ada, bob):
        expect(one.page.locator(".match .board")).to_be_visible()


def test_an_account_is_made_left_and_come_back_to(person: NewPerson, server: ServerProcess) -> None:
    ada, bob = person(server.url, **PHONE, color_scheme="dark"), person(server.url)
    for one in (ada, bob):
        one.open()
    come_in(ada, "home-ada", PASSWORD)
    fields = {"Name": "username", "Password": "new-password"}
    bob.page.locator(".head .name").click()
    dialog(bob).get_by_role("button", name="New here").click()
    for label, autocomplete in fields.items():
        expect(dialog(bob).get_by_label(label)).to_have_attribute("autocomplete", autocomplete)
    fits(bob)
    fill_in(bob, "home-ada", "")
    expect(dialog(bob).get_by_role("alert")).to_contain_text("home-ada")  # is taken: said in place
    dialog(bob).get_by_role("button", name="Log in").first.click()
    fill_in(bob, "home-ada", "not " + PASSWORD)
    expect(dialog(bob).get_by_role("alert")).to_have_text(re.compile("password"))
    ada.page.locator(".head .name").click()
    fits(ada)
    dialog(ada).get_by_role("button", name="Log out", exact=True).click()
    expect(ada.page.locator(".head .name")).to_have_text("Log in")
    assert ada.page.evaluate("localStorage.getItem('tavla.token')") is None
    ada.page.locator(".head .name").click()
    expect(dialog(ada).get_by_label("Password")).to_have_attribute("autocomplete", "current-password")
    fill_in(ada, "home-ada", PASSWORD)
    expect(ada.page.locator(".head .name")).to_have_text("home-ada")
    ada.page.reload()
    expect(ada.page.locator(".head .name")).to_have_text("home-ada")
    ada.open("/p/home-ada")
    expect(ada.page.get_by_text("Player · Rating 1500.0 · Experience 0")).to_be_visible()
    fits(ada)
    ada.open("/p/nobody-here")
    expect(ada.page.get_by_role("heading", level=1)).to_contain_text("nobody-here")
    ada.open("/top")
    expect(ada.page.get_by_role("heading", name="Leaderboard")).to_be_visible()
    fits(ada)


def test_a_profile_whose_script_does_not_come_is_asked_for_again(person: NewPerson, server: ServerProcess) -> None:
    ada, bob = person(server.url), person(server.url)
    bob.open()
    come_in(bob, "late-bob")
    ada.page.route("**/people.js", lambda route: route.abort(), times=1)
    ada.open("/p/late-bob")
    expect(ada.page.get_by_role("heading", name="late-bob")).to_be_visible()
    assert ada.faults == ["Failed to load resource: net::ERR_FAILED"]
    ada.faults.clear()


def test_talk_phrases_and_those_one_would_rather_not_hear(person: NewPerson, server: ServerProcess) -> None:
    ada, bob = person(server.url), person(server.url, locale="tr-TR", **PHONE)
    eve = person(server.url)
    ada.open()
    come_in(ada, "talk-ada")
    ada.press("Play a friend")
    link = ada.page.locator("input.link").input_value()
    bob.open(link)
    bob.press("Otur")
    eve.open()
    come_in(eve, "talk-eve")
    eve.open(link)
    expect(ada.page.locator(".watchers")).to_have_text("1 watching: talk-eve")

    def says(one: Person, words: str) -> None:
        field = one.page.locator(".say input")
        field.fill(words)
        field.press("Enter")

    ada.page.get_by_label("Phrases").first.click()
    fits(ada)
    ada.press("Good luck!")
    expect(bob.page.locator(".log")).to_have_text("talk-ada Bol şans!")
    bob.page.get_by_label("Hazır sözler").first.click()
    fits(bob)
    bob.press("Bildir: talk-ada")
    fits(bob)
    dialog(bob).get_by_label("Ne oldu?").fill("insults me")
    dialog(bob).get_by_role("button", name="Bildir").click()
    expect(dialog(bob).get_by_role("status")).to_contain_text("Yöneticilere iletildi")
    dialog(bob).get_by_role("button", name="Kapat").click()
    bob.press("Sustur: talk-ada")
    expect(bob.button("Yeniden duy: talk-ada")).to_be_visible()
    bob.press("İzleyicileri sustur")
    expect(bob.button("İzleyicileri yeniden duy")).to_be_visible()
    says(ada, "not for bob")
    says(eve, "nor this")
    expect(ada.page.locator(".log")).to_contain_text("nor this")
    bob.press("Yeniden duy: talk-ada")
    expect(bob.button("Sustur: talk-ada")).to_be_visible()
    bob.press("İzleyicileri yeniden duy")
    expect(bob.button("İzleyicileri sustur")).to_be_visible()
    says(eve, "and now")
    expect(bob.page.locator(".log li")).to_have_text(["talk-ada Bol şans!", "talk-eve and now"])
    for one in (ada, eve):  # in the lobby, for those who ask for it
        one.page.get_by_role("link", name="Tavla").first.click()
        one.press("Open the chat")
    says(ada, "<b>hello</b> all")
    expect(eve.page.locator(".log")).to_contain_text("talk-ada <b>hello</b> all")
    fits(eve)


def operate(server: ServerProcess, *words: str) -> None:
    """Run a command of an operator beside the server."""
    run_program("tavla-server", "admin", "--data", str(server.data), *words).check_returncode()


def test_who_is_told_something_sent_away_or_kept_out_reads_why(person: NewPerson, server: ServerProcess) -> None:
    ada = person(server.url, **PHONE)
    ada.open()
    come_in(ada, "gone-ada")
    told = ada.page.locator(".challenge")
    operate(server, "broadcast", "at ten we rest")
    expect(told).to_contain_text("at ten we rest")
    fits(ada)
    ada.press("Close")
    expect(told).to_have_count(0)
    operate(server, "kick", "gone-ada", "be kind")
    expect(told).to_contain_text("be kind")
    expect(ada.page.locator(".offline")).to_have_text("You are disconnected. Close the notice to come back.")
    ada.press("Close")  # until then the page does not come back
    expect(ada.page.locator(".offline")).to_have_count(0)
    expect(told).to_have_count(0)
    operate(server, "ban", "gone-ada", "is a program", "--for", "2h")
    expect(told).to_contain_text("is a program")
    ada.press("Close")
    expect(ada.page.locator(".notice")).to_have_text(re.compile("^You are banned until .*: is a program"))
    fits(ada)


def test_where_the_browser_keeps_nothing_one_plays_all_the_same_and_is_told_what_that_means(
    person: NewPerson, browser: Browser, server: ServerProcess, tmp_path: Path
) -> None:
    with keeping_nothing(browser, tmp_path) as context:
        ada, bob = person(server.url), Person(context, server.url)
        invite(ada, bob)
        expect(bob.page.get_by_role("alert")).to_contain_text("This browser keeps nothing for this page")
        for one in (ada, bob, ada, bob):
            one.act()
        ada.page.wait_for_function("() => document.querySelectorAll('.number.reached').length > 0")
        bob.press("Close")
        expect(bob.page.get_by_role("alert")).to_have_count(0)
        bob.set("Theme", "dark")
        bob.check()


def test_a_record_that_is_asked_for_too_often_is_waited_for(person: NewPerson, server: ServerProcess) -> None:
    ada, bob = person(server.url), person(server.url)
    invite(ada, bob)
    match = ada.page.url.rpartition("/m/")[2]
    token = ada.page.evaluate("localStorage.getItem('tavla.token')")
    with connect(server.url, subprotocols=[Subprotocol(SUBPROTOCOL)]) as link:
        link.send(pack(m.Hello(id=1, token=token)))
        asked = set(range(2, 60))
        for number in asked:
            link.send(pack(m.Record(id=number, match=match)))
        while asked:
            asked.discard(getattr(decode_reply(link.recv(decode=False)), "id", 0))
        with ada.page.expect_download():
            ada.choose("Save .mat")
    assert ada.page.locator(".notice").count() == 0
