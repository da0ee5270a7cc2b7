"""The panel beside the board: moves, rolls, results, clocks, talk; and their words for blind players."""

import re
import secrets
from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from tavla_engine.notation import format_play
from tavla_engine.plays import legal_plays
from tavla_protocol import messages as m
from tavla_protocol.codec import decode_reply, decode_request

from tests.support.browser.axe import axe_faults
from tests.support.browser.lobby import come_in
from tests.support.browser.person import NewPerson, Person
from tests.support.browser.playing import begun, in_turn, invite, seated, until_move
from tests.support.patience import PATIENCE_S
from tests.support.servers.processes import ServerProcess

KEYS = 7  # that a turn may cost: one to roll, one to go to a checker, one for each of a double, one to end it
WALKS = [(8, "ArrowRight", [7, 25, 6, 5]), (17, "ArrowRight", [18, 25, 19]), (6, "ArrowLeft", [25, 7])]
CELLS = "all => all.map(row => [...row.cells].map(cell => cell.textContent.trim()))"

# What a browser does with Escape at a dialog, and the next key before it has told that the dialog is closed.
CLOSED_AND_OPENED = """() => {
    const dialog = document.querySelector("dialog");
    if (dialog.dispatchEvent(new Event("cancel", { cancelable: true }))) dialog.close();
    dispatchEvent(new KeyboardEvent("keydown", { key: "?" }));
}"""


def test_moves_are_listed_as_the_engine_writes_them_and_are_there_after_a_reload(
    person: NewPerson, server: ServerProcess
) -> None:
    first, second = begun(person, server.url, length=3)
    first.listen()
    written: list[str] = []
    for turn in range(6):
        mover, other = (second, first) if turn % 2 else (first, second)
        if mover.until_ours() == "roll" and not mover.roll_against(other):
            continue
        position, (high, low) = mover.position(), mover.dice()[:2]
        play = next(iter(legal_plays(position, (high, low)).values()))
        words = format_play(position, play)
        mover.page.keyboard.type(words)
        mover.page.keyboard.press("Enter")
        mover.page.keyboard.press("d")
        expect(mover.page.get_by_role("button", name="Done", disabled=False)).to_have_count(0)
        written.append(f"{high}{low} {words}")
        if mover is second:
            own = re.sub(r"(^|[ /])(\d+)", lambda found: f"{found[1]}{25 - int(found[2])}", words)
            spoken = own.replace("*", " hits")
            expect(first.page.locator("[aria-live]")).to_contain_text(f"played {spoken}.")
    rows = first.page.locator(".sheet tbody tr")
    expect(rows).to_have_count(4 if rows.nth(0).locator("td").nth(1).inner_text() == "" else 3)
    for reload in (False, True):
        if reload:
            first.page.reload()
            expect(rows.first).to_be_visible()
        cells = [cell for row in rows.evaluate_all(CELLS) for cell in row[1:] if cell and "no move" not in cell]
        assert cells == written, reload
    assert first.page.locator(".player .roll").count() == 2


def test_a_half_made_turn_is_there_after_a_reload(two: tuple[Person, Person]) -> None:
    first, _ = two
    first.point(first.can_move()[-1]).click()
    first.point(first.targets()[0]).click()
    half = first.position()
    first.page.reload()
    expect(first.button("Undo")).to_be_enabled()
    assert first.position() == half
    while first.button("Undo").is_enabled():
        first.page.keyboard.press("u")


def test_what_is_said_around_the_board_waits_for_the_checkers(person: NewPerson, server: ServerProcess) -> None:
    first, second = begun(person, server.url, length=3)
    second.page.emulate_media(reduced_motion="no-preference")
    second.set("Animation", "slow")
    second.page.evaluate(
        """() => {
            window.early = [];
            new MutationObserver(() => {
                const rolls = document.querySelector(".slots .main") !== null;
                const shows = document.querySelector(".dice.theirs") !== null;
                if (rolls && shows) early.push(document.querySelector(".status").textContent);
            }).observe(document.querySelector(".match"), { subtree: true, childList: true, characterData: true });
        }"""
    )
    first.make_turn()
    expect(second.status).to_have_text(re.compile(" (rolled|played) "))
    second.until_ours()
    assert second.page.evaluate("early") == []
    expect(second.status).to_have_text("Roll, or double first")
    for width in (1280, 390):
        second.page.set_viewport_size({"width": width, "height": 800})
        rooms = "all => all.map((one) => one.scrollWidth - one.clientWidth)"
        assert second.page.locator(".slots button").evaluate_all(rooms) == [0, 0], "each holds its word"


