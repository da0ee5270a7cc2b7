"""A review that several look at together: one leads, the others follow, look elsewhere, talk and take the lead."""

import re
from pathlib import Path
from typing import Literal

from playwright.sync_api import Locator, expect

from tests.support.browser.axe import axe_faults
from tests.support.browser.finished import done, played
from tests.support.browser.person import NewPerson, Person
from tests.support.servers.processes import ServerProcess

FOREIGN = Path(__file__).parents[1] / "data" / "foreign"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


def status(person: Person) -> Locator:
    """What the shared review says of who leads."""
    return person.page.locator(".along .lead")


def present(person: Person) -> Locator:
    """Who is there."""
    return person.page.locator(".along .present")


def decision(person: Person) -> Locator:
    """The number of the decision that is shown, of how many."""
    return person.page.locator(".decision .count")


def join(person: Person, leader: Person) -> str:
    """Come in by the leader's link; one's name."""
    person.open(leader.page.url)
    expect(present(person)).to_be_visible()
    return str(person.page.evaluate("localStorage.getItem('tavla.name')"))


def test_three_look_at_a_match_together(person: NewPerson, server: ServerProcess) -> None:
    ada, bob, eve = (
        person(server.url, judges=False),
        person(server.url, judges=False, **PHONE),
        person(server.url, judges=False, locale="tr-TR"),
    )
    ada.open(f"/m/{done(played(server.url)).id}?review")
    ada.press("Review together")
    ada.page.wait_for_url(re.compile(r"/review#[a-z2-7]{16}$"))
    expect(status(ada)).to_contain_text("You lead")
    names = [join(bob, ada), join(eve, ada)]
    for name in names:
        expect(present(ada)).to_contain_text(name)
    expect(status(eve)).to_contain_text("görüyorsunuz")
    expect(decision(bob)).to_contain_text("Decision 1 of")
    for number in (2, 3):
        ada.press("One on")
        expect(decision(bob)).to_contain_text(f"Decision {number} of")
    _try_and_mark(ada, bob)
    _look_elsewhere_and_follow(ada, bob)
    ada.page.locator(".together form.say input").fill("look at this")
    ada.page.keyboard.press("Enter")
    expect(bob.page.locator(".together .log")).to_contain_text("look at this")
    for one in (ada, bob):
        assert axe_faults(one) == []
    assert bob.page.evaluate("document.documentElement.scrollWidth") <= 390
    _hand_over(ada, bob, names[0])


def _try_and_mark(ada: Person, bob: Person) -> None:
    ada.press("Try again")
    expect(bob.page.locator(".stepper.trial")).to_be_visible()
    start = ada.can_move()[0]
    ada.point(start).click()
    ada.point(ada.targets()[0]).click()
    expect(ada.page.locator(".die.used")).not_to_have_count(0)
    expect(bob.page.locator(".die.used")).to_have_count(ada.page.locator(".die.used").count())
    assert bob.position() == ada.position()
    ada.press("Mark and draw")
    ada.point(5).click()
    ada.point(20).click(button="right")
    for one in (ada, bob):
        expect(status(one)).to_contain_text("Marked: 5, 20.")
        expect(one.page.locator(".pointed > circle")).to_have_count(2)
    ada.point(5).click()
    expect(status(bob)).to_contain_text("Marked: 20.")
    _draw_arrows(ada, bob)
    ada.press("Mark and draw")


def _draw_arrows(ada: Person, bob: Person) -> None:
    before = ada.position()
    drawn: list[tuple[Literal["left", "right"], int]] = [("left", 1), ("right", 0), ("right", 1)]
    for button, ways in drawn:  # a second time it goes
        ada.point(6).hover()
        ada.page.mouse.down(button=button)
        ada.point(18).hover()
        ada.page.mouse.up(button=button)
        for one in (ada, bob):
            expect(one.page.locator(".pointed .way")).to_have_count(ways)
    expect(status(bob)).to_contain_text("Marked: 20. Arrows: 6–18.")
    assert ada.position() == before, "no checker was moved"


def _look_elsewhere_and_follow(ada: Person, bob: Person) -> None:
    bob.press("Show the answer")
    bob.press("One on")
    expect(status(bob)).to_contain_text("You look elsewhere")
    ada.press("Show the answer")
    ada.press("One on")
    ada.press("One on")
    expect(decision(ada)).to_contain_text("Decision 5 of")
    expect(decision(bob)).to_contain_text("Decision 4 of")
    bob.press("Follow")
    expect(decision(bob)).to_contain_text("Decision 5 of")
    expect(status(bob)).to_contain_text("You see what")


def _hand_over(ada: Person, bob: Person, name: str) -> None:
    ada.press("Give the lead to…")
    ada.press(name)
    expect(status(bob)).to_contain_text("You lead")
    bob.press("One on")
    expect(decision(ada)).to_contain_text("Decision 6 of")
    ada.page.reload()
    expect(decision(ada)).to_contain_text("Decision 6 of")
    ada.press("Take the lead")
    expect(status(bob)).to_contain_text("You see what")
    bob.page.get_by_role("link", name="Leave").click()
    expect(bob.page.get_by_role("heading", name="Review", exact=True)).to_be_visible()
    expect(present(ada)).not_to_contain_text(name)


