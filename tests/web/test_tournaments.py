"""Tournaments in the page: made, entered, played, directed, and looked at."""

import re

from playwright.sync_api import Locator, expect
from tavla_server.store import keys
from tavla_server.store.client import connection_to

from tests.support.browser.lobby import PASSWORD, dialog, fill_in, fits, row
from tests.support.browser.loop import LoopBeside
from tests.support.browser.person import NewPerson, Person
from tests.support.browser.playing import in_turn, resign
from tests.support.patience import ask_until
from tests.support.players.accounts import registered
from tests.support.players.plain import PLAYS, Player, guests, unique
from tests.support.players.seeds import COMMITMENTS
from tests.support.players.tournaments import arena_of, entered, standings_of
from tests.support.players.tournaments import direct as lead
from tests.support.servers.processes import ServerProcess

PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True}

HEAR = """
    const { start } = OscillatorNode.prototype;
    OscillatorNode.prototype.start = function (at) { hear(location.pathname); return start.call(this, at); };
"""
TOLD = """
    window.told = [];
    new MutationObserver(() => told.push(document.querySelector("[role=status]")?.textContent)).observe(
        document, { subtree: true, childList: true, characterData: true });
"""
HIDE = 'Object.defineProperty(document, "hidden", { value: true });'


def make(director: Person, name: str, format: str = "arena", starts: int = 0, private: bool = False) -> None:  # noqa: A002
    """Make a tournament, from the lobby on, as one who has no account yet."""
    director.open()
    director.page.get_by_role("link", name="Tournaments").click()
    director.press("Make a tournament")
    dialog(director).get_by_role("button", name="New here").click()
    fill_in(director, unique("d"), PASSWORD)
    dialog(director).get_by_label("Name of the tournament").fill(name)
    dialog(director).get_by_label("Format").select_option(format)
    dialog(director).get_by_label("Begins in (minutes)").fill(str(starts))
    if private:
        dialog(director).get_by_text("More options…").click()
        dialog(director).get_by_label("Private: by link only").check()
        fits(director)
    dialog(director).get_by_label("Match").select_option("1")
    dialog(director).get_by_role("button", name="Make it").click()
    expect(director.page.get_by_role("heading", level=1)).to_have_text(name)


def direct(director: Person, what: str, reason: str) -> None:
    director.press("Direct")
    director.press(what)
    if reason:
        dialog(director).get_by_label("Reason").fill(reason)
    dialog(director).get_by_role("button", name=what).click()
    expect(dialog(director)).to_have_count(0)


def heard_by(person: Person, script: str = "") -> list[str]:
    """The pages on which something sounds from now on. script: what their browser does besides."""
    heard: list[str] = []
    person.context.expose_function("hear", lambda path: heard.append(path))
    person.context.add_init_script(HEAR + script)
    person.page.evaluate(f"() => {{ {HEAR + script} }}")
    return heard


def status(person: Person) -> Locator:
    return person.page.get_by_role("status")


def standing(person: Person, name: str) -> Locator:
    return person.page.get_by_role("row").filter(has=person.page.get_by_role("rowheader", name=name))


def play_on(ada: Person, bob: Person) -> None:
    """Play from the start until both have made two plays, and a fifth is made: a win counts from then on."""
    plays = 0
    while plays <= PLAYS:
        one, _ = in_turn(ada, bob)
        plays += one.asked() == "move"
        assert one.act()


