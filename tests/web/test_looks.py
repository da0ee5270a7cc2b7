"""Look of the board: three boards, dark and light, either side, for every eye."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser.axe import axe_faults
from tests.support.browser.person import Person
from tests.support.browser.pixels import EYES, Spot, colours, contrast, legible, seen_by
from tests.support.browser.playing import at_a_desk
from tests.support.servers.processes import ServerProcess
from tests.support.tries import first_of

pytestmark = pytest.mark.long

TOLD_APART = 4.5  # the two sides' checkers
SEEN = 3.0  # a checker by its face or its edge, against whatever it lies on. Source: WCAG 2.2, 1.4.11
BOARDS = ("walnut", "felt", "slate")
COLOURS_AND_THEMES = [("light", "light"), ("dark", "dark"), ("light", "dark"), ("dark", "light")]
PLACES = """() => {
    const middle = (element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        return [x + width / 2, y + height / 2, width];
    };
    const own = middle(document.querySelector(".checker.mine.top .body"));
    const other = middle(document.querySelector(".checker.theirs.top .body"));
    const tips = ["even", "odd"].map(kind => {
        const { x, y, width, height } = [...document.querySelectorAll(`.point.${kind}`)].at(kind === "even" ? 2 : 3)
            .getBoundingClientRect();
        return [x + width / 2, y + height * 0.4];
    });
    const field = document.querySelector(".field").getBoundingClientRect();
    const tray = document.querySelector(".tray").getBoundingClientRect();
    const ground = { field: [field.x + 8, field.y + field.height / 2], tray: [tray.x + 4, tray.y + tray.height / 3] };
    return { own, other, tips, ...ground };
}"""

READ = 4.5  # pips on a die, and whatever is written. Source: WCAG 2.2, 1.4.3
WRITTEN = """() => Object.fromEntries([".dice .die:not(.used)", ".number text", ".count", ".cube text"].map(what =>
    [what, [...document.querySelectorAll(what)].map(one => {
        const { x, y, width, height } = one.getBoundingClientRect();
        const edge = what.includes("die") ? width / 8 : 0;
        return [x + edge, y + edge, width - 2 * edge, height - 2 * edge];
    })]))"""


@pytest.fixture(scope="module")
def ada(browser: Browser, server: ServerProcess) -> Iterator[Person]:
    """A player that is to move; all tests of this file look at the same match, and no test moves."""
    with at_a_desk(browser, server.url) as ada:
        yield ada


@pytest.fixture(scope="module")
def reader(browser: Browser) -> Iterator[Page]:
    """A blank page, that reads pictures."""
    page = browser.new_page()
    yield page
    page.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_sides_are_told_apart_on_every_board_by_every_eye(ada: Person, reader: Page, theme: str) -> None:
    ada.set("Theme", theme)
    for board in BOARDS:
        ada.set("Board design", board)
        assert_seen(ada, reader, (theme, board))
        assert axe_faults(ada) == [], (theme, board)
    ada.set("Board design", "walnut")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_light_falls_over_the_bar_without_an_edge(ada: Person, reader: Page, theme: str) -> None:
    """It only gets darker from the left to the right; the grain lies across, so that a column has all of it."""
    ada.set("Theme", theme)
    box = ada.page.locator(".ground .lit").last.bounding_box()
    assert box is not None
    columns = [box["x"] + box["width"] * (part + 0.5) / 12 for part in range(12)]
    spots = [(x, box["y"] + box["height"] * (part + 0.5) / 24) for x in columns for part in range(24)]
    found = [sum(colour) / 3 for colour in colours(reader, ada, spots)]
    lights = [sum(found[24 * at : 24 * at + 24]) / 24 for at in range(12)]
    assert all(right <= left + 1 for left, right in itertools.pairwise(lights)), lights


FILLS = "all => all.map(one => [...one.querySelectorAll('.field, .point, .body')].map(at => getComputedStyle(at).fill))"
FIELD = "() => getComputedStyle(document.querySelector('.ground .field')).fill"


def test_a_design_is_chosen_by_a_picture_of_it(ada: Person) -> None:
    """In the colours of the board itself; the pictures of checkers stand on the board that is chosen."""
    ada.press("Settings")
    pictures = ada.page.get_by_role("radiogroup", name="Board design")
    assert pictures.get_by_role("radio").evaluate_all("all => all.map(one => one.value)") == list(BOARDS)
    fills = pictures.locator(".corner").evaluate_all(FILLS)
    for board, (field, *points) in zip(BOARDS, fills, strict=True):
        pictures.locator(f"[value={board}]").check(force=True)
        assert ada.page.evaluate(FIELD) == field
        sides = ada.page.get_by_role("radiogroup", name="Your checkers").locator(".corner").evaluate_all(FILLS)
        assert [one[:5] for one in sides] == [[field, *points[:4]]] * 3
    assert len({str(one) for one in fills}) == len(BOARDS)
    pictures.locator("[value=walnut]").check(force=True)
    ada.page.keyboard.press("ArrowDown")
    expect(pictures.locator("[value=felt]")).to_be_checked()
    pictures.locator("[value=walnut]").check(force=True)
    ada.press("Settings")


@pytest.mark.parametrize("eye", [eye for eye in EYES if eye != "none"])
def test_an_eye_sees_the_colours_that_a_browser_shows_it(ada: Person, reader: Page, eye: Any) -> None:
    spots = spots_of(ada)
    plain = colours(reader, ada, spots)
    ada.inspector.send("Emulation.setEmulatedVisionDeficiency", {"type": eye})
    shown = colours(reader, ada, spots)
    ada.inspector.send("Emulation.setEmulatedVisionDeficiency", {"type": "none"})
    assert shown != plain
    for one, other in zip(shown, (seen_by(eye, colour) for colour in plain), strict=True):
        assert one == pytest.approx(other, abs=2), "of 255"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_sides_are_told_apart_in_the_colours_of_the_system(ada: Person, reader: Page, scheme: Any) -> None:
    ada.page.emulate_media(forced_colors="active", color_scheme=scheme, reduced_motion="reduce")
    assert_seen(ada, reader, scheme)
    ada.page.emulate_media(forced_colors="none", color_scheme="light", reduced_motion="reduce")


def spots_of(ada: Person) -> list[Spot]:
    """Face and edge of a checker of either side, and what it may lie on: points of either kind, the field, the tray."""
    places, spots = ada.page.evaluate(PLACES), list[Spot]()
    for x, y, width in (places["own"], places["other"]):
        spots += [(x, y), (x - width / 2, y)]
    return [*spots, *map(tuple, places["tips"]), tuple(places["field"]), tuple(places["tray"])]


def assert_seen(ada: Person, reader: Page, where: object) -> None:
    """Either side's checkers can be told from the other's, and from what they lie on, by the face or the edge."""
    found = colours(reader, ada, spots_of(ada))
    for eye in EYES:
        own, own_edge, other, other_edge, *grounds = (seen_by(eye, colour) for colour in found)
        assert contrast(own, other) >= TOLD_APART, (where, eye)
        for ground, (face, edge) in itertools.product(grounds, ((own, own_edge), (other, other_edge))):
            seen = max(contrast(face, ground), contrast(edge, ground))
            assert seen >= SEEN, (where, eye, ground, face, edge)


@pytest.fixture(scope="module")
def both(browser: Browser, server: ServerProcess) -> Iterator[tuple[Person, Person]]:
    """Two at a board with a cube, and so many checkers on a point that they are counted. Neither moves."""
    first, second = (Person(browser, server.url) for _ in range(2))
    first.open()
    first.press("More options…")
    first.page.get_by_label("Start").select_option("longgammon")
    first.press("Open the table")
    second.open(first.page.locator("input.link").input_value())
    second.press("Sit down")
    for one in (first, second):
        expect(one.page.locator(".die").first).to_be_visible()
    yield first, second
    for one in (first, second):
        one.check()
        one.close()


@pytest.mark.parametrize(("colour", "theme"), first_of(COLOURS_AND_THEMES, 2))
def test_dice_and_labels_can_be_read_on_every_board_by_either_side_in_either_colour(
    both: tuple[Person, Person], reader: Page, theme: str, colour: str
) -> None:
    for one in both:  # the dice are the first one's, and the second one's opponent's
        one.set("Theme", theme)
        one.set("Your checkers", colour)
        for board in BOARDS:
            one.set("Board design", board)
            written = one.page.evaluate(WRITTEN)
            assert [len(boxes) for boxes in written.values()] == [2, 24, 2, 1]
            found = legible(reader, one, [box for boxes in written.values() for box in boxes])
            for what, seen in zip([what for what, boxes in written.items() for _ in boxes], found, strict=True):
                assert seen >= READ, (theme, board, colour, what, one is both[0])


def test_either_direction_and_either_colour(ada: Person) -> None:
    def left(point: int) -> float:
        box = ada.point(point).bounding_box()
        assert box is not None
        return box["x"]

    before = ada.position()
    body = ada.page.locator(".checker.mine .body").first
    colour = ada.page.evaluate(
        "() => document.querySelector('.board').classList.contains('flipped') ? 'light' : 'dark'"
    )
    face = body.evaluate("one => getComputedStyle(one).fill")
    right = {point: left(point) for point in (1, 6, 13, 24)}
    assert right[1] > right[6]
    ada.set("Home board", "left")
    assert left(1) < left(6)
    assert left(13) > left(18)
    ada.set("Your checkers", colour)
    assert body.evaluate("one => getComputedStyle(one).fill") != face
    assert ada.position() == before
    ada.set("Home board", "right")
    ada.set("Your checkers", "seat")
    assert {point: left(point) for point in right} == right
    assert body.evaluate("one => getComputedStyle(one).fill") == face
