"""What the page remembers, and a server that is put back or killed, in Chromium."""

import contextlib
import json
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.support.browser.axe import axe_faults
from tests.support.browser.ledgers import TWICE
from tests.support.browser.lobby import fits
from tests.support.browser.person import NewPerson, Person
from tests.support.browser.playing import in_turn, invite, play_until, resign
from tests.support.players.plain import unique
from tests.support.players.terminal import Terminal
from tests.support.servers.processes import NewServer, ServerProcess
from tests.support.servers.timed import timed
from tests.support.servers.valkey import Valkey
from tests.support.stores.journals import Past

KEEP_NO_SEED = """() => {
  const keep = Storage.prototype.setItem;
  Storage.prototype.setItem = function (key, value) {
    if (!key.startsWith('tavla.seed/')) keep.call(this, key, value);
  };
}"""


def test_a_quick_match_seeks_on_once_and_what_is_remembered_can_be_forgotten(
    person: NewPerson, new_server: NewServer
) -> None:
    server = new_server(command=timed(reveal_s=5, reveal_away_s=5, return_ms=100))
    server.start()
    ada, bob, cleo = person(server.url), person(server.url), person(server.url)
    for one in (ada, bob, cleo):
        one.open()
    for one in (ada, cleo):
        one.page.evaluate(KEEP_NO_SEED)
    ada.press("Play someone")
    expect(ada.page.get_by_role("heading", name="Looking for an opponent")).to_be_visible()
    bob.press("Play someone")
    said = bob.page.locator(".verdict")
    expect(said).to_contain_text("Of 1 match here 1 ended before the first roll")
    expect(said).to_contain_text("Looking for another opponent…")
    expect(bob.button("Cancel")).to_be_visible()
    fits(bob)
    ada.press("Look for an opponent")
    expect(ada.page.get_by_role("alert")).to_contain_text("seed")
    bob.page.get_by_role("link", name="Lobby").click()
    expect(bob.page.get_by_role("heading", name="Looking for an opponent")).to_be_visible()
    cleo.press("Play someone")
    expect(said).to_contain_text("That makes two within an hour: the search has stopped.")
    expect(bob.button("Look for an opponent")).to_be_visible()
    bob.open("/dice")
    counts = "Of 2 matches here 2 ended before the first roll because no seed came from the other player"
    expect(bob.page.locator("main")).to_contain_text(counts)
    bob.press("Forget what this browser remembers of this server")
    assert axe_faults(bob) == []
    bob.press("Yes, forget it")
    expect(bob.page.locator("main")).to_contain_text("It is forgotten.")
    bob.page.reload()
    expect(bob.page.locator("main")).to_contain_text("No match yet.")


ENTRY = "() => Object.entries(localStorage).find(([key]) => key.startsWith('tavla.seed/'))?.[1]"


def entry_of(one: Person) -> dict[str, Any]:
    """The ledger's entry of the one match of this browser."""
    found: dict[str, Any] = json.loads(one.page.evaluate(ENTRY))
    return found


def test_a_match_that_is_put_back_while_the_page_is_away_is_told_and_the_second_time_it_stops(
    person: NewPerson, own_server: ServerProcess
) -> None:
    ada, bob = person(own_server.url), person(own_server.url)
    invite(ada, bob)
    past = Past(own_server.store_url, ada.page.url.partition("/m/")[2].partition("#")[0])
    address = ada.page.url
    ada.page.wait_for_function(f"() => JSON.parse(({ENTRY})()).rolls")
    first = entry_of(ada)["rolls"]  # the last opening roll: equal ones are rolled again
    for losses in (1, 2):
        for _ in range(3):
            mover, other = in_turn(ada, bob)
            while mover.act() and not other.asked():
                pass
            other.until_ours()
        ada.page.reload()
        ada.page.wait_for_function(f"() => JSON.parse(({ENTRY})()).rolls > {first}")
        seen = entry_of(ada)["rolls"]
        for one in (ada, bob):
            one.page.goto("about:blank")
        past.put_back(own_server)
        for one in (ada, bob):
            one.page.goto(address)
        now = f"The server has lost what happened last: the match is as it was at roll {first};"
        expect(ada.page.locator(".notice")).to_have_text(f"{now} you have seen roll {seen}.")
        assert entry_of(ada)["losses"] == losses
        if losses == 1:
            assert ada.page.locator(".verdict.wrong").count() == 0, "play goes on"
    expect(ada.status).to_have_text("Play is stopped")
    expect(ada.page.locator(".verdict.wrong")).to_have_text(TWICE)
    ada.page.reload()
    expect(ada.page.locator(".verdict.wrong")).to_have_text(TWICE)
    ada.press("Go on in spite of it")
    expect(ada.status).not_to_have_text("Play is stopped")
    ada.page.reload()
    expect(ada.page.locator(".dice").first).to_be_visible()
    assert ada.page.locator(".verdict.wrong").count() == 0
    for one in (ada, bob):
        one.forgive("WebSocket connection")


