"""The screens: on phones, by keyboard, for screen readers, and what is kept when the server is killed."""

import re
from typing import Literal

import pytest
from playwright.sync_api import expect

from tests.support.browser.axe import axe_faults
from tests.support.browser.person import NewPerson, Person, picture
from tests.support.browser.playing import begun, in_turn, invite, resign
from tests.support.patience import until
from tests.support.servers.processes import ServerProcess
from tests.support.stores.journals import Past

SIZES = [(360, 640), (390, 844), (844, 390), (1280, 800)]


def test_it_fits_on_every_screen(two: tuple[Person, Person]) -> None:
    ada, _ = two
    for width, height in SIZES:
        ada.page.set_viewport_size({"width": width, "height": height})
        ada.page.evaluate("() => new Promise(requestAnimationFrame)")
        inside, board, point = ada.page.evaluate(
            """() => [document.documentElement.scrollWidth,
                      document.querySelector(".board").getBoundingClientRect().width,
                      document.querySelector("[data-point='6'] .zone").getBoundingClientRect().width]"""
        )
        assert inside <= width, "nothing to scroll sideways"
        assert point >= 24, "a finger finds a point"
        if width < height:
            assert board >= 0.96 * width
            panel, field = (ada.page.locator(one).bounding_box() for one in (".side", ".say"))
            assert panel
            assert field
            assert field["y"] + field["height"] <= panel["y"] + panel["height"], "it lies in the panel"
        smallest = ada.page.locator(".controls button").evaluate_all(
            "all => Math.min(...all.map(one => one.getBoundingClientRect().height))"
        )
        assert smallest >= 44


def test_a_turn_is_made_by_drag_and_taken_back(two: tuple[Person, Person]) -> None:
    ada, bob = two
    before = ada.point(ada.can_move()[-1]).get_attribute("aria-label")
    start = ada.can_move()[-1]
    ada.point(start).click()
    goal = max(ada.targets())  # one die's way: u takes back one step
    ada.page.keyboard.press("Escape")
    ada.point(start).drag_to(ada.point(goal))
    assert ada.point(goal).get_attribute("aria-label") != before
    expect(ada.button("Undo")).to_be_enabled()
    assert bob.asked() == "", "nothing is sent before Done"
    while ada.button("Undo").is_enabled():  # a target may have been two steps away
        ada.press("Undo")
        ada.page.evaluate("() => new Promise(requestAnimationFrame)")
    expect(ada.point(start)).to_have_attribute("aria-label", str(before))


def test_a_turn_by_keyboard_alone(two: tuple[Person, Person]) -> None:
    ada, _ = two
    ada.point(6).focus()
    seen = set()
    for key in ("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"):
        ada.page.keyboard.press(key)
        seen.add(ada.page.evaluate("document.activeElement.dataset.point"))
    assert seen == {"7", "18", "25"} or len(seen) >= 3, seen
    while not ada.button("Done").is_enabled():
        ada.point(ada.can_move()[-1]).focus()
        ada.page.keyboard.press("Enter")
        ada.point(ada.targets()[0]).focus()
        ada.page.keyboard.press("Enter")
    expect(ada.said).to_contain_text("Done")
    ada.page.keyboard.press("p")
    expect(ada.said).to_have_text(re.compile(r"^Pips: you \d+, opponent 167\.$"))
    while ada.button("Undo").is_enabled():
        ada.page.keyboard.press("u")


def test_a_turn_is_typed(two: tuple[Person, Person]) -> None:
    ada, _ = two
    start = ada.can_move()[-1]
    ada.point(start).click()
    goal = max(ada.targets())  # one die's way: u takes back one step
    ada.point(1).click()
    expect(ada.page.locator(".notice")).to_have_text(re.compile("^The 1 point is closed"))
    ada.page.keyboard.type("6/8")
    ada.page.keyboard.press("Enter")
    expect(ada.page.locator(".notice")).to_have_text(re.compile("^Checkers never go back"))
    ada.page.keyboard.press("Escape")
    ada.page.keyboard.type(f"{start}/{goal}")
    ada.page.keyboard.press("Enter")
    expect(ada.button("Undo")).to_be_enabled()
    expect(ada.page.locator(".notice")).to_have_count(0)
    ada.page.keyboard.press("u")
    expect(ada.button("Undo")).to_be_disabled()


