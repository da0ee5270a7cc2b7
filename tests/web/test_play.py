"""People play in the page: against the computer, each other, and those who come by other clients."""

import re
from collections.abc import Callable, Iterator

from playwright.sync_api import expect
from tavla_engine.mat import import_mat
from tavla_engine.notation import format_play
from tavla_engine.plays import legal_plays
from tavla_engine.position import BAR
from tavla_engine.positionid import position_id

from tests.support.browser.axe import axe_faults
from tests.support.browser.chromium import PLAIN_HOST
from tests.support.browser.link import Wire
from tests.support.browser.lobby import dialog
from tests.support.browser.person import NewPerson, Person, picture
from tests.support.browser.playing import invite, play_out
from tests.support.players.terminal import NewTerminal, Terminal
from tests.support.servers.processes import ServerProcess


def test_from_a_blank_profile_to_the_first_move_with_one_click_and_no_text(
    person: NewPerson, server: ServerProcess, computer: str
) -> None:
    ada = person(server.url, sounds=True, reduced_motion="no-preference")
    ada.open()
    expect(ada.page.get_by_role("listitem").filter(has_text=computer).first).to_be_visible()
    assert ada.page.evaluate("localStorage.getItem('tavla.token')") is None, "to look on makes nobody"
    assert ada.page.locator("input").count() == 0, "no field to fill in"
    ada.press("Play the computer")
    if ada.until_ours() == "roll":
        ada.act()
    ada.until_ours("move")
    ada.make_turn()
    ada.set("Animation", "off")
    for _ in range(4):  # the computer plays, and it is our turn again
        ada.until_ours()
        ada.act()
    first = ada.page.url
    ada.open()
    ada.press("More options…")
    dialog(ada).get_by_label("Against").select_option("quick")
    dialog(ada).get_by_label("Start").select_option("hypergammon")
    dialog(ada).get_by_role("button", name="Look for an opponent").click()
    ada.press("Play the computer")  # what was looked for
    ada.page.wait_for_url(re.compile("/m/"))
    assert ada.page.url != first
    expect(ada.page.locator(".match").get_by_text("Hypergammon").first).to_be_visible()


def test_a_match_by_keyboard_and_by_single_taps_to_its_end_with_the_dice_checked(
    person: NewPerson, server: ServerProcess
) -> None:
    """Match of a player with the keyboard alone against one that taps a checker once; the page is no secure context."""
    url = server.url.replace("127.0.0.1", PLAIN_HOST)
    ada, bob, eve = (person(url) for _ in range(3))
    invite(ada, bob, Start="hypergammon")  # three checkers: all kinds of turns, and fewer
    assert ada.page.evaluate("[isSecureContext, typeof crypto.subtle, typeof navigator.clipboard]") == [
        False,
        "undefined",
        "undefined",
    ]
    eve.open(bob.page.url)  # no click
    expect(eve.status).to_have_text(re.compile("You are watching"))
    expect(ada.page.locator(".watchers")).to_have_text("1 watching")
    bob.set("A tap on a checker", "move")
    ada.turn, bob.turn = by_hand(ada, ada.make_turn_by_keys), by_hand(bob, bob.make_turn_by_single_taps)
    play_out(ada, bob)
    assert ada.by_the_tray + bob.by_the_tray > 0
    for one in (ada, bob, eve):
        expect(one.page.locator(".verdict.sound")).to_have_text(re.compile(r"^All \d+ rolls follow from the seeds"))
    assert eve.page.evaluate("localStorage.getItem('tavla.token')") is None, "a watcher is nobody"
    assert axe_faults(ada) == []
    for name, text in (("Copy link", bob.page.url), ("Copy position ID", position_id(ada.position()))):
        ada.choose(name)
        expect(ada.said).to_have_text("Copied")
        assert pasted(ada) == text
    with ada.page.expect_download() as saved:
        ada.choose("Save .mat")
    record = import_mat(saved.value.path().read_text())
    assert min(record.match.score) == 0 < max(record.match.score), "by a gammon, perhaps"
    first = ada.page.url
    ada.press("Rematch")
    expect(bob.page.get_by_text("challenges you")).to_be_visible()
    bob.press("Accept")
    for one in (ada, bob):
        one.page.wait_for_url(lambda url: url.partition("#")[0] != first.partition("#")[0])


def by_hand(one: Person, turn: Callable[[], None]) -> Callable[[], None]:
    """Turns of this kind at the beginning, from the bar, and when checkers may be borne off; others at once."""
    first = iter(range(3))

    def make() -> None:
        mine = one.position().mine
        way_home = sum(count * max(0, point - 6) for point, count in enumerate(mine))
        is_near = way_home <= 18  # three dice of a double bring all home, and the fourth bears one off
        is_one = next(first, None) is not None or is_near or mine[BAR] > 0
        (turn if is_one else one.make_turn_at_once)()

    return make


def pasted(one: Person) -> str:
    """Text in the clipboard: it is pasted into the chat field, and not sent."""
    field = one.page.get_by_label("Say something")
    field.fill("")
    field.press("Control+V")
    found = field.input_value()
    field.fill("")
    return found