def test_an_honest_server_brings_no_red_line(person: NewPerson, own_server: ServerProcess) -> None:
    """Two tabs, one that stands still, a load amid the match, and a server that is killed: the match is played out."""
    ada, bob = person(own_server.url), person(own_server.url)
    invite(ada, bob, Start="hypergammon")  # three checkers, and fewer turns
    address = ada.page.url
    ada.page.wait_for_function(f"() => JSON.parse(({ENTRY})()).player")  # a match that vanishes now is looked for
    other = ada.context.new_page()
    other.goto(address)
    expect(other.locator(".dice").first).to_be_visible()
    still = ada.context.new_cdp_session(other)
    still.send("Page.setWebLifecycleState", {"state": "frozen"})
    ada.page.bring_to_front()
    ada.page.reload()
    for _ in range(2):
        in_turn(ada, bob)[0].act()
    own_server.kill()
    own_server.restart()
    still.send("Page.setWebLifecycleState", {"state": "active"})
    for one in (ada, bob):
        expect(one.page.locator(".offline")).to_have_count(0)
    other.close()
    play_until(lambda: ada.button("Rematch").is_visible(), ada, bob)
    for one in (ada, bob):
        expect(one.page.locator(".verdict.sound")).to_have_count(1)
        assert one.page.locator(".verdict.wrong, .notice, .challenge").count() == 0
        assert (entry_of(one)["end"], "fault" in entry_of(one)) == ("played", False)
        one.open("/dice")
        none = "Of 1 match here 0 ended before the first roll because no seed came from the other player, and 0 by the"
        expect(one.page.locator("main")).to_contain_text(none)
        one.forgive("WebSocket connection")


def test_two_nodes_that_stand_still_bring_no_red_line(
    person: NewPerson, new_server: NewServer, valkey: Valkey, tmp_path: Path
) -> None:
    nodes = [new_server("--redis", valkey.url, data=tmp_path / name) for name in ("here", "there")]
    for node in nodes:
        node.start()
    ada, bob = (person(node.url) for node in nodes)
    ada.open()
    ada.page.get_by_label("Match").select_option("1")
    ada.press("Play a friend")
    bob.open(ada.page.locator("input.link").input_value().replace(nodes[0].url, nodes[1].url))
    bob.press("Sit down")
    for node in nodes:
        in_turn(ada, bob)[0].act()
        node.stand_still(3.0)
    for _ in range(4):
        in_turn(ada, bob)[0].act()
    first, second = in_turn(ada, bob)
    resign(first)
    second.until_ours("accept")
    second.press("Accept")
    expect(ada.button("Rematch")).to_be_visible()
    for one in (ada, bob):
        expect(one.page.locator(".verdict.sound")).to_have_count(1)
        assert one.page.locator(".verdict.wrong, .notice, .challenge").count() == 0
        one.forgive("WebSocket connection")


def test_a_fork_that_shows_a_seed_stops_the_page_and_the_terminal(
    person: NewPerson, own_server: ServerProcess, tmp_path: Path
) -> None:
    table, url = unique("t"), own_server.url
    arguments = ("create", table, "--length", "3", "--server", url, "--as", "tom", "--ascii")
    with contextlib.ExitStack() as stack:
        tom = Terminal(tmp_path / "tom", *arguments)
        stack.callback(tom.clean_up)
        tom.wait_for(f"waiting for an opponent at table {table}")
        ada = person(url)
        ada.open(f"/t/{table}")
        ada.press("Sit down")
        tom.wait_for("game 1 begins")
        expect(ada.page.locator(".dice").first).to_be_visible()
        past = Past(own_server.store_url, entry_of(ada)["match"])
        tom.type("resign single")
        tom.type("yes")
        ada.until_ours("accept")
        ada.press("Accept")
        expect(ada.button("Next game")).to_be_visible()
        past.put_back(own_server)
        expect(ada.status).to_have_text("Play is stopped")
        new = "The server was put back; the dice to come are new ones. Somebody may have seen the old ones."
        expect(ada.page.locator(".verdict.wrong")).to_have_text(new)
        tom.wait_for("WARNING: the server was put back: the dice to come are new, and somebody may")
        tom.wait_for("nothing is sent any more: type go on to play on all the same")
        ada.forgive("WebSocket connection")