def test_one_joins_is_paired_plays_and_comes_back_until_the_director_ends_it(
    person: NewPerson, server: ServerProcess
) -> None:
    director, ada, bob, name = person(server.url), person(server.url), person(server.url, **PHONE), unique("Yılbaşı ")
    make(director, name)  # who plays in it does not end it
    ada.open(director.page.url)
    expect(ada.page.locator(".time")).to_have_text(re.compile("The first match begins when two are in \\(until "))
    ada.press("Join")
    expect(ada.page.locator(".self")).to_contain_text("A pause costs nothing")
    expect(status(ada)).to_contain_text("Waiting for your next opponent")
    fits(ada)
    bob.open("/tournaments")
    fits(bob)
    bob.page.get_by_role("link", name="Play", exact=True).click()
    expect(row(bob, name)).to_contain_text("Under way")
    row(bob, name).get_by_role("link").click()
    bob.press("Join")
    for one in (ada, bob):
        one.page.wait_for_url("**/m/*")
    play_on(ada, bob)
    first, second = in_turn(ada, bob)
    resign(first)
    assert second.until_ours("accept") == "accept"
    second.press("Accept")
    names = [one.page.locator(".head .name").inner_text() for one in (first, second)]
    for one in (bob, ada):  # one after the other: both would be paired again some time
        one.context.add_init_script(TOLD)
        one.page.get_by_role("link", name="Back to the tournament").click()
        expect(status(one)).to_contain_text("Waiting for your next opponent")
        assert not any("paused" in (words or "") for words in one.page.evaluate("told")), "it comes back by itself"
        expect(standing(one, names[1])).to_contain_text(re.compile(r"2\s*1/1"))
        expect(standing(one, names[0])).to_contain_text(re.compile(r"0\s*0/1"))
        fits(one)
        if one is bob:
            expect(one.page.locator(".own-row td").first).to_have_css("bottom", "56px")  # it stops above the foot
            one.press("Pause")
            expect(status(one)).to_contain_text("You are paused")
            expect(one.button("Return")).to_be_visible()
    direct(director, "End it now", "enough for today")
    for one, place in ((first, 2), (second, 1)):
        expect(status(one)).to_have_text(f"You came in as number {place} of 2.")
        match = row(one, " – ").get_by_role("link")
        expect(match).to_have_attribute("href", re.compile(r"/m/[a-z2-7]{12}$"))
        expect(one.page.get_by_text("enough for today")).to_be_visible()
        expect(one.page.get_by_text(f"Won by {names[1]}")).to_be_visible()
        expect(one.page.locator(".podium b")).to_have_text([names[1], names[0]])
        winner, second_ = (one.page.locator(".podium span").nth(place).bounding_box() for place in (0, 1))
        assert winner is not None
        assert second_ is not None
        assert winner["y"] < second_["y"], "on the highest step"
        assert winner["x"] > second_["x"], "and in the middle"
        fits(one)


def test_a_visitor_who_makes_a_tournament_is_asked_for_an_account_once(
    person: NewPerson, server: ServerProcess
) -> None:
    eve = person(server.url)
    eve.open("/tournaments")
    eve.press("Make a tournament")
    expect(dialog(eve).get_by_role("heading")).to_have_text("You need an account to make a tournament")
    expect(dialog(eve).get_by_role("button", name="Play as a guest")).to_have_count(0)
    fill_in(eve, unique("eve"), "correct horse")
    expect(dialog(eve).get_by_role("heading")).to_have_text("A new tournament")


def test_who_comes_to_rounds_that_wait_for_players_is_in_before_they_begin(
    person: NewPerson, server: ServerProcess, beside: LoopBeside
) -> None:
    ada, director = person(server.url), beside.enter(Player(server.url))
    tournament = beside.run(arena_of(director, format="round-robin"))
    ada.open(f"/tournaments/{tournament}")
    expect(status(ada)).to_contain_text("Come in before it begins")
    ada.button("Join").focus()
    ada.page.keyboard.press("Enter")
    expect(status(ada)).to_contain_text("You are in")
    expect(ada.button("Leave")).to_be_focused()  # it stands where the other stood
    ada.press("Leave")
    expect(ada.page.get_by_text("Nobody is in yet.")).to_be_visible()
    beside.run(lead(director, tournament, "extend"))
    expect(ada.page.get_by_text("Nobody took part.")).to_be_visible()