def test_points_are_told_to_screen_readers(two: tuple[Person, Person]) -> None:
    ada, _ = two
    expect(ada.point(6)).to_have_attribute("aria-label", re.compile("^6 point, 5 yours"))
    expect(ada.point(1)).to_have_attribute("aria-label", re.compile("^1 point, 2 theirs"))
    expect(ada.point(20)).to_have_attribute("aria-label", re.compile("^20 point, empty"))
    expect(ada.point(25)).to_have_attribute("aria-label", "Bar, 0 yours, 0 theirs")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(two: tuple[Person, Person], scheme: Literal["light", "dark"]) -> None:
    ada, _ = two
    for one in two:
        one.page.emulate_media(color_scheme=scheme)
        assert axe_faults(one) == []
    ada.choose("Resign")
    assert axe_faults(ada) == []
    ada.page.keyboard.press("Escape")
    ada.page.keyboard.press("?")
    assert axe_faults(ada) == []
    ada.press("Close")
    ada.press("Settings")
    assert axe_faults(ada) == []
    ada.open()
    expect(ada.button("Play the computer")).to_be_visible()
    ada.page.set_viewport_size({"width": 360, "height": 640})
    # a match that waits is seen at once, on a phone, too
    expect(ada.page.get_by_role("link", name="Go on")).to_be_in_viewport(ratio=1)
    assert axe_faults(ada) == []


def test_what_cannot_be_taken_back_is_asked_twice(person: NewPerson, server: ServerProcess) -> None:
    first, second = begun(person, server.url, length=3)
    first.make_turn()
    assert second.until_ours("roll") == "roll"
    second.page.keyboard.press("d")
    expect(second.page.get_by_text("The game would be worth 2 points")).to_be_visible()
    expect(second.page.locator(".blanks")).to_have_count(0)
    second.press("No, go back")
    second.page.locator(".cube").click()
    expect(second.page.get_by_text("The game would be worth 2 points")).to_be_visible()
    assert first.asked() == "", "nothing is offered before it is asked again"
    second.press("Yes, double")
    first.until_ours("take")
    assert axe_faults(first) == []
    first.press("Drop: lose 1 point")
    first.press("No, go back")
    first.press("Drop: lose 1 point")
    first.press("Yes, drop")
    expect(first.status).to_have_text(re.compile("wins 1 point"))
    assert axe_faults(first) == [], "between two games"
    second.press("Next game")
    first.press("Next game")
    until(lambda: "move" in (first.asked(), second.asked()), "the next game")
    first, second = (first, second) if first.asked() == "move" else (second, first)
    first.make_turn()
    assert second.until_ours("roll") == "roll"
    expect(first.page.locator(".blanks")).to_have_count(0)
    second.page.locator(".blanks").click()
    expect(second.page.locator(".dice.mine")).to_be_visible()
    resign(second)
    assert first.until_ours("accept") == "accept"
    assert axe_faults(first) == [], "a resignation is offered"
    first.press("Play on")
    assert second.until_ours() == "move"


def test_a_game_without_resignations_is_given_up_and_one_who_is_elsewhere_reads_it(
    person: NewPerson, server: ServerProcess
) -> None:
    ada, bob = person(server.url), person(server.url)
    invite(ada, bob, Rules="mpgn", Match="11")
    expect(ada.page.locator(".side .rules")).to_have_text(re.compile("^Game network · 11 points · Hints"))
    ada.choose("Resign")
    expect(ada.page.get_by_role("alertdialog")).to_contain_text(re.compile(r"for [248] points\? Your opponent is not"))
    ada.press("Yes, resign")
    expect(ada.button("Next game")).to_be_visible()
    bob.open()
    expect(bob.page.get_by_role("link", name="Go on")).to_be_visible()
    ada.choose("Resign")
    expect(ada.page.get_by_role("alertdialog")).to_contain_text("Give up the match? Your opponent is not")
    ada.press("Yes, resign")
    expect(bob.page.get_by_role("alert")).to_contain_text(re.compile("You win the match"))
    expect(bob.page.get_by_role("link", name="Go on")).to_have_count(0)


TOOLTIPS = {".player.own .pips": "pips", ".player.own .score": "Score", ".player.own .clock": "Clock"}
SKIP = """tap => {
    const look = () => {
        if (!document.querySelector(".dice.theirs")) return;
        seen.disconnect();
        const zone = document.querySelector("[data-point='6'] .zone");
        if (tap) zone.dispatchEvent(new MouseEvent("click", { bubbles: true }));
        else zone.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    };
    const seen = new MutationObserver(look);
    seen.observe(document.querySelector(".things"), { childList: true });
}"""


