"""The page for who hears it: roles, names, what is told, and where the focus is; without a mouse."""

import re

from playwright.sync_api import expect

from tests.support.browser.person import NewPerson, Person
from tests.support.patience import until
from tests.support.servers.processes import ServerProcess


def has_focus(person: Person, name: str) -> None:
    until(lambda: re.search(name, person.focused()), f"the focus on {name}")


def test_a_puzzle_is_answered_and_left_for_the_next_by_keys_alone(person: NewPerson, server: ServerProcess) -> None:
    eve = person(server.url)
    eve.open("/puzzles#classic")
    told, keys = eve.page.locator(".said[role=status]"), eve.page.keyboard
    expect(told).to_have_text("Your turn: play 3-1 on the board.")
    for key in ("n", "Enter", "Enter"):
        keys.press(key)
    expect(told).to_have_text("24/21. ")
    eve.button("Undo").focus()
    keys.press("Enter")
    expect(told).to_have_text("Your turn: play 3-1 on the board.")
    has_focus(eve, "^24 point, 2 yours, can move$")
    for point in ("8 point", "6 point"):
        while not eve.focused().startswith(point):
            keys.press("n")
        for key in ("Enter", "Enter"):
            keys.press(key)
        has_focus(eve, ", can move$" if point == "8 point" else f"^{point}")
    expect(told).to_have_text("8/5 6/5. Press Done to end your turn")
    keys.press("d")
    expect(told).to_contain_text("Right!")
    expect(eve.page.get_by_role("status")).to_have_count(1)  # the question is not told once more
    has_focus(eve, "^Next$")
    keys.press("Enter")
    expect(told).to_have_text("Your turn: play 4-2 on the board.")
    has_focus(eve, " point, ")


def test_another_screen_begins_at_its_heading_and_a_match_with_ones_colour(
    person: NewPerson, server: ServerProcess
) -> None:
    eve = person(server.url)
    eve.open()
    for place, heading in (  # the leaderboard and tournaments are loads of the whole page
        ("Puzzles", "Puzzles"),
        ("Leaderboard", "Leaderboard"),
        ("Tournaments", "Tournaments"),
        ("Watch", "Watch"),
    ):
        eve.page.get_by_role("link", name=place, exact=True).focus()
        eve.page.keyboard.press("Enter")
        expect(eve.page).to_have_title(f"{heading} · Tavla")
        has_focus(eve, f"^{heading}$")
    eve.page.get_by_role("link", name="Play", exact=True).focus()
    eve.page.keyboard.press("Enter")
    eve.button("Play a friend").focus()
    eve.page.keyboard.press("Enter")
    expect(eve.page.get_by_role("log").last).to_contain_text(re.compile("^Your checkers: (Light|Dark)\\. .*[Ww]ait"))