def test_what_is_said_is_sent_by_a_button_and_has_its_time_and_what_is_refused_stays_in_its_field(
    two: tuple[Person, Person],
) -> None:
    """As text. The newest line is in sight."""
    (first, second), words = two, "<img src=x onerror=alert(1)> & <b>hi</b>"
    field = first.page.get_by_label("Say something")
    field.fill(words)
    first.press("Send")
    expect(second.page.locator(".log li")).to_contain_text(words)
    assert second.page.locator(".talk img").count() == 0
    expect(second.page.locator(".log time")).to_have_attribute("data-at", re.compile(r"\d+:\d\d"))
    field.evaluate("field => field.removeAttribute('maxlength')")
    for words in ("so " * 66, "and " * 50, "long " * 60):
        field.fill(words.strip())
        field.press("Enter")
    expect(first.page.locator(".talk").get_by_role("alert")).to_be_visible()
    expect(first.page.locator(".log li")).to_have_count(3)
    expect(field).to_have_value(re.compile("^long"))
    assert first.page.locator(".log").evaluate("log => log.scrollHeight - log.scrollTop - log.clientHeight") <= 1


@pytest.mark.parametrize(("clock", "letters"), [("none", 8), ("slow", 4)])
def test_names_are_whole_where_there_is_room_and_nothing_is_to_be_scrolled_but_the_lists(
    person: NewPerson, server: ServerProcess, clock: str, letters: int
) -> None:
    ada, bob = person(server.url), person(server.url)
    for each in (ada, bob):
        each.open()
        come_in(each, f"x{secrets.token_hex(8)}"[:letters])
    ada.page.get_by_label("Clock").select_option(clock)
    invite(ada, bob, length=7)
    first, _ = in_turn(ada, bob)
    for width, height in ((360, 740), (740, 360), (768, 1024), (1440, 900), (2560, 1440)):
        first.page.set_viewport_size({"width": width, "height": height})
        first.page.evaluate("() => new Promise(requestAnimationFrame)")
        for room, need in first.page.locator(".player .who b").evaluate_all(
            "all => all.map(one => [one.clientWidth, one.scrollWidth])"
        ):
            assert room >= need, (width, height)
        for one in first.page.locator(".player .who small").all():
            expect(one).to_have_text("unrated")
            expect(one).to_be_visible()
        if width > height:
            assert first.page.evaluate("document.documentElement.scrollHeight") <= height
        if width >= 900:  # one grid: header, board and panel begin and end together
            left = [first.page.locator(one).bounding_box() for one in (".brand", ".board")]
            right = [first.page.locator(one).bounding_box() for one in (".head", ".player.own")]
            assert len({round(box["x"]) for box in left if box}) == 1
            assert len({round(box["x"] + box["width"]) for box in right if box}) == 1
    panel = first.page.locator(".player.own").bounding_box()
    assert panel is not None
    assert panel["width"] > 500, "it has grown with the screen"


def test_a_match_by_keys_and_by_what_a_screen_reader_is_given(person: NewPerson, server: ServerProcess) -> None:
    ada, bob = person(server.url), person(server.url)
    ada.open()
    ada.set("A tap on a checker", "move")
    invite(ada, bob, Start="hypergammon")  # three checkers: all kinds of turns, and fewer
    while ada.asked() != "over":
        if ada.asked():  # when to look at all; Chromium builds the whole tree for each look at it
            ada.act_by_tree()
        bob.act()
    assert any(name == "Rematch" for _, name, _ in ada.tree())
    assert len(ada.keys) > 2, ada.keys
    assert max(ada.keys) <= KEYS, ada.keys
    card = ada.page.get_by_role("group", name=re.compile("wins? the match"))
    expect(card).to_be_visible()
    assert axe_faults(ada) == []
    card.get_by_text("Dice checked").click()
    expect(card.locator(".verdict.sound")).to_be_visible()
    card.get_by_role("button", name="Close").click()
    expect(card).to_have_count(0)
    ada.press("Result")
    card.get_by_text("Luck and PR").press("Enter")
    expect(card.get_by_text("Judged in your browser")).to_be_visible()
    expect(card).to_be_visible()


