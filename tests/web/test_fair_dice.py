"""The page's answer to whether the dice of a match and of its server were fair."""

import re

import pytest
from playwright.sync_api import expect
from tavla_server.features.archive.judgement import Judgement

from tests.support.browser.axe import axe_faults
from tests.support.browser.finished import done, judge, played
from tests.support.browser.person import NewPerson, Person
from tests.support.servers.processes import ServerProcess

pytestmark = pytest.mark.long

SIZES = [(360, 740), (1440, 900)]


def test_whether_the_dice_of_a_match_and_of_its_server_were_fair(person: NewPerson, own_server: ServerProcess) -> None:
    match = done(played(own_server.url))
    done(judge(own_server, match.id, Judgement(by="GNU Backgammon", luck=(0.25, -0.5))))
    own_server.kill()
    own_server.restart()  # it sums up when it starts
    eve = person(own_server.url)
    eve.open(f"/m/{match.id}?review")
    eve.page.get_by_role("link", name="Were these dice fair?").click()
    expect(eve.page.get_by_role("heading", name="Were these dice fair?")).to_be_visible()
    until_counted(eve)  # which may load the page anew: what it says of the match comes after that
    expect(eve.page.locator(".verdict.sound")).to_be_visible()
    expect(eve.page.get_by_text(re.compile(r"Luck, as GNU Backgammon sees it: .* \+0.250, .* −0.500"))).to_be_visible()
    counts = eve.page.locator(".fair td").filter(has_text=re.compile(r"^\d+"))
    rolled = [
        int(re.findall(r"rolled (\d+) times", text)[0])
        for text in eve.page.get_by_text(" times, with ").all_inner_texts()
    ]
    opening = int(re.findall(r"Opening rolls: (\d+)", eve.page.get_by_text("Opening rolls: ").inner_text())[0])
    assert sum(int(re.findall(r"^\d+", text)[0]) for text in counts.all_inner_texts()) == sum(rolled) + opening
    expect(eve.page.get_by_text("These are few rolls yet")).to_be_visible()
    expect(eve.page.get_by_text("A program has judged the luck in some of them, 1 so far")).to_be_visible()
    eve.page.get_by_text("How the bounds are reckoned").click()
    for size in SIZES:
        eve.page.set_viewport_size({"width": size[0], "height": size[1]})
        assert eve.page.evaluate("document.documentElement.scrollWidth") <= size[0]
        assert axe_faults(eve) == []
    bob = person(own_server.url, locale="tr-TR")
    bob.open("/dice")
    expect(bob.page.get_by_role("heading", name="Bu zarlar adil miydi?")).to_be_visible()
    until_counted(bob)
    assert axe_faults(bob) == []


def until_counted(person: Person) -> None:
    """Look again until the server, which has just begun, has counted its dice."""
    table = person.page.locator(".fair table")
    for _ in range(20):
        expect(person.page.locator(".fair section").last).not_to_contain_text("…")
        if table.count():
            return
        person.page.reload()
    expect(table).to_be_visible()
