"""Rows of lists and tables: names as long as they may be, what is offered beside them, and what stays in sight."""

from typing import Any

from playwright.sync_api import Locator, ViewportSize, expect
from tavla_protocol import messages as m

from tests.support.browser.lobby import come_in, dialog, fits, row
from tests.support.browser.loop import LoopBeside
from tests.support.browser.person import NewPerson
from tests.support.players.accounts import registered
from tests.support.players.matches import new_match
from tests.support.players.plain import Player
from tests.support.players.seeds import COMMITMENTS
from tests.support.players.tournaments import arena_of, entered
from tests.support.servers.processes import ServerProcess

LONGEST = 20  # signs of a name
DESK: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
ON_ITS_SIDE: ViewportSize = {"width": 844, "height": 390}
LINES = """one => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return new Set([...range.getClientRects()].map(({ y }) => Math.round(y))).size;
}"""


def lines(place: Locator) -> int:
    """How many lines its words take."""
    found: int = place.evaluate(LINES)
    return found


def test_the_longest_name_and_what_is_offered_beside_it_have_a_line_each(
    person: NewPerson, server: ServerProcess, beside: LoopBeside
) -> None:
    name = "maximilianhohenstein"
    assert len(name) == LONGEST
    beside.run(beside.enter(Player(server.url, name)).get(m.Snapshot, m.Create, rules={"length": 3}))
    for locale, begins in (("en", DESK), ("tr", PHONE)):
        ada = person(server.url, locale=locale, **begins)
        ada.open()
        rows = row(ada, name)
        expect(rows).to_have_count(2)  # the open table, and who is here
        for size in (DESK, PHONE):
            ada.page.set_viewport_size(size["viewport"])
            for one in rows.all():
                assert [lines(one.locator(what)) for what in (".name", "button")] == [1, 1], one.inner_text()
            fits(ada)


def test_a_name_that_nothing_breaks_has_one_line_in_standings_and_where_matches_are_watched(
    person: NewPerson, own_server: ServerProcess, beside: LoopBeside
) -> None:
    url, names = own_server.url, (LONGEST * "W", "Mustafa_Kemal_Yilmaz", LONGEST * "M")
    ada, director = person(url, **PHONE), beside.enter(Player(url))
    bob, eve = (beside.enter(Player(url, name)) for name in names[1:])
    tournament = beside.run(arena_of(director, format="swiss", starts=3600))
    beside.run(entered(bob, tournament, COMMITMENTS[0]))
    beside.run(new_match(bob, eve))
    ada.open()
    come_in(ada, names[0])
    ada.open(f"/tournaments/{tournament}")
    ada.press("Join")

    def has_a_line(place: Locator, name: str) -> None:
        shown = place.get_by_role("link", name=name, exact=True)
        expect(shown).to_have_attribute("title", name)
        assert lines(shown) == 1
        box, around = shown.bounding_box(), place.bounding_box()
        assert box is not None
        assert around is not None
        assert box["x"] + box["width"] <= around["x"] + around["width"]

    for name in names[:2]:
        has_a_line(ada.page.get_by_role("rowheader").filter(has_text=name), name)
    fits(ada)
    ada.open("/watch")
    ada.page.set_viewport_size({"width": 1024, "height": 768})
    for name in names[1:]:
        has_a_line(ada.page.locator(".lists .what b"), name)
    fits(ada)


def test_on_a_phone_what_a_dialog_is_for_is_in_sight_and_on_its_side_matches_are_beside_the_board(
    person: NewPerson, server: ServerProcess
) -> None:
    ada = person(server.url, **PHONE)
    for size in (PHONE["viewport"], ON_ITS_SIDE):
        ada.page.set_viewport_size(size)
        ada.open()
        ada.press("More options…")
        shown = dialog(ada)
        expect(shown).to_be_visible()
        assert shown.evaluate("one => one.scrollHeight > one.clientHeight")
        expect(shown.get_by_role("button", name="Open the table")).to_be_in_viewport(ratio=1)
        fits(ada)
    ada.open("/watch")
    board, listed = (ada.page.locator(one).bounding_box() for one in (".live .board", ".lists"))
    assert board is not None
    assert listed is not None
    assert board["x"] + board["width"] <= listed["x"]
    assert listed["y"] < board["y"] + board["height"] <= 390


def test_figures_of_a_player_are_written_as_in_the_language_of_the_page(
    person: NewPerson, server: ServerProcess, beside: LoopBeside
) -> None:
    eve, ada = person(server.url), beside.run(registered(beside.enter(Player(server.url))))
    eve.open(f"/p/{ada.name}")
    expect(eve.page.locator(".tagline")).to_contain_text("1500.0")
    eve.press("Settings")
    eve.page.get_by_label("Language").select_option("tr")
    expect(eve.page.locator(".tagline")).to_contain_text("1500,0")
