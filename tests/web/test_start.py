"""The first screen: the lobby with its board, and addresses that lead to a match, or nowhere."""

import random
import re

import msgpack
from playwright.sync_api import WebSocketRoute, expect
from tavla_protocol import messages as m
from tavla_protocol.codec import pack

from tests.support.browser.axe import axe_faults
from tests.support.browser.loop import LoopBeside
from tests.support.browser.person import NewPerson, Person
from tests.support.browser.playing import begun, in_turn, invite, opposed, seated
from tests.support.players.matches import a_turn, at_match, by_turn
from tests.support.servers.processes import ServerProcess

HEADINGS: list[tuple[str, str | re.Pattern[str]]] = [  # address, what is said there
    ("/nosuch", "There is no page at this address."),
    ("/m/k3v7q2xa", re.compile("^There is no match at this address")),
    ("/t/no-such-table", re.compile("^There is no match at this address")),
]


def test_an_address_that_leads_nowhere_says_so_in_one_sentence(person: NewPerson, server: ServerProcess) -> None:
    ada = person(server.url)
    for path, said in HEADINGS:
        ada.open(path)
        expect(ada.page.get_by_role("heading")).to_have_text(said)
        assert axe_faults(ada) == [], path
    ada.forgive("404")
    ada.page.get_by_role("link", name="Lobby").click()
    expect(ada.button("Play the computer")).to_be_visible()


def test_a_private_match_asks_for_its_code_and_a_finished_one_is_reviewed(
    person: NewPerson, server: ServerProcess, beside: LoopBeside
) -> None:
    eve, (white, black, match) = person(server.url), beside.enter(at_match(server.url, private=True))
    code = white.matches[match].view.code
    eve.open(f"/m/{match}")
    expect(eve.page.get_by_role("heading")).to_have_text(re.compile("^This match is private"))
    assert axe_faults(eve) == []
    eve.page.get_by_label("Code").fill(code)
    eve.press("Go in")
    expect(eve.status).to_have_text(re.compile("You are watching"))
    for one in (white, black):
        beside.run(one.act(m.Abort, match))
        beside.run(black.reach(match, white.matches[match].seq))
    eve.open(f"/m/{match}?review#{code}")
    expect(eve.page.get_by_role("heading")).to_have_text("The match ended without a winner, as both wished.")


def test_who_sits_down_knows_what_is_played_what_leaving_costs_and_who_begins(
    person: NewPerson, server: ServerProcess
) -> None:
    ada, bob = person(server.url), person(server.url)
    ada.open()
    ada.press("Play a friend")
    bob.open(ada.page.locator("input.link").input_value())
    expect(bob.page.locator(".ask")).to_contain_text(re.compile("3 points.*Whoever leaves loses"))
    expect(ada.status).to_have_text("Waiting for an opponent…")
    bob.press("Sit down")
    for one in (ada, bob):
        expect(one.page.locator("[aria-live]")).to_contain_text(re.compile(r"(You begin|begins), [2-6] against [1-5]"))
    colours = [one.page.locator(".player.own .stone").get_attribute("aria-label") for one in (ada, bob)]
    assert sorted(map(str, colours)) == ["Dark", "Light"]
    ada.press("Menu")
    expect(ada.page.get_by_text("Whoever leaves loses")).to_be_visible()


MOVED = "before => [...document.querySelectorAll('.live .checker')].map(one => one.style.transform).join() !== before"


def test_the_lobby_shows_how_a_game_begins_until_there_is_one_that_may_be_watched(
    person: NewPerson, own_server: ServerProcess, beside: LoopBeside
) -> None:
    url, eve = own_server.url, person(own_server.url)
    eve.open()
    live, caption = eve.page.locator(".live"), eve.page.locator(".live .caption")
    expect(live).to_contain_text("This is how a game begins")
    assert eve.page.locator(".checker").count() == 30
    white, black, match = beside.enter(at_match(url))
    expect(live).to_contain_text("Now playing: ")
    before = eve.page.locator(".live .checker").evaluate_all("all => all.map(one => one.style.transform).join()")
    mover, _ = by_turn(white, black, match)
    beside.run(a_turn(mover, match, random.Random(1)))
    eve.page.wait_for_function(MOVED, arg=before)
    assert axe_faults(eve) == []
    live.click()
    expect(eve.status).to_have_text(re.compile("^You are watching"))
    assert beside.run(white.next(m.Watchers)).count == 1
    eve.page.get_by_role("link", name="Tavla").click()
    assert beside.run(white.next(m.Watchers)).count == 0, "the lobby's board is looked at in passing"
    beside.leave()
    expect(eve.page.get_by_text("1 paused match")).to_be_visible()
    expect(live).to_contain_text("This is how a game begins")
    for _ in range(2):
        beside.enter(at_match(url))
    refused = refuse_first(eve, "no_spectators", for_good=True)
    eve.open("/watch")
    expect(caption).to_have_text(re.compile("^Now playing: "))
    shown = caption.get_by_role("link").get_attribute("href")
    assert refused == 2 * refused[:1]
    assert shown != f"/m/{refused[0]}"
    beside.leave()
    expect(eve.page.get_by_text("3 paused matches")).to_be_visible()
    expect(caption).to_contain_text("This is how a game begins")
    assert len(refused) == 2


LOOKS = "one => ['fontWeight', 'padding', 'backgroundColor', 'borderColor'].map(of => getComputedStyle(one)[of])"
LINES = """all => all.map(one => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return new Set([...range.getClientRects()].map(({ y }) => y)).size;
})"""


