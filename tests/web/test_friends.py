"""Friends in the page: followed, told of, watched by one click; and a report, which comes with the same script."""

import re
from collections.abc import Callable

from playwright.sync_api import Locator, WebSocketRoute, expect
from tavla_protocol import messages as m
from tavla_protocol.codec import decode_reply

from tests.support.browser.lobby import PASSWORD, come_in, dialog, fits
from tests.support.browser.loop import LoopBeside
from tests.support.browser.person import NewPerson, Person
from tests.support.players.accounts import registered
from tests.support.players.plain import Player, unique
from tests.support.servers.processes import ServerProcess

# What the page sends stays with it, until it is let go.
HELD = """() => {
    const { send } = WebSocket.prototype, held = [];
    WebSocket.prototype.send = function (data) { held.push(() => send.call(this, data)); };
    window.let_go = () => { WebSocket.prototype.send = send; for (const sends of held) sends(); };
}"""


def friends_of(person: Person) -> Locator:
    """The dialog, opened anew."""
    person.page.locator(".head .name").click()
    person.press("Friends")
    return dialog(person)


def test_a_friend_is_followed_and_watched_by_one_click(
    person: NewPerson, server: ServerProcess, beside: LoopBeside
) -> None:
    ada, bob, eve = person(server.url), person(server.url), beside.enter(Player(server.url))
    names = [unique(stem) for stem in ("a", "b")]
    for one, name in zip((ada, bob), names, strict=True):
        one.open()
        come_in(one, name, PASSWORD)
    ada.open(f"/p/{names[1]}")
    ada.press("Follow")
    expect(ada.button("Unfollow")).to_be_visible()
    listed = friends_of(ada).get_by_role("link", name=names[1])
    assert listed.evaluate("one => one.scrollWidth - one.clientWidth") <= 0, "no name is cut where it has room"
    dialog(ada).get_by_role("button", name="Close").last.click()
    # In a hidden tab a connection that answers late is kept. A new one would not be told of what happened before it.
    ada.page.evaluate("Object.defineProperty(document, 'hidden', { value: true })")
    notice = ada.page.get_by_role("status").filter(has_text=names[1])
    bob.press("More options…")
    dialog(bob).get_by_role("button", name="Open the table").click()
    expect(notice).to_contain_text(f"{names[1]} has opened a table.")
    fits(ada)
    notice.get_by_role("button", name="Close").click()
    expect(notice).to_have_count(0)
    beside.run(eve.get(m.Snapshot, m.Join, table=bob.page.url.rpartition("/m/")[2]))
    expect(notice).to_contain_text(f"{names[1]} plays {eve.name}.")
    notice.get_by_role("button", name="Watch").click()
    expect(ada.page.locator(".match .board")).to_be_visible()
    expect(notice).to_have_count(0)
    expect(bob.page.get_by_role("status").filter(has_text=names[0])).to_have_count(0)


def test_what_is_typed_before_the_list_comes_stays(
    person: NewPerson, server: ServerProcess, beside: LoopBeside
) -> None:
    ada, bob = person(server.url), beside.run(registered(beside.enter(Player(server.url))))
    lists: list[Callable[[], None]] = []
    slow = False

    def carry(page: WebSocketRoute) -> None:
        def bring(message: str | bytes) -> None:
            assert isinstance(message, bytes)
            if slow and isinstance(decode_reply(message), m.Following):
                lists.append(lambda: page.send(message))
            else:
                page.send(message)

        page.connect_to_server().on_message(bring)

    ada.page.route_web_socket(re.compile("^ws:"), carry)
    ada.open()
    come_in(ada, unique("a"), PASSWORD)
    ada.open(f"/p/{bob.name}")
    ada.press("Follow")
    expect(ada.button("Unfollow")).to_be_visible()
    slow = True
    ada.open()
    listed = friends_of(ada)
    field = listed.get_by_label("Follow a player")
    field.fill("nobody-at-all")
    slow = False
    for come in lists:
        come()
    expect(listed.get_by_role("listitem")).to_contain_text(str(bob.name))
    expect(field).to_have_value("nobody-at-all")
    field.press("Enter")
    expect(listed.get_by_role("alert")).to_have_text("there is no player called nobody-at-all")


def test_the_list_is_kept_by_keys_and_on_a_phone_and_one_may_refuse(person: NewPerson, server: ServerProcess) -> None:
    ada, bob = person(server.url), person(server.url)
    names = [unique(stem) for stem in ("a", "b")]
    for one, name in zip((ada, bob), names, strict=True):
        one.open()
        come_in(one, name, PASSWORD)
    listed = friends_of(ada)
    expect(listed).to_contain_text("You follow nobody yet.")
    listed.get_by_label("Follow a player").fill("nobody-at-all")
    ada.page.keyboard.press("Enter")
    expect(listed.get_by_role("alert")).to_have_text("there is no player called nobody-at-all")
    listed.get_by_label("Follow a player").fill(names[1])
    ada.page.keyboard.press("Enter")
    expect(listed.get_by_role("listitem")).to_contain_text("is here")
    friends_of(bob).get_by_label("Others may follow me").uncheck()
    ada.page.reload()
    listed = friends_of(ada)
    expect(listed.get_by_role("listitem")).to_contain_text("does not want to be followed")
    ada.page.set_viewport_size({"width": 360, "height": 640})
    fits(ada)
    listed.get_by_role("button", name=f"Unfollow {names[1]}").focus()
    ada.page.keyboard.press("Enter")
    expect(listed).to_contain_text("You follow nobody yet.")
    ada.page.keyboard.press("Escape")
    expect(listed).to_have_count(0)
    ada.press("Settings")
    ada.page.get_by_label("Language").select_option("tr")
    ada.page.keyboard.press("Escape")
    ada.page.locator(".head .name").click()
    ada.press("Arkadaşlar")
    expect(dialog(ada)).to_contain_text("Henüz kimseyi takip etmiyorsunuz.")
    fits(ada)


def test_somebody_is_reported_once(person: NewPerson, server: ServerProcess, beside: LoopBeside) -> None:
    ada, bob = person(server.url), beside.enter(Player(server.url))
    ada.open(f"/p/{bob.name}")
    ada.press("Report")
    dialog(ada).get_by_label("What has happened?").fill("says things")
    ada.page.evaluate(HELD)
    ada.page.keyboard.press("Enter")
    expect(dialog(ada).get_by_role("button", name="Report"), "no answer is there yet").to_be_disabled()
    ada.page.evaluate("let_go()")
    expect(dialog(ada)).to_contain_text("The moderators have been told. Thank you.")


def test_who_is_ignored_while_looking_at_an_open_table_is_told_that_it_is_not_there(
    person: NewPerson, server: ServerProcess
) -> None:
    ada, bob = person(server.url), person(server.url)
    names = [unique("a"), unique("b")]
    for one, name in zip((ada, bob), names, strict=True):
        one.open()
        come_in(one, name)
    ada.press("More options…")
    dialog(ada).get_by_role("button", name="Open the table").click()
    expect(ada.page).to_have_url(re.compile("/m/"))
    bob.open(f"/m/{ada.page.url.split('/m/')[1]}")
    expect(bob.page.locator(".match .board")).to_be_visible()
    ada.open(f"/p/{names[1]}")
    ada.press("Ignore")
    expect(bob.page.locator("main")).to_contain_text("There is no match at this address")
    expect(bob.page.locator(".match .board")).to_have_count(0)