def test_a_private_knock_out_calls_its_players_and_is_drawn_as_a_bracket(
    person: NewPerson, server: ServerProcess
) -> None:
    ada, bob = person(server.url, sounds=True), person(server.url, sounds=True, **PHONE)
    eve, name = person(server.url), unique("k")
    make(ada, name, format="knock-out", starts=60, private=True)
    address = ada.page.url
    eve.open("/tournaments")
    expect(eve.page.get_by_role("heading", level=1)).to_have_text("Tournaments")
    expect(row(eve, name)).to_have_count(0)
    for one in (ada, bob):
        one.open(address)
        one.press("Join")
        expect(status(one)).to_contain_text("You are in")
    called = unique("b")
    bob.page.locator(".head .name").click()
    dialog(bob).get_by_role("button", name="New here").click()
    fill_in(bob, called, "")
    expect(standing(ada, called)).to_be_visible()
    expect(ada.page.get_by_role("rowheader")).to_have_count(2)  # no guest is left behind
    expect(status(bob)).to_contain_text("You are in")
    heard_by_ada, heard_by_bob = heard_by(ada, HIDE), heard_by(bob)  # ada looks at another tab
    bob.open()  # and bob is in the lobby
    bob.press("Settings")
    ada.press("Direct")
    expect(ada.page.get_by_text("You play in it, so a moderator decides the rest.")).to_be_visible()
    expect(ada.button("End it now")).to_have_count(0)
    ada.press("Direct")
    direct(ada, "Begin it now", "")
    is_called(bob, name)
    assert {*heard_by_bob} == {"/"}
    bob.open("/learn")  # a page without a connection of its own
    is_called(bob, name).get_by_role("link", name="Play").click()
    for one in (ada, bob):
        one.page.wait_for_url("**/m/*")
    expect(ada.page).to_have_title(re.compile("^● "))
    assert heard_by_ada, "there is a sound before the match is opened"
    expect(bob.page.locator(".call")).to_have_count(0)
    eve.open(address)
    final = eve.page.get_by_role("region", name="Main bracket").get_by_role("link")
    expect(final).to_have_attribute("href", re.compile(r"/m/[a-z2-7]{12}#[a-z2-7]{8}$"))
    fits(eve)
    final.click()
    expect(eve.page.locator(".match .board")).to_be_visible()


async def knock_out_of_two(server: ServerProcess, director: Player, *two: Player) -> str:
    """A knock-out that two have entered, who are rated lower than whoever comes."""
    tournament = await arena_of(director, format="knock-out", starts=3600, minutes=30)
    async with connection_to(server.store_url) as store:
        for player, commitment in zip(two, COMMITMENTS, strict=True):
            await registered(player)
            await store.hset(keys.PLAYER(player.id), "rating", "1400")
            await entered(player, tournament, commitment)
    return tournament


def test_who_has_a_bye_reads_so_in_the_tournament_and_on_any_other_page(
    person: NewPerson, server: ServerProcess, beside: LoopBeside
) -> None:
    ada, (director, *two) = person(server.url, **PHONE), beside.enter(guests(server.url, 3))
    tournament = beside.run(knock_out_of_two(server, director, *two))
    ada.open(f"/tournaments/{tournament}")
    lobby = ada.context.new_page()
    lobby.goto(server.url.replace("ws", "http", 1))
    ada.press("Join")
    asked = ask_until(
        lambda: standings_of(director, tournament), lambda found: sum(row.waiting for row in found.values()) == 3
    )
    beside.run(asked)
    beside.run(lead(director, tournament, "begin"))
    expect(ada.page.get_by_text("You have a bye in round 1")).to_be_visible()
    fits(ada)
    call = lobby.get_by_role("alert").filter(has_text="you have a bye in round 1, which counts as a win.")
    expect(call).to_be_visible()
    lobby.close()


def is_called(person: Person, name: str) -> Locator:
    """A person is called to the round: by a notice, with the time left, and by the title."""
    call = person.page.get_by_role("alert").filter(has_text=f"{name} calls you: round 1 begins")
    expect(call.get_by_role("timer")).to_have_text(re.compile(r"^0:\d\d left$"))
    expect(person.page).to_have_title("● You are called")
    fits(person)
    return call
