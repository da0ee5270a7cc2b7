"""One's collection in the page: files are kept, listed, reviewed, count in one's curve, and are discarded."""

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.support.browser.axe import axe_faults
from tests.support.browser.lobby import come_in, dialog
from tests.support.browser.person import NewPerson
from tests.support.players.plain import unique
from tests.support.servers.processes import NewServer

FOLDER = Path(__file__).parents[1] / "data" / "foreign"
PASSWORD = "correct horse"
CHOOSER = "Matches of any program"


def test_files_are_kept_reviewed_and_discarded(person: NewPerson, new_server: NewServer, tmp_path: Path) -> None:
    server = new_server(data=tmp_path / "server")  # with an archive
    server.start()
    eve = person(server.url, judges=False)
    eve.open("/review")
    eve.page.get_by_label(CHOOSER).set_input_files(FOLDER / "commented-9.xg")
    expect(eve.page.locator(".review")).to_contain_text("With an account, the server keeps such matches")
    eve.open()
    come_in(eve, unique("eve"), PASSWORD)
    eve.open("/review")
    expect(eve.page.get_by_text("You keep no match yet")).to_be_visible()
    eve.page.get_by_label(CHOOSER).set_input_files([FOLDER / name for name in ("commented-9.xg", "online-7.xg")])
    eve.page.get_by_label("You are").select_option("Ada Öz")
    assert axe_faults(eve) == []
    eve.press("Keep these 2 matches")
    expect(eve.page.get_by_text("Kept: 2 of 2")).to_be_visible()
    eve.open("/review")
    rows = eve.page.get_by_role("region", name="Your collection").locator("tbody tr")
    expect(rows).to_have_text([re.compile("^ada – bob"), re.compile("^Ada Öz – Bob Çelik")])
    assert axe_faults(eve) == []
    rows.nth(1).get_by_role("link").click()
    expect(eve.page.locator(".review .status")).to_contain_text("Bob Çelik wins the match, 9 – 4")
    expect(eve.page.locator(".by")).to_contain_text("eXtreme Gammon")
    expect(eve.page.get_by_label("Only my mistakes")).to_be_visible()
    eve.press("Next mistake")
    decision = eve.page.locator(".decision .count").text_content()
    assert re.search(r"/review#file-[a-z2-7]{16}\.\d+$", eve.page.url)
    eve.page.reload()
    expect(eve.page.locator(".decision .count")).to_have_text(decision or "")
    eve.open("/review")
    rows.first.get_by_role("button", name="Discard ada – bob").click()
    assert axe_faults(eve) == []
    dialog(eve).get_by_role("button", name="Discard", exact=True).click()
    expect(rows).to_have_count(1)
    eve.open("/review#file-mzxw6ytboi2tgnzs")
    expect(eve.page.get_by_role("main")).to_contain_text("There is no match at this address")