def test_a_position_is_set_up_together_and_another_match_shown(person: NewPerson, server: ServerProcess) -> None:
    ada, bob = person(server.url, judges=False), person(server.url, judges=False)
    ada.open("/position")
    ada.press("Review together")
    expect(status(ada)).to_contain_text("You lead")
    join(bob, ada)
    for tapped in (6, 5):
        ada.point(tapped).click()
    xgid = re.compile("^XGID=-b---AD-C---eE---c-e----B-:")
    expect(bob.page.get_by_label("Paste an XGID")).to_have_value(xgid)
    window = ada.context.new_page()  # of the leader, too
    window.goto(ada.page.url)
    expect(window.locator(".along .lead")).to_contain_text("You lead")
    expect(window.get_by_label("Paste an XGID")).to_have_value(xgid)
    window.get_by_label("First die").select_option("6")
    for one in (ada, bob):
        expect(one.page.get_by_label("First die")).to_have_value("6")
    window.close()
    ada.press("Show another")
    ada.page.get_by_label("The link to a match").fill(f"{ada.http}/m/{done(played(server.url, 1)).id}?review")
    ada.page.locator(".along form button").click()
    expect(decision(bob)).to_contain_text("Decision 1 of")
    expect(ada.page.locator(".along form")).to_have_count(0)
    ada.press("Invite")
    expect(ada.page.get_by_alt_text("QR code of this link")).to_be_visible()
    expect(ada.page.locator(".along .link")).to_have_value(ada.page.url)


def test_a_private_match_is_shared_after_a_question(person: NewPerson, server: ServerProcess) -> None:
    ada, bob = person(server.url, judges=False), person(server.url, judges=False)
    match = done(played(server.url, 1, private=True))
    ada.open(f"/m/{match.id}?review#{match.code}")
    ada.press("Review together")
    expect(ada.page.get_by_role("dialog")).to_contain_text("This match is private.")
    assert axe_faults(ada) == []
    ada.press("Share it")
    expect(status(ada)).to_contain_text("You lead")
    join(bob, ada)
    expect(decision(bob)).to_contain_text("Decision 1 of")


def test_a_match_in_a_file_is_shared_with_the_marks_of_its_own_judge(person: NewPerson, server: ServerProcess) -> None:
    ada, bob = person(server.url, judges=False), person(server.url, judges=False, **PHONE)
    ada.open("/review")
    ada.page.get_by_label("Matches of any program").set_input_files(FOREIGN / "commented-9.xg")
    ada.press("Next mistake")
    number = decision(ada).inner_text()
    ada.press("Review together")
    expect(ada.page.get_by_role("dialog")).to_contain_text("not the file itself")
    assert axe_faults(ada) == []
    ada.press("Share it")
    expect(status(ada)).to_contain_text("You lead")
    join(bob, ada)
    for one in (ada, bob):
        expect(decision(one)).to_have_text(number)
        expect(one.page.locator(".by")).to_contain_text("eXtreme Gammon")
        expect(one.page.locator(".decision")).to_contain_text("Better, by eXtreme Gammon: 18/14* 6/1*")
        expect(one.page.locator(".review .status")).to_contain_text("Bob Çelik wins the match, 9 – 4")
    bob.page.reload()
    ada.press("One on")
    expect(decision(bob)).not_to_have_text(number)
    expect(decision(bob)).to_have_text(decision(ada).inner_text())
    ada.press("Show another")
    ada.page.get_by_label("The link to a match").fill("XGID=-b----E-C---eE---c-e----B-:0:0:1:62:0:0:0:5:10")
    ada.page.locator(".along form button").click()
    expect(bob.page.get_by_label("Paste an XGID")).to_have_value(re.compile("^XGID=-b----E-C---eE"))


def test_the_page_comes_back_to_it_after_the_server_was_killed(person: NewPerson, own_server: ServerProcess) -> None:
    ada, bob = person(own_server.url, judges=False), person(own_server.url, judges=False)
    ada.open("/position")
    ada.press("Review together")
    expect(status(ada)).to_contain_text("You lead")
    name = join(bob, ada)
    expect(present(ada)).to_contain_text(name)
    own_server.kill()
    for one in (ada, bob):
        expect(one.page.locator(".offline")).to_be_visible()
    for tapped in (6, 5):
        ada.point(tapped).click()
    own_server.restart()
    expect(bob.page.get_by_label("Paste an XGID")).to_have_value(re.compile("---AD-"))
    for one in (ada, bob):
        one.forgive("WebSocket connection", "net::ERR_")


def test_a_link_that_leads_nowhere_says_so(person: NewPerson, server: ServerProcess) -> None:
    ada = person(server.url, judges=False)
    ada.open("/review#" + 16 * "a")
    expect(ada.page.get_by_role("heading", name=re.compile("there is no such review"))).to_be_visible()
    ada.page.locator(".plain").get_by_role("link", name="Review").click()
    expect(ada.page.get_by_role("heading", name="Review", exact=True)).to_be_visible()
