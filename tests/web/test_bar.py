"""Places of what acts: each button has its own, for a whole turn, on every screen."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from tavla_engine.notation import format_play
from tavla_engine.plays import legal_plays

from tests.support.browser.axe import axe_faults
from tests.support.browser.person import NewPerson, Person
from tests.support.browser.playing import begun, in_turn, invite
from tests.support.servers.processes import ServerProcess

Box = tuple[float, float, float, float]

pytestmark = pytest.mark.long

SIZES = [(360, 740), (740, 360), (768, 1024), (1440, 900), (2560, 1440)]
BAR = ("Roll", "Done", "Undo", "Double", "Menu")
ON_THE_BOARD = ("Take", "Drop", "Yes", "No", "Next game", "Rematch")
BOXES = """() => [...document.querySelectorAll(".match :is(.controls button, .ask button, .bar, .board)")].map(one => {
    const { x, y, width, height } = one.getBoundingClientRect();
    const name = one.getAttribute("aria-label") ?? one.textContent;
    return [one.matches("button") ? name : one.getAttribute("class").split(" ")[0], [x, y, width, height]];
})"""


class Places:
    """Place of each control, by its name and the size of the screen."""

    def __init__(self) -> None:
        self.seen: dict[tuple[tuple[int, int], str], set[Box]] = {}

    def look(self, person: Person) -> None:
        """Note where everything stands now, at every size."""
        for width, height in SIZES:
            person.page.set_viewport_size({"width": width, "height": height})
            person.page.evaluate("() => new Promise(requestAnimationFrame)")
            for name, (x, y, wide, high) in person.page.evaluate(BOXES):
                assert 0 <= x <= x + wide <= width, (name, width, "nothing stands outside")
                assert y + high <= height or name not in BAR, (name, width, "in sight without scrolling")
                self.seen.setdefault(((width, height), name), set()).add((x, y, wide, high))

    def at(self, size: tuple[int, int], *starts: str) -> set[Box]:
        """Places of those whose names begin so."""
        return {
            box for (of, name), boxes in self.seen.items() if of == size and name.startswith(starts) for box in boxes
        }


def test_nothing_that_acts_moves_for_a_whole_game(person: NewPerson, server: ServerProcess) -> None:
    ada, bob = person(server.url), person(server.url)
    ada.open()
    ada.page.get_by_label("Clock").select_option("slow")
    invite(ada, bob, length=3)
    places = Places()
    doubled = moved = False
    while not moved:
        one, other = in_turn(ada, bob)
        if one.asked() == "roll":
            places.look(one)
        if one.asked() == "roll" and not doubled:
            one.press("Double")
            places.look(one)
            one.press("No, go back")
            one.press("Double")
            one.press("Yes, double")
            other.until_ours("take")
            places.look(other)
            other.page.get_by_role("button", name="Drop").click()
            places.look(other)
            other.press("No, go back")
            other.page.get_by_role("button", name="Take").click()
            expect(other.page.get_by_role("button", name="Take")).to_have_count(0)
            doubled = True
        elif not doubled:  # the opening roll
            one.make_turn()
        elif one.asked() == "move" or one.roll_against(other):
            places.look(one)
            one.move_a_checker()
            for each in (one, other):
                places.look(each)
            one.make_turn()
            places.look(one)
            moved = True
    for size in SIZES:
        for name in (*BAR, "bar", "board"):
            assert len(places.at(size, name)) == 1, (size, name)
        assert places.at(size, "Roll") == places.at(size, "Done")
        for x, y, wide, high in places.at(size, *ON_THE_BOARD):
            for left, top, width, height in places.at(size, *BAR):
                assert x + wide <= left or left + width <= x or y + high <= top or top + height <= y, size


def test_an_offer_takes_the_place_of_a_question_that_stands_open(person: NewPerson, server: ServerProcess) -> None:
    ada, bob = person(server.url), person(server.url)
    invite(ada, bob, length=7)
    other, doubler = in_turn(ada, bob)
    for question, value in (("Resign", 2), ("Abort", 4), ("Keys", 8)):
        while (one := in_turn(ada, bob)[0]) is not doubler or one.asked() != "roll":
            one.act()
        if question == "Keys":
            other.press(question)
        else:
            other.choose(question)
        other.page.get_by_role("dialog" if question == "Keys" else "alertdialog").wait_for()
        doubler.press("Double")
        doubler.press("Yes, double")
        other.until_ours("take")
        assert other.page.get_by_role("dialog").count() == 0
        offer = other.page.get_by_role("alertdialog", name=re.compile(f"doubles to {value}"))
        assert axe_faults(other) == []
        offer.get_by_role("button", name="Take").click()
        expect(offer).to_have_count(0)
        other, doubler = doubler, other


def test_a_tap_while_something_is_shown_ends_it_and_counts(person: NewPerson, server: ServerProcess) -> None:
    ada, bob = person(server.url), person(server.url)
    for one in (ada, bob):
        one.page.clock.install()
    invite(ada, bob, length=3)
    first, second = in_turn(ada, bob)
    second.page.emulate_media(reduced_motion="no-preference")
    second.set("Animation", "slow")
    first.make_turn()
    second.until_ours("roll")
    second.page.clock.pause_at(second.page.evaluate("Date.now() + 500"))
    second.press("Roll")
    second.page.locator(".dice.mine").wait_for()
    assert second.can_move() == [], "the dice are still shown"
    high, low = second.dice()[:2]
    plays = legal_plays(second.position(), (high, low))
    start = next(iter(plays.values()))[0][0]
    second.point(start).click()
    expect(second.point(start)).to_have_class(re.compile("chosen"))


def test_menus_close_by_escape_and_by_a_click_elsewhere(two: tuple[Person, Person]) -> None:
    ada, _ = two
    ways: list[Callable[[], None]] = [lambda: ada.page.keyboard.press("Escape"), lambda: ada.page.mouse.click(4, 400)]
    for name in ("Settings", "Menu"):
        opened = ada.button(name)
        for close in ways:
            opened.click()
            expect(opened).to_have_attribute("aria-expanded", "true")
            close()
            expect(opened).to_have_attribute("aria-expanded", "false")


def test_a_button_pressed_twice_acts_once(person: NewPerson, server: ServerProcess) -> None:
    one, other = begun(person, server.url)
    one.until_ours("move")
    dice = one.dice()
    play = next(iter(legal_plays(one.position(), (dice[0], dice[1])).values()))
    one.page.keyboard.type(format_play(one.position(), play))
    one.page.keyboard.press("Enter")
    expect(one.button("Done")).to_be_enabled()
    one.button("Done").evaluate("button => { button.click(); button.click(); }")
    other.until_ours()
    expect(one.page.locator(".notice")).to_have_count(0)


def test_a_player_rolls_for_first_where_that_is_wished_for(person: NewPerson, server: ServerProcess) -> None:
    ada = person(server.url, reduced_motion="no-preference")
    bob = person(server.url, reduced_motion="no-preference")
    eve = person(server.url)
    for one in (ada, bob):
        one.page.clock.install()
        one.open()
        one.press("Settings")
        one.page.get_by_label("Opening roll").select_option("off")
        one.press("Settings")
    ada.page.get_by_label("Match").select_option("1")
    ada.press("Play a friend")
    bob.open(ada.page.locator("input.link").input_value())
    bob.button("Sit down").wait_for()
    for one in (ada, bob):
        one.page.clock.pause_at(one.page.evaluate("Date.now() + 500"))
    bob.press("Sit down")
    for one in (ada, bob):
        expect(one.button("Roll for first")).to_be_visible()
        assert (one.dice(), one.page.locator(".turn").count()) == ([], 0)
    eve.open(bob.page.url)  # with the code
    expect(eve.page.locator(".die")).to_have_count(2)  # nothing waits but what is shown
    ada.press("Roll for first")
    expect(ada.page.locator(".die")).to_have_count(1)
    expect(ada.page.locator(".gone")).to_have_count(1)
    bob.page.clock.run_for(3000)  # without a click
    for one in (ada, bob):
        expect(one.button("Roll for first")).to_have_count(0)
        one.page.clock.run_for(2000)
        expect(one.page.locator(".die")).to_have_count(2)
        assert sorted(one.dice()) == sorted(eve.dice())
