"""Rows of lists and tables: names as long as they may be, what is offered beside them, and what stays in sight."""

import itertools
from typing import Any

from playwright.sync_api import Locator, expect
from tavla_client import Client

from tests.support.browser.finished import done
from tests.support.browser.lobby import PASSWORD, come_in, dialog, fits, row
from tests.support.browser.person import NewPerson
from tests.support.browser.playing import invite
from tests.support.players.plain import Player, unique
from tests.support.players.tournaments import arena_of
from tests.support.servers.processes import ServerProcess

LONGEST = 20  # signs of a name
DESK: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
ON_ITS_SIDE: dict[str, Any] = {"viewport": {"width": 844, "height": 390}, "has_touch": True}
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
    person: NewPerson, server: ServerProcess
) -> None:
    bob, name = person(server.url), "maximilianhohenstein"
    assert len(name) == LONGEST
    bob.open()
    come_in(bob, name)
    bob.press("More options…")
    dialog(bob).get_by_role("button", name="Open the table").click()
    expect(bob.page.locator("input.link")).to_be_visible()
    for size, locale in itertools.product((DESK, PHONE), ("en", "tr")):
        ada = person(server.url, locale=locale, **size)
        ada.open()
        rows = row(ada, name)
        expect(rows).to_have_count(2)  # the open table, and who is here
        for one in rows.all():
            assert [lines(one.locator(what)) for what in (".name", "button")] == [1, 1], one.inner_text()
        fits(ada)


def test_a_name_that_nothing_breaks_has_one_line_in_standings_and_where_matches_are_watched(
    person: NewPerson, own_server: ServerProcess
) -> None:
    url, names = own_server.url, (LONGEST * "W", "Mustafa_Kemal_Yilmaz")
    ada, bob, eve = person(url, **PHONE), person(url), person(url, viewport={"width": 1024, "height": 768})

    async def made() -> str:
        async with Player(url) as director:
            return await arena_of(director, format="swiss", starts=3600)

    tournament = done(made())
    for one, name in zip((ada, bob), names, strict=True):
        one.open()
        come_in(one, name)
        one.open(f"/tournaments/{tournament}")
        one.press("Join")

    def has_a_line(place: Locator, name: str) -> None:
        shown = place.get_by_role("link", name=name, exact=True)
        expect(shown).to_have_attribute("title", name)
        assert lines(shown) == 1
        box, around = shown.bounding_box(), place.bounding_box()
        assert box is not None
        assert around is not None
        assert box["x"] + box["width"] <= around["x"] + around["width"]

    for name in names:
        has_a_line(ada.page.get_by_role("rowheader").filter(has_text=name), name)
    fits(ada)
    invite(ada, bob, Clock="normal")
    eve.open("/watch")
    for name in names:
        has_a_line(eve.page.locator(".lists .what b"), name)
    fits(eve)


def test_what_a_dialog_is_for_is_in_sight_however_long_it_is(person: NewPerson, server: ServerProcess) -> None:
    for size in (PHONE, ON_ITS_SIDE):
        ada = person(server.url, **size)
        ada.open()
        ada.press("More options…")
        shown = dialog(ada)
        expect(shown).to_be_visible()
        assert shown.evaluate("one => one.scrollHeight > one.clientHeight")
        expect(shown.get_by_role("button", name="Open the table")).to_be_in_viewport(ratio=1)
        fits(ada)


def test_on_a_phone_on_its_side_the_matches_stand_beside_the_board(person: NewPerson, server: ServerProcess) -> None:
    ada = person(server.url, **ON_ITS_SIDE)
    ada.open("/watch")
    board, listed = (ada.page.locator(one).bounding_box() for one in (".live .board", ".lists"))
    assert board is not None
    assert listed is not None
    assert board["x"] + board["width"] <= listed["x"]
    assert listed["y"] < board["y"] + board["height"] <= 390


def test_figures_of_a_player_are_written_as_in_the_language_of_the_page(
    person: NewPerson, server: ServerProcess
) -> None:
    name = unique("a")

    async def comes() -> None:
        async with Client(server.url, name=name) as client:
            await client.account.register(PASSWORD)

    done(comes())
    for locale, rating in (("en", "1500.0"), ("tr", "1500,0")):
        eve = person(server.url, locale=locale)
        eve.open(f"/p/{name}")
        expect(eve.page.locator(".tagline")).to_contain_text(rating)