def test_what_is_shown_can_be_skipped_and_things_have_tooltips(person: NewPerson, server: ServerProcess) -> None:
    """With the first thing that is shown of a turn it is skipped: the next position is the one after the whole turn."""
    ada, bob = person(server.url), person(server.url)
    ada.open()
    ada.page.get_by_label("Clock").select_option("slow")
    invite(ada, bob, length=3)
    for one in (ada, bob):
        one.set("Animation", "slow")
        for part, title in TOOLTIPS.items():
            expect(one.page.locator(part)).to_have_attribute("title", title)
    expect(ada.page.locator("[data-point='0'] title")).to_have_text(re.compile("^Off, 0 yours, 0 theirs"))
    first, second = in_turn(ada, bob)
    for mover, other, by_tap in ((first, second, None), (second, first, False), (first, second, True)):
        if by_tap is not None:
            other.page.wait_for_function("() => !document.querySelector('.dice.theirs')")
            other.page.evaluate(SKIP, by_tap)
            other.listen()
            before = other.position()
        if mover.until_ours() == "roll":
            mover.act()
            assert mover.until_ours() == "move"
        mover.make_turn()
        if by_tap is not None:
            other.until_ours()
            after = other.position()
            assert other.shown() in ([picture(after)], [picture(before), picture(after)]), "nothing in between"


def test_a_server_that_is_killed_under_the_page_costs_nothing(person: NewPerson, own_server: ServerProcess) -> None:
    """But if its store has forgotten something, that is said."""
    ada, bob = begun(person, own_server.url)
    pips = ada.page.locator(".die circle").count()
    start = ada.can_move()[-1]
    ada.point(start).click()
    ada.point(ada.targets()[0]).click()
    half = ada.page.locator("[data-point]").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    place = ada.page.locator(".board").bounding_box()
    own_server.kill()
    expect(ada.page.locator(".offline")).to_be_visible()
    assert ada.page.locator(".board").bounding_box() == place, "nothing is pushed aside"
    own_server.restart()
    expect(ada.page.locator(".offline")).to_have_count(0)
    expect(ada.button("Undo")).to_be_enabled()
    after = ada.page.locator("[data-point]").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    assert after == half, "the half-made turn is as it was"
    expect(ada.page.locator(".die circle")).to_have_count(pips)
    past = Past(own_server.store_url, ada.page.url.partition("/m/")[2].partition("#")[0])
    ada.make_turn()
    bob.until_ours()
    bob.press("Settings")
    bob.page.get_by_label("Language").select_option("tr")
    expect(bob.page.get_by_label(re.compile("^Dil"))).to_have_value("tr")  # its texts come from the server
    past.put_back(own_server)
    expect(ada.page.locator(".notice")).to_have_text(re.compile("^The server has lost what happened last"))
    expect(bob.page.locator(".notice")).to_have_text(re.compile("^Sunucu son olanları kaybetti"))
    assert ada.until_ours() == "move", "once more"
    ada.make_turn()
    expect(bob.page.locator(".player.own .turn")).to_be_visible()
    for one in (ada, bob):
        one.forgive("WebSocket connection", "net::ERR_")


def test_a_player_whose_seat_the_store_has_lost_is_told_that_the_dice_are_others_before_the_next_seed_is_shown(
    person: NewPerson, own_server: ServerProcess
) -> None:
    ada, bob = person(own_server.url), person(own_server.url)
    ada.open()
    ada.press("Play a friend")
    link = ada.page.locator("input.link").input_value()
    past = Past(own_server.store_url, link.partition("/m/")[2].partition("#")[0])
    bob.open(link)
    bob.press("Sit down")
    for one in (ada, bob):
        expect(one.status).not_to_have_text(re.compile("Waiting|seeds|free"))
    past.put_back(own_server)
    expect(bob.page.locator(".notice")).to_have_text(re.compile("^The server has lost what happened last"))
    sent = bob.page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('tavla.seed/'))")
    bob.press("Sit down")
    expect(bob.status).to_have_text("Play is stopped")
    expect(bob.page.locator(".verdict.wrong")).to_contain_text("The terms of the match are no longer those")
    bob.press("Go on in spite of it")
    bob.page.wait_for_function(
        """sent => Object.entries(localStorage).some(([key, kept]) => {
            if (!key.startsWith('tavla.seed/') || sent.includes(key)) return false;
            const { match, taken } = JSON.parse(kept);
            return match && taken;
        })""",
        arg=sent,
    )
    expect(bob.page.locator(".stopped, .verdict.wrong")).to_have_text([])  # bob's own seed is as he has sent it
    counted = "key => JSON.parse(localStorage.getItem(key)).end"
    assert [bob.page.evaluate(counted, key) for key in sent] == ["B"], "the first one is counted"
    for one in (ada, bob):
        one.forgive("WebSocket connection", "net::ERR_")