def test_the_doors_have_one_line_each_on_a_desktop_and_a_language_that_cannot_be_fetched_is_spoken_as_soon_as_it_can(
    person: NewPerson, server: ServerProcess
) -> None:
    """A link among the doors looks like a button."""
    ada = person(server.url, viewport={"width": 1280, "height": 800})
    ada.open()
    doors = ada.page.locator(".doors button")
    expect(doors).to_have_count(3)
    assert doors.evaluate_all(LINES) == [1, 1, 1]
    learn = ada.page.get_by_role("link", name="Learn to play")
    assert learn.evaluate(LOOKS) == ada.button("Open the chat").evaluate(LOOKS)
    ada.page.route("**/tr*.js*", lambda route: route.abort())
    ada.set("Language", "tr")
    expect(ada.button("Play the computer")).to_be_visible()
    ada.page.unroute("**/tr*.js*")
    expect(ada.button("Bilgisayarla oyna")).to_be_visible()
    expect(ada.page.locator("html")).to_have_attribute("lang", "tr")
    assert doors.evaluate_all(LINES) == [1, 1, 1]
    ada.forgive("net::ERR_")


def test_a_refusal_after_a_match_is_read_on_its_card_and_covers_no_button(
    person: NewPerson, server: ServerProcess, beside: LoopBeside
) -> None:
    ada = person(server.url, viewport={"width": 390, "height": 844}, has_touch=True)
    bob, match = opposed(ada, beside)
    ada.choose("Abort")
    ada.press("Yes, ask")
    beside.run(bob.until(match, lambda view: view.asks_abort(0) or view.asks_abort(1)))
    beside.run(bob.act(m.Abort, match))
    expect(ada.button("Rematch")).to_be_visible()
    beside.leave()
    ada.press("Rematch")
    expect(ada.page.locator(".result .notice")).to_be_visible()
    expect(ada.page.locator(".notice")).to_have_count(1)


def test_a_rematch_can_be_asked_for_again_when_it_was_declined_or_taken_back(
    person: NewPerson, server: ServerProcess
) -> None:
    first, second = begun(person, server.url)
    first.choose("Abort")
    first.press("Yes, ask")
    second.press("Agree")
    for one, answer in ((second, "Decline"), (first, "Take it back")):
        first.button("Rematch").focus()
        first.page.keyboard.press("Enter")
        expect(first.button("Asked for a rematch…")).to_be_disabled()
        expect(second.page.get_by_text("challenges you")).to_be_visible()
        one.press(answer)
        expect(first.button("Rematch")).to_be_enabled()
    expect(second.page.get_by_text("challenges you")).to_have_count(0)


def test_who_waits_at_a_table_of_the_lobby_reads_its_rules_and_no_clock(
    person: NewPerson, server: ServerProcess
) -> None:
    ada = person(server.url)
    ada.open()
    ada.page.get_by_label("Clock").select_option("normal")
    ada.press("Play a friend")
    expect(ada.page.locator(".ask .aside")).to_have_text("3 points · Normal clock")
    ada.press("Close the table")
    ada.press("More options…")
    ada.press("Open the table")
    expect(ada.page.locator(".ask .aside")).to_have_text("3 points · Normal clock · in the lobby, too")
    expect(ada.page.get_by_role("timer")).to_have_count(0)
    ada.press("Close the table")


def refuse_first(person: Person, code: str, for_good: bool) -> list[str]:
    """The first match that a person's page asks to see is refused, once or each time; what was refused."""
    refused: list[str] = []

    def connect(here: WebSocketRoute) -> None:
        there = here.connect_to_server()

        def send(frame: str | bytes) -> None:
            request = msgpack.unpackb(frame)
            if request["type"] == "attach" and (not refused or (for_good and request["table"] in refused)):
                refused.append(request["table"])
                here.send(pack(m.Error(id=request["id"], code=code, text="not now")))
            else:
                there.send(frame)

        here.on_message(send)

    person.page.route_web_socket("**/*", connect)
    return refused


def test_a_match_that_is_told_of_before_it_is_there_is_shown_as_soon_as_it_is(
    person: NewPerson, server: ServerProcess, beside: LoopBeside
) -> None:
    """A tournament's pairing stands in its standings before the match has begun."""
    eve = person(server.url)
    beside.enter(at_match(server.url))
    refused = refuse_first(eve, "no_such_match", for_good=False)
    eve.open("/watch")
    expect(eve.page.locator(".live .caption")).to_have_text(re.compile("^Now playing: "))
    assert refused


def test_a_match_for_one_point_has_no_cube_and_guests_are_shown_as_unrated(
    person: NewPerson, server: ServerProcess
) -> None:
    with seated(person(server.url)) as (ada, _):
        expect(ada.page.locator(".stone").first).to_be_visible()
        assert ada.page.locator(".cube").count() == 0
        expect(ada.page.locator(".player .who small")).to_have_text(["unrated", "unrated"])
        assert ada.page.locator("[title]").count() > 0
        ada.set("Tooltips", "off")
        expect(ada.page.locator("[title]:not([title=''])")).to_have_count(0)


def test_a_turn_that_is_forced_and_the_roll_are_left_to_the_server_by_a_setting(
    person: NewPerson, server: ServerProcess
) -> None:
    ada, bob = person(server.url), person(server.url)
    ada.open()
    ada.set("Before my roll", "on")
    ada.set("Forced moves", "on")
    invite(ada, bob, length=3)
    for _ in range(6):
        one, _ = in_turn(ada, bob)
        assert one is bob or ada.asked() == "move", "never asked before the roll"
        one.act()
