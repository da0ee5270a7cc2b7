"""Matches that are cut short: by agreement, absence, a seed that is not shown, another window, or a dead link."""

import os
import re
import signal

from playwright.sync_api import expect
from tavla_protocol import messages as m

from tests.support.browser.axe import axe_faults
from tests.support.browser.lobby import dialog, fits
from tests.support.browser.loop import LoopBeside
from tests.support.browser.person import NewPerson
from tests.support.browser.playing import in_turn, invite, opposed
from tests.support.players.plain import Player
from tests.support.servers.processes import NewServer, ServerProcess
from tests.support.servers.timed import timed

PHONE = {"viewport": {"width": 360, "height": 640}}
FORGET_SEEDS = """() => {
  for (const key of Object.keys(localStorage)) if (key.startsWith('tavla.seed/')) localStorage.removeItem(key);
}"""


def test_both_agree_to_abort_and_the_match_can_be_reviewed(person: NewPerson, server: ServerProcess) -> None:
    ada, bob = person(server.url), person(server.url, **PHONE)
    invite(ada, bob)
    first, second = in_turn(ada, bob)
    first.make_turn()
    second.until_ours()
    second.choose("Abort")
    second.press("Yes, ask")
    expect(second.page.get_by_text("You have asked to end the match")).to_be_visible()
    expect(first.page.get_by_text("would like to end the match")).to_be_visible()
    first.press("Agree")
    for one in (ada, bob):
        expect(one.status).to_have_text("The match ended without a winner, as both wished.")
        one.page.evaluate("window.isHere = true")
        one.page.locator(".result").get_by_role("link", name="Review").click()
        expect(one.page.locator(".decisions .which")).to_have_text("Game 1 · 0 – 0")
        assert one.page.evaluate("window.isHere"), "the same document, and the same connection"
        fits(one)
        expect(one.status).to_have_text("The match ended without a winner, as both wished.")
        expect(one.page.locator(".decision .count")).to_have_text("Decision 1 of 1")
        assert one.point(6).get_attribute("aria-label") == "6 point, 5 yours"
        one.page.get_by_label("Say something").fill("one more?")
        one.page.keyboard.press("Enter")
        expect(one.page.locator(".log")).to_contain_text("one more?")
        one.page.go_back()
        expect(one.button("Rematch")).to_be_visible()


def test_of_two_tabs_the_newer_one_plays_until_the_older_takes_it_back(
    person: NewPerson, server: ServerProcess, beside: LoopBeside
) -> None:
    ada = person(server.url)
    opposed(ada, beside)
    older, newer = ada.page, ada.context.new_page()
    newer.goto(server.url.replace("ws://", "http://"))
    expect(newer.get_by_role("link", name="Go on")).to_be_visible()  # the lobby has no board
    expect(older.locator(".status")).not_to_have_text("You play this match in another window.")
    newer.get_by_role("link", name="Go on").click()
    expect(newer.locator(".status")).to_be_visible()
    expect(older.locator(".status")).to_have_text("You play this match in another window.")
    assert axe_faults(ada) == []
    older.get_by_role("button", name="Take it back").click()
    expect(newer.locator(".status")).to_have_text("You play this match in another window.")
    expect(older.locator(".status")).not_to_have_text("You play this match in another window.")
    newer.get_by_role("button", name="Take it back").click()
    expect(older.locator(".status")).to_have_text("You play this match in another window.")
    newer.close()
    expect(older.locator(".status")).not_to_have_text("You play this match in another window.")


def test_who_stays_away_loses_by_a_claim_and_a_dead_link_is_told_and_mended(
    person: NewPerson, new_server: NewServer
) -> None:
    server = new_server(command=timed(claim_s=2, claim_least_s=2))
    server.start()
    ada, bob = person(server.url, worker=True), person(server.url, worker=True)
    ada.open()
    ada.page.get_by_label("Clock").select_option("fast")
    invite(ada, bob)
    away, here = in_turn(ada, bob)  # the match waits for the one who goes
    away.check()
    away.page.goto("about:blank")
    expect(here.page.locator("p.away")).to_have_text(re.compile(r"is away\.( You may claim the match in 0:0|$)"))
    fits(here)
    here.press("Claim the match")
    expect(here.status).to_have_text("You win the match: the other player left.")
    os.kill(server.pid, signal.SIGSTOP)  # no word comes any more, and no end of the connection
    expect(here.page.locator(".offline")).to_be_visible()
    os.kill(server.pid, signal.SIGCONT)
    expect(here.page.locator(".offline")).to_have_count(0)
    here.open()
    assert here.page.evaluate("navigator.serviceWorker.ready.then(ready => ready.scope)").endswith("/")
    expect(here.page.get_by_role("heading", name="People here")).to_be_visible()
    server.kill()
    expect(here.page.locator(".lobby.stale")).to_be_visible()
    here.open("/m/k3v7q2xa")  # without a network the page comes by its worker
    expect(here.page.locator(".offline")).to_be_visible()
    here.open()
    expect(here.page.locator(".offline")).to_be_visible()
    assert here.page.locator(".list").count() == 0, "nothing old is shown as if it were so"
    offline = "WebSocket", "net::ERR_CONNECTION_REFUSED"  # the browser's own words; the page asks for /address, too
    here.forgive(*offline)