def test_two_who_want_someone_meet(person: NewPerson, server: ServerProcess) -> None:
    ada, bob = person(server.url), person(server.url)
    for one in (ada, bob):
        one.open()
        one.page.get_by_label("Match").select_option("5")
        one.press("Play someone")
    for one in (ada, bob):
        expect(one.page.locator(".match .board")).to_be_visible()
    assert ada.page.url == bob.page.url


def test_a_page_and_a_terminal_meet_by_what_each_begins_with(
    person: NewPerson, server: ServerProcess, terminal: NewTerminal
) -> None:
    ada = person(server.url)
    ada.open()
    ada.press("Play someone")
    expect(ada.page.get_by_role("heading", name="Looking for an opponent")).to_be_visible()
    terminal("tia", "play")
    expect(ada.page.locator(".player.opponent")).to_contain_text("tia")


def test_a_terminal_and_a_page_play_and_two_watch_of_whom_one_is_cut_off(
    person: NewPerson, server: ServerProcess, terminal: NewTerminal
) -> None:
    """All that happens is shown and said in order, what was missed during the cut too: both see the same."""
    tom = terminal("tom", "create", "sofa", "--length", "1", "--side", "white", "--hints", "--clock", "slow")
    ada = person(server.url)
    with Wire(server.port) as wire:
        eve, joe = (person(url, reduced_motion="no-preference") for url in (wire.url, server.url))
        ada.open()
        table = ada.page.get_by_role("listitem").filter(has_text="tom").filter(has_text="Sit down")
        expect(table).to_be_visible()
        for one in (eve, joe):
            one.open()
            one.set("Animation", "fast")
            one.open("/t/sofa")
            expect(one.page.locator(".match .board")).to_be_visible()
            one.listen()
        table.get_by_role("button", name="Sit down").click()
        turns = alternate(ada, tom)
        next(turns), next(turns)
        wire.cut()
        expect(eve.page.locator(".offline")).to_be_visible()
        expect(eve.page.locator(".clock.stale")).to_have_count(2)
        next(turns), next(turns), next(turns)
        wire.mend()
        expect(eve.page.locator(".offline")).to_have_count(0)
        next(turns)
        last = picture(ada.position().other_side())
        for one in (eve, joe):  # what happened is shown step by step
            one.page.wait_for_function("last => window.positions.at(-1) === last", arg=last)
        assert eve.lines() == joe.lines()
        assert len([line for line in joe.lines() if "played" in line]) >= 5
        assert eve.shown() == joe.shown()
        assert len(eve.shown()) >= 10, "each checker by itself"
        eve.forgive("WebSocket connection", "net::ERR_")


def look_at_the_best_plays(ada: Person) -> None:
    """A key opens them, ranked; they are in sight on every screen, are read aloud, and Escape closes them."""
    size = ada.page.viewport_size
    assert size is not None
    ada.page.keyboard.press("e")
    menu = ada.page.locator(".bar .menu")
    expect(menu.locator("tbody tr").first).to_be_visible()
    assert 1 <= menu.locator("tbody tr").count() <= 5
    expect(ada.said).to_contain_text("House evaluator, up to two rolls ahead")
    assert axe_faults(ada) == []
    for width, height in ((360, 740), (740, 360), (1280, 720), (1440, 900)):
        ada.page.set_viewport_size({"width": width, "height": height})
        rooms = ada.page.locator(".slots button").evaluate_all(
            "all => all.map(one => one.clientWidth - one.scrollWidth)"
        )
        assert rooms == [0, 0], "each holds its word beside the hint"
        box = menu.bounding_box()
        assert box is not None
        assert 0 <= box["x"] <= box["x"] + box["width"] <= width
        assert 0 <= box["y"] <= box["y"] + box["height"] <= height
    ada.page.set_viewport_size(size)
    ada.page.keyboard.press("Escape")
    expect(menu).to_have_count(0)


def alternate(ada: Person, tom: Terminal) -> Iterator[str]:
    """Turns of a page and a terminal, one after the other; who has made it."""
    expect(ada.page.locator(".turn")).to_be_visible()
    ada.listen()
    made = set[str]()
    while True:
        ada.page.wait_for_function('() => document.querySelector(".die") && document.querySelector(".turn")')
        if ada.page.locator(".player.own .turn").count():
            expect(ada.page.locator(".hint")).to_have_count(0)  # arrows of all moves are not asked for
            ada.page.keyboard.press("h")
            expect(ada.page.locator(".hint").first).to_be_attached()
            ada.page.keyboard.press("h")
            expect(ada.page.locator(".hint")).to_have_count(0)
            if "ada" not in made:
                look_at_the_best_plays(ada)
            ada.make_turn()
            made.add("ada")
            yield "ada"
        else:
            position, before = ada.position().other_side(), len([line for line in ada.lines() if "tom played" in line])
            dice = ada.dice()
            play = next(iter(legal_plays(position, (dice[0], dice[1])).values()))
            tom.type(format_play(position, play))
            ada.page.wait_for_function(
                "before => window.told.filter(line => line.includes('tom played')).length > before", arg=before
            )
            yield "tom"
