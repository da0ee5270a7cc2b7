"""Touch on the board, and what it tells: drags, taps on the dice, sounds, a hidden tab, and that all is in sight."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser.person import Person
from tests.support.browser.playing import at_a_desk
from tests.support.servers.processes import ServerProcess

pytestmark = pytest.mark.long

OURS = "46b38a"  # of the icon's checker, when it is our turn
COUNT_SOUNDS = """() => {
    window.sounds = 0;
    for (const { prototype } of [AudioScheduledSourceNode, AudioBufferSourceNode]) {
        const { start } = prototype;
        prototype.start = function (...when) { window.sounds++; return start.apply(this, when); };
    }
}"""


@pytest.fixture(scope="module")
def ada(browser: Browser, server: ServerProcess) -> Iterator[Person]:
    """A player that is to move; all tests of this file look at the same match, and no test moves."""
    with at_a_desk(browser, server.url) as ada:
        yield ada


@pytest.mark.parametrize("home", ["right", "left"])
def test_a_checker_is_dragged_by_a_finger(ada: Person, home: str) -> None:
    ada.set("Home board", home)
    before, start = ada.position(), ada.can_move()[-1]
    ada.point(start).click()
    goals = ada.targets()
    ada.page.keyboard.press("Escape")
    session = ada.context.new_cdp_session(ada.page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        fingers = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

    (x1, y1), (x2, y2) = (middle(ada, point) for point in (start, max(goals)))
    touch("touchStart", (x1, y1))
    for part in (0.2, 0.6, 1.0):
        touch("touchMove", (x1 + part * (x2 - x1), y1 + part * (y2 - y1)))
    assert sorted(ada.targets()) == sorted(goals), "every target is marked while it is dragged"
    touch("touchEnd")
    expect(ada.button("Undo")).to_be_enabled()
    assert ada.position().mine[start] == before.mine[start] - 1
    assert ada.position().mine[max(goals)] == before.mine[max(goals)] + 1
    ada.press("Undo")
    assert ada.position() == before
    touch("touchStart", (x1, y1))
    touch("touchMove", (x2, y2))
    touch("touchStart", (x2, y2), (x1, y1))  # a second finger takes no checker, and leaves none in the air
    touch("touchMove", (x2, y2))  # it is lifted
    touch("touchEnd")
    expect(ada.page.locator(".hand, .held")).to_have_count(0)
    if ada.button("Undo").is_enabled():
        ada.press("Undo")
    assert ada.position() == before
    ada.set("Home board", "right")


@pytest.mark.parametrize("interrupt", ["second button", "window left"])
def test_a_drag_that_is_interrupted_puts_the_checker_back(ada: Person, interrupt: str) -> None:
    before, mouse, start = ada.position(), ada.page.mouse, ada.can_move()[-1]
    ada.point(start).click()
    goal = max(ada.targets())
    ada.page.keyboard.press("Escape")
    mouse.move(*middle(ada, start))
    mouse.down()
    mouse.move(*middle(ada, goal), steps=4)
    expect(ada.page.locator(".hand")).to_have_count(1)
    if interrupt == "second button":
        mouse.down(button="right")
    else:
        ada.page.evaluate("dispatchEvent(new Event('blur'))")
    expect(ada.page.locator(".hand, .held")).to_have_count(0)
    mouse.up(button="right")
    mouse.up()
    assert ada.position() == before
    ada.point(start).drag_to(ada.point(goal))  # the next one is as any other
    expect(ada.button("Undo")).to_be_enabled()
    ada.press("Undo")
    assert ada.position() == before


def middle(ada: Person, point: int) -> tuple[float, float]:
    """Middle of a point."""
    box = ada.point(point).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_dice_are_swapped_by_a_tap_and_the_left_one_is_played_first(ada: Person) -> None:
    high, low = ada.dice()
    assert high > low
    ada.set("A tap on a checker", "move")
    for first in (high, low):
        assert ada.dice()[0] == first
        start = ada.can_move()[-1]
        ada.point(start).click()
        moved = [die for die, used in zip(ada.dice(), used_dice(ada), strict=True) if used]
        assert moved == [first] or not can_play(ada, start, first)
        ada.press("Undo")
        ada.page.get_by_role("button", name="Swap the dice").click()
    ada.set("A tap on a checker", "choose")


def used_dice(ada: Person) -> list[bool]:
    """Dice on the board that are used."""
    return [
        bool(one)
        for one in ada.page.locator(".die").evaluate_all("all => all.map(one => one.classList.contains('used'))")
    ]


def can_play(ada: Person, start: int, die: int) -> bool:
    """True if nothing of the opponent's stops a checker."""
    return start > die and ada.position().theirs[25 - (start - die)] < 2


def test_sounds_can_be_turned_off(ada: Person) -> None:
    ada.page.evaluate(COUNT_SOUNDS)
    for sounds, heard in (("on", True), ("off", False)):
        ada.set("Sounds", sounds)
        ada.page.evaluate("window.sounds = 0")
        ada.point(ada.can_move()[-1]).click()
        ada.point(ada.targets()[0]).click()
        assert (ada.page.evaluate("window.sounds") > 0) == heard
        ada.press("Undo")
        while ada.button("Undo").is_enabled():
            ada.press("Undo")
    ada.set("Sounds", "on")


def test_a_hidden_tab_says_that_it_is_our_turn(ada: Person) -> None:
    for hidden in (True, False):
        ada.page.evaluate(
            """hidden => {
                Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
                document.dispatchEvent(new Event("visibilitychange"));
            }""",
            hidden,
        )
        ada.page.wait_for_function("hidden => document.title.startsWith('●') === hidden", arg=hidden)
        icon = ada.page.locator("link[rel=icon]").get_attribute("href")
        assert icon is not None
        assert ("e0362c" in icon) == hidden
        assert OURS in icon, "hidden or not, it shows whose turn it is"


SIZES = [(360, 640), (390, 844), (844, 390), (1280, 800)]


def test_what_is_to_be_done_is_always_in_sight_and_never_where_a_target_was(ada: Person) -> None:
    before = ada.page.viewport_size
    for width, height in SIZES:
        ada.page.set_viewport_size({"width": width, "height": height})
        ada.page.evaluate("() => new Promise(requestAnimationFrame)")
        board = ada.page.locator(".board").bounding_box()
        assert board is not None
        for part in (ada.status, ada.button("Done"), ada.button("Undo"), ada.page.locator(".turn")):
            box = part.bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= height, "without scrolling"
            assert box["y"] >= board["y"] + board["height"] or box["x"] >= board["x"] + board["width"], (
                "beside the board"
            )
    assert before is not None
    ada.page.set_viewport_size(before)
