"""Acts of a player at an honest server, of every cause, in Chromium: the page says nothing of any."""

from playwright.sync_api import Page, expect
from tavla_client.own_acts import LANDING_S

from tests.support.browser.person import NewPerson, Person
from tests.support.browser.playing import begun, play_until, resign
from tests.support.servers.processes import ServerProcess

RED = ".challenge, .verdict.wrong"  # what is told above all screens, and a fault
ELSEWHERE = "You play this match in another window."


def assert_nothing_told(*pages: Page) -> None:
    """No doubt was told, nor is one left."""
    pages[0].wait_for_timeout(1000 * (LANDING_S + 1))
    for page in pages:
        assert page.locator(RED).count() == 0, page.locator(RED).all_inner_texts()


def play_a_turn(one: Person, other: Person) -> None:
    """One plays a turn, when it is theirs."""
    made = list[bool]()

    def turn() -> None:
        one.make_turn_at_once()
        made.append(True)

    one.turn = turn
    play_until(lambda: made, one, other)


def take_back(one: Person) -> None:
    """Play on in this tab."""
    one.page.bring_to_front()  # what is behind another tab draws nothing
    one.press("Take it back")


def test_another_tab_plays_and_resigns(person: NewPerson, server: ServerProcess) -> None:
    first, second = begun(person, server.url)
    first.page.wait_for_timeout(1000 * LANDING_S)  # from now on acts are judged
    tab = Person(first.context, server.url)
    tab.open(first.page.url)
    expect(first.status).to_have_text(ELSEWHERE)
    play_a_turn(tab, second)
    take_back(first)
    expect(tab.status).to_have_text(ELSEWHERE)
    play_a_turn(first, second)
    take_back(tab)
    expect(first.status).to_have_text(ELSEWHERE)
    resign(tab)
    second.until_ours("accept")
    second.page.bring_to_front()
    second.press("Accept")
    expect(second.button("Rematch")).to_be_visible()
    assert_nothing_told(first.page, tab.page, second.page)
    expect(second.page.locator(".verdict.sound")).to_have_count(1)


def test_a_resignation_that_was_refused_is_refused_again(person: NewPerson, server: ServerProcess) -> None:
    first, second = begun(person, server.url, length=3)
    for count in (1, 2):
        resign(first)
        if count == 1:
            assert second.until_ours("accept") == "accept"
            second.press("Play on")
            assert first.until_ours("move") == "move"
    expect(first.page.locator(".notice")).to_contain_text("refused")
    assert_nothing_told(first.page, second.page)
