"""The first screen: the lobby with its board, and addresses that lead to a match, or nowhere."""

import re

import msgpack
from playwright.sync_api import WebSocketRoute, expect
from tavla_protocol import messages as m
from tavla_protocol.codec import pack

from tests.support.browser.axe import axe_faults
from tests.support.browser.person import NewPerson, Person
from tests.support.browser.playing import begun, in_turn, invite
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
    person: NewPerson, server: ServerProcess
) -> None:
    ada, bob, eve = (person(server.url) for _ in range(3))
    invite(ada, bob)
    link, _, code = ada.page.url.partition("#")
    code = code or bob.page.url.partition("#")[2]
    eve.open(link)
    expect(eve.page.get_by_role("heading")).to_have_text(re.compile("^This match is private"))
    assert axe_faults(eve) == []
    eve.page.get_by_label("Code").fill(code)
    eve.press("Go in")
    expect(eve.status).to_have_text(re.compile("You are watching"))
    first, second = in_turn(ada, bob)
    first.choose("Abort")
    first.press("Yes, ask")
    second.press("Agree")
    expect(ada.button("Rematch")).to_be_visible()
    ada.open(f"{link}?review")
    expect(ada.page.get_by_role("heading")).to_have_text("The match ended without a winner, as both wished.")


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


def test_the_lobby_shows_how_a_game_begins_until_there_is_one_to_be_watched(
    person: NewPerson, own_server: ServerProcess
) -> None:
    url = own_server.url
    eve, ada, bob = (person(url) for _ in range(3))
    eve.open()
    live = eve.page.locator(".live")
    expect(live).to_contain_text("This is how a game begins")
    assert eve.page.locator(".checker").count() == 30
    ada.open()
    ada.press("More options…")
    ada.press("Open the table")
    bob.open(ada.page.locator("input.link").input_value())
    bob.press("Sit down")
    expect(live).to_contain_text("Now playing: ")
    first, second = in_turn(ada, bob)
    before = eve.page.locator(".live .checker").evaluate_all("all => all.map(one => one.style.transform).join()")
    first.make_turn()
    eve.page.wait_for_function(
        "before => [...document.querySelectorAll('.live .checker')].map(one => one.style.transform).join() !== before",
        arg=before,
    )
    assert axe_faults(eve) == []
    eve.page.locator(".live").click()
    expect(eve.status).to_have_text(re.compile("^You are watching"))
    watchers = first.page.locator(".watchers")
    expect(watchers).to_have_text("1 watching")
    eve.page.get_by_role("link", name="Tavla").click()
    expect(watchers).to_have_count(0)  # the lobby's board is looked at in passing
    second.page.goto("about:blank")
    expect(eve.page.get_by_text("1 paused match")).to_be_visible()
    expect(live).to_contain_text("This is how a game begins")


def test_a_lost_connection_pushes_nothing_aside(person: NewPerson, own_server: ServerProcess) -> None:
    ada, bob = person(own_server.url), person(own_server.url)
    invite(ada, bob)
    before = ada.page.locator(".board").bounding_box()
    own_server.kill()
    expect(ada.page.locator(".offline")).to_be_visible()
    assert ada.page.locator(".board").bounding_box() == before
    for one in (ada, bob):
        one.forgive("WebSocket connection", "net::ERR_")


def test_the_doors_have_one_line_each_on_a_desktop(person: NewPerson, server: ServerProcess) -> None:
    for locale in ("en", "tr"):
        ada = person(server.url, viewport={"width": 1280, "height": 800}, locale=locale)
        ada.open()
        doors = ada.page.locator(".doors button")
        expect(doors).to_have_count(3)
        lines = doors.evaluate_all(
            """all => all.map(one => {
                const range = document.createRange();
                range.selectNodeContents(one);
                return new Set([...range.getClientRects()].map(({ y }) => y)).size;
            })"""
        )
        assert lines == [1, 1, 1]


def test_a_language_that_cannot_be_fetched_is_spoken_as_soon_as_it_can(
    person: NewPerson, server: ServerProcess
) -> None:
    ada = person(server.url)
    ada.open()
    ada.page.route("**/tr*.js*", lambda route: route.abort())
    ada.set("Language", "tr")
    expect(ada.button("Play the computer")).to_be_visible()
    ada.page.unroute("**/tr*.js*")
    expect(ada.button("Bilgisayarla oyna")).to_be_visible()
    expect(ada.page.locator("html")).to_have_attribute("lang", "tr")
    ada.forgive("net::ERR_")


def test_a_refusal_after_a_match_is_read_on_its_card_and_covers_no_button(
    person: NewPerson, server: ServerProcess
) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
    ada, bob = person(server.url, **phone), person(server.url, **phone)
    invite(ada, bob)
    first, second = in_turn(ada, bob)
    first.make_turn()
    second.until_ours()
    second.choose("Abort")
    second.press("Yes, ask")
    first.press("Agree")
    expect(first.button("Rematch")).to_be_visible()
    second.page.goto("about:blank")
    first.press("Rematch")
    expect(first.page.locator(".result .notice")).to_be_visible()
    expect(first.page.locator(".notice")).to_have_count(1)


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
    person: NewPerson, server: ServerProcess
) -> None:
    """A tournament's pairing stands in its standings before the match has begun."""
    ada, bob, eve = (person(server.url) for _ in range(3))
    invite(ada, bob, Clock="normal")
    refused = refuse_first(eve, "no_such_match", for_good=False)
    eve.open("/watch")
    expect(eve.page.locator(".live .caption")).to_have_text(re.compile("^Now playing: "))
    assert refused


def test_a_match_that_may_not_be_watched_leaves_the_board_to_another_one(
    person: NewPerson, own_server: ServerProcess
) -> None:
    ada, bob, cid, dan, eve = (person(own_server.url) for _ in range(5))
    invite(ada, bob, Clock="normal")
    invite(cid, dan, Clock="normal")
    refused = refuse_first(eve, "no_spectators", for_good=True)
    eve.open("/watch")
    caption = eve.page.locator(".live .caption")
    expect(caption).to_have_text(re.compile("^Now playing: "))
    shown = caption.get_by_role("link").get_attribute("href")
    assert refused == 2 * refused[:1]
    assert shown != f"/m/{refused[0]}"
    for one in (ada, cid):
        one.page.goto("about:blank")
    expect(eve.page.get_by_text("2 paused matches")).to_be_visible()
    expect(caption).to_contain_text("This is how a game begins")
    assert len(refused) == 2


def test_a_match_for_one_point_has_no_cube_and_guests_are_shown_as_unrated(
    person: NewPerson, server: ServerProcess
) -> None:
    ada, bob = person(server.url), person(server.url)
    invite(ada, bob)
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