def test_arrows_walk_a_row_through_the_bar(two: tuple[Person, Person]) -> None:
    first, _ = two
    for start, key, walked in WALKS:
        first.point(start).focus()
        for point in walked:
            first.page.keyboard.press(key)
            assert first.page.evaluate("+document.activeElement.dataset.point") == point


def test_the_keys_are_a_dialog_and_the_cube_and_the_regions_say_what_they_are(two: tuple[Person, Person]) -> None:
    first, second = two
    expect(first.page.get_by_role("region", name="Your move")).to_be_visible()  # the opening roll has been shown
    ways: list[Callable[[], None]] = [lambda: first.press("Keys"), lambda: first.page.keyboard.press("?")]
    for opens in ways:
        opens()
        keys = first.page.get_by_role("dialog", name="Keys")
        expect(keys.get_by_text("undo")).to_be_visible()
        first.page.keyboard.press("Escape")
        expect(keys).to_have_count(0)
    first.press("Keys")
    first.page.evaluate(CLOSED_AND_OPENED)
    expect(keys).to_be_visible()
    first.page.keyboard.press("Escape")
    expect(keys).to_have_count(0)
    expect(first.page.get_by_role("img", name="Cube at 1, in the middle.")).to_be_visible()
    expect(first.page.get_by_role("region", name="Your move")).to_be_visible()
    expect(second.page.get_by_role("region", name=re.compile("to play$"))).to_be_visible()


HEAR = """
    window.heard = [];
    window.asked = [];
    const noted = (data) => [performance.timeOrigin + performance.now(), [...new Uint8Array(data)]];
    window.WebSocket = class extends WebSocket {
        constructor(...address) {
            super(...address);
            this.addEventListener("message", ({ data }) => heard.push(noted(data)));
        }
        send(data) {
            asked.push(noted(data));
            super.send(data);
        }
    };
"""
FLIPS = """() => {
    const clock = document.querySelector(".clock.runs");
    window.flips = [];
    new MutationObserver(() => flips.push([clock.textContent, performance.timeOrigin + performance.now()]))
        .observe(clock, { subtree: true, characterData: true, childList: true });
}"""
CLOCK_MS = 200  # by which a clock may be wrong after a reload
TICK_MS = 100  # between two looks at the clock in the page


def test_the_clock_is_right_after_a_reload(person: NewPerson, server: ServerProcess) -> None:
    """A second that the page shows as over is over, by what it was told, counted from when it asked; and not long after
    it, counted from when it was told. A busy machine may draw anything late: once is enough.

    (Another client may be told of more time that is left: while a server stands still no clock runs.)
    """
    with seated(person(server.url), clock="slow") as (mover, _):
        until_move(mover)
        mover.page.add_init_script(HEAR)
        mover.page.reload()
        expect(mover.page.locator(".clock.runs")).to_be_visible()
        mover.page.evaluate(FLIPS)
        # One snapshot: a second would come while the page draws the first, and be looked at late.
        ((heard_at, snapshot),) = (
            (at, reply)
            for at, frame in mover.page.evaluate("heard")
            if isinstance(reply := decode_reply(bytes(frame)), m.Snapshot)
        )
        (asked_at,) = (
            at for at, frame in mover.page.evaluate("asked") if isinstance(decode_request(bytes(frame)), m.Attach)
        )
        reserve, free_ms = snapshot.view["clock"][snapshot.seat], snapshot.view["clock"][2] - snapshot.elapsed
        late: list[float] = []
        while not any(one <= CLOCK_MS + TICK_MS for one in late):
            assert len(late) < PATIENCE_S, late
            mover.page.wait_for_function("seen => flips.length > seen", arg=len(late))
            due = [(at, left_ms(shown, reserve)) for shown, at in mover.page.evaluate("flips")]
            too_early = "a second is taken away before it is over"
            assert all(at >= asked_at + free_ms - left - CLOCK_MS for at, left in due), too_early
            late = [at - (heard_at + free_ms - left) for at, left in due]


def left_ms(shown: str, reserve: int) -> float:
    """The free time, in ms, that is left when a clock begins to show this; below 0 when the reserve runs."""
    found = re.fullmatch(r"(\d+):(\d+)(?: \+(\d+))?", shown)
    assert found, shown
    minutes, seconds, free = map(int, found.groups(default="0"))
    return 1000.0 * free or 1000.0 * (60 * minutes + seconds + 1) - reserve
