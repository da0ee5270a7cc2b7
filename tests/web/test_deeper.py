"""A deeper look in the page's review: for who has an account, where the server judges."""

import sys

import pytest
from playwright.sync_api import expect

from tests.support.browser.finished import done, played
from tests.support.browser.lobby import PASSWORD, come_in, fits
from tests.support.browser.person import NewPerson
from tests.support.patience import PATIENCE_S
from tests.support.players.plain import unique
from tests.support.servers.processes import NewServer

# A server whose looks may take longer than a player waits: a busy machine has little time for them.
PATIENT = f"""
from tavla_server.features.analysis import deeper
from tavla_server.process.cli import main
deeper.LIMIT_S = {PATIENCE_S}
main()"""


@pytest.mark.long
def test_a_button_asks_the_servers_judge_for_a_deeper_look(person: NewPerson, new_server: NewServer) -> None:
    server = new_server("--analysis", "--judge", "house", command=[sys.executable, "-c", PATIENT])
    server.start()
    match = done(played(server.url, 1)).id
    eve = person(server.url)
    eve.open(f"/m/{match}?review#1")
    expect(eve.page.locator(".review .by")).to_contain_text("the house evaluator")
    expect(eve.button("Look deeper")).to_have_count(0)  # without an account
    eve.open()
    come_in(eve, unique("eve"), PASSWORD)
    eve.open(f"/m/{match}?review#1")
    eve.button("Look deeper").focus()
    eve.page.keyboard.press("Enter")
    found = eve.page.locator(".list", has=eve.page.get_by_role("heading", name="the house evaluator"))
    expect(found.locator("tbody tr")).not_to_have_count(0)
    expect(eve.page.get_by_role("status").filter(has=found)).to_have_count(1)  # where the button was: it is read aloud
    expect(eve.page.get_by_role("region", name="Look deeper")).to_be_focused()
    fits(eve)