def test_a_void_match_says_who_did_not_reveal_and_the_profile_how_often(
    person: NewPerson, new_server: NewServer
) -> None:
    server = new_server(command=timed(reveal_s=5, reveal_away_s=5, return_ms=100))
    server.start()
    ada, bob = person(server.url), person(server.url, **PHONE)
    ada.open()
    ada.press("More options…")
    ada.press("Open the table")  # a public one: a private match is in no count that others see
    link = ada.page.locator("input.link").input_value()
    name = ada.page.locator(".head .name").inner_text()
    ada.page.evaluate(FORGET_SEEDS)
    bob.open(link)
    expect(bob.page.get_by_text("This seat is free.")).to_have_count(1)
    fits(bob)
    bob.press("Sit down")
    expect(bob.status).to_have_text(
        f"The match is void and counts for nobody: {name} did not reveal a seed for the dice."
    )
    assert bob.status.evaluate("one => one.scrollHeight <= one.clientHeight"), "it is whole"
    expect(bob.page.locator(".verdict")).to_contain_text(f"No seed came from {name}. A line may have failed;")
    expect(bob.page.locator(".verdict")).to_be_visible()
    expect(ada.status).to_have_text("The match is void and counts for nobody.")
    expect(ada.page.locator(".verdict")).to_have_text("Your seed for the dice was not revealed from this device.")
    assert ada.page.locator(".verdict.wrong").count() == 0
    fits(bob)
    bob.open(f"/p/{name}")
    expect(bob.page.locator(".tagline")).to_contain_text("did not reveal 1 of 1")
    bob.open()
    expect(bob.page.get_by_text("Void matches on this server: 1 of 1.")).to_be_visible()
    guest = bob.page.locator(".head .name").inner_text()
    bob.page.locator(".head .name").click()
    fits(bob)
    dialog(bob).get_by_role("link", name="Profile").click()
    expect(bob.page.get_by_role("heading", name=guest)).to_be_visible()
    expect(dialog(bob)).to_have_count(0)


ASKED_FOR_MORE = """() => {
  for (const [key, kept] of Object.entries(localStorage)) {
    if (!key.startsWith('tavla.seed/')) continue;
    const pledge = JSON.parse(kept);
    pledge.asked.length = 5;
    localStorage.setItem(key, JSON.stringify(pledge));
  }
}"""


def test_a_match_that_was_not_asked_for_begins_when_its_player_wants_it_all_the_same(
    person: NewPerson, server: ServerProcess
) -> None:
    ada, bob = person(server.url), person(server.url, **PHONE)
    ada.open()
    ada.page.get_by_label("Match").select_option("1")
    ada.press("Play a friend")
    bob.open(ada.page.locator("input.link").input_value())
    ada.page.evaluate(ASKED_FOR_MORE)
    bob.press("Sit down")
    expect(ada.status).to_have_text("Play is stopped")
    expect(ada.page.locator(".verdict.wrong")).to_contain_text("You asked for: 5 points. The server offers: 1 point.")
    expect(bob.status).to_have_text("Drawing seeds for the dice…")
    ada.press("Go on in spite of it")
    for one in (ada, bob):
        expect(one.page.locator(".dice").first).to_be_visible()
        expect(one.status).not_to_have_text(re.compile("seeds|stopped"))


def test_a_device_that_does_not_hold_the_seed_says_where_it_is(
    person: NewPerson, server: ServerProcess, beside: LoopBeside
) -> None:
    ada, bob = person(server.url), beside.enter(Player(server.url))
    ada.open()
    ada.press("Play a friend")
    table, _, code = ada.page.locator("input.link").input_value().partition("/m/")[2].partition("#")
    ada.page.evaluate(FORGET_SEEDS)
    beside.run(bob.get(m.Snapshot, m.Join, table=table, code=code))
    expect(ada.page.get_by_text("The seed is on the device that you started from: open it")).to_be_visible()
