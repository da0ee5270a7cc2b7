"""The live lobby in a terminal of 80 columns and 24 rows, at a real server."""

import asyncio
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from tavla_cli.identity import Identities
from tavla_client import Client, Refused
from tavla_protocol import messages as m

from tests.support.players.clients import challenges_of
from tests.support.players.plain import Player, unique, within
from tests.support.players.terminal import NewTerminal, Terminal
from tests.support.servers.processes import ServerProcess

pytestmark = pytest.mark.slow  # each starts a program in a terminal

Look = Callable[[str], Terminal]


@pytest.fixture
def server(own_server: ServerProcess) -> ServerProcess:
    """A server with no other client in its lobby."""
    return own_server


@pytest.fixture
def look(server: ServerProcess, open_terminal: NewTerminal) -> Look:
    """Opens the lobby at the terminal of a player."""

    def open_lobby(name: str) -> Terminal:
        terminal = open_terminal("lobby", "--server", server.url, "--as", name, "--ascii")
        terminal.resize(24, 80)
        return terminal

    return open_lobby


@pytest.fixture
def eve(look: Look) -> Terminal:
    """A player who looks at the lobby."""
    return look("eve")


async def test_a_table_that_someone_opens_appears_and_enter_joins_it(server: ServerProcess, eve: Terminal) -> None:
    eve.shows("^   none: c opens one")
    async with Client(server.url, name="ada") as ada:
        match = await ada.create("sofa", {"length": 5})
        eve.shows("^ > sofa +ada +match to 5 points$")
        eve.shows("^   ada, eve$")
        eve.press("\r")
        while match.view.phase == "open":
            await within(match.next_change())
        assert "eve" in match.view.players
        eve.wait_for("you play")
        eve.type("quit")
        while all(match.online):
            await within(match.next_change())
        eve.shows("^ > sofa +(ada - eve|eve - ada) +0-0")
        eve.shows("^ the match waits for you; after 3 days away ada may claim")
        before = len(eve.shown)
        eve.press("\r")
        eve.wait_for("you play", after=before)
        await match.forfeit()
        eve.wait_for("another match?")
        eve.type("no")
        eve.shows("^   nobody plays just now")
    eve.press("q")
    assert eve.wait() == 0
    assert eve.screen == [], "the terminal is as it was"


async def test_a_match_is_watched_and_the_row_of_a_table_that_has_gone_is_not_joined(
    server: ServerProcess, eve: Terminal
) -> None:
    async with Player(server.url, "ada") as ada, Player(server.url, "bob") as bob:
        eve.shows("^   none: c opens one")
        await ada.ask(m.Create, name="sofa")
        eve.shows("^ > sofa")
        await bob.ask(m.Create, name="den")
        eve.shows("^   den")
        await bob.ask(m.Join, table="sofa")
        eve.shows("^   sofa +(ada - bob|bob - ada)")
        eve.shows("^ open tables: 1")
        eve.press("\r", "^ that one is gone: choose another$")
        eve.press("j", "^ > ")
        eve.press("\x1b[F", "^ > sofa")
        eve.press("\r")
        eve.wait_for("watching ")


async def test_c_opens_a_table_and_the_screen_follows_the_window(eve: Terminal) -> None:
    eve.shows("^ Tab: people  c: open  p: private  /: find  s: say  h: history  q: leave$")
    eve.resize(10, 40)
    eve.shows("^ Tab: people  c: open  s: say  q: leave$")
    eve.resize(24, 80)
    eve.shows("^ people online: 1$")
    eve.press("c", "^ > against +< anyone >$")
    eve.press("\r")
    eve.wait_for("table eve is open")
    eve.type("quit")
    eve.shows("^ nobody has sat down: the table is closed")
    eve.shows("^   none: c opens one")


async def test_a_form_says_what_is_played_and_against_whom(server: ServerProcess, eve: Terminal) -> None:
    async with Client(server.url, name="ada") as ada:
        challenges = challenges_of(ada)
        eve.shows("^ people online: 2$")
        eve.press("c", "^ > against +< anyone >$")
        eve.press("\x1b[B", "^ > table +your name_$")
        eve.press("ş ö", "^ > table +ş ö_$")
        eve.press("\x1b[A\x1b[D", "^ > against +< ada >$")
        eve.press("\x1b[B\x1b[B\x7f5", "^ > points +< 5 >$")
        eve.resize(20, 60)
        eve.shows("^ match to 5 points$")
        eve.press("\r", "^ waiting for ada to answer$")
        challenged = await within(challenges.get())
        assert challenged.rules["length"] == 5
        await ada.challenges.accept(challenged.challenge)
        eve.wait_for("you play")
        eve.type("quit")
        eve.shows("^ the match waits for you; after 3 days away ada may claim")
        eve.press("c", "^ > against")
        eve.press("\x1b", "^ open tables")


async def test_a_server_that_goes_and_comes_back_is_told(server: ServerProcess, eve: Terminal) -> None:
    eve.shows("^ people online: 1$")
    server.kill()
    eve.shows("^ connection lost, trying again$")
    server.restart()
    eve.wait_for_screen(lambda screen: "connection lost" not in screen)
    async with Client(server.url, name=unique("a")) as ada:
        await ada.create("sofa")
        eve.shows("^ > sofa")
    eve.press("\x03")
    assert eve.wait() == 0


async def test_people_are_challenged_and_challenges_answered(server: ServerProcess, eve: Terminal) -> None:
    async with Client(server.url, name="ada") as ada:
        await asyncio.to_thread(eve.shows, "^   ada, eve$")
        asking = asyncio.create_task(ada.challenges.send("eve", {"length": 5}))
        await asyncio.to_thread(eve.shows, "^ ada challenges you: match to 5 points$")
        await asyncio.to_thread(eve.shows, "^ a: accept  d: decline")
        eve.press("d")
        with pytest.raises(Refused, match="eve does not want to play now"):
            await within(asking)
        await asyncio.to_thread(eve.wait_for_screen, lambda screen: "challenges you" not in screen)
        asking = asyncio.create_task(ada.challenges.send("eve"))
        await asyncio.to_thread(eve.shows, "^ ada challenges you")
        asking.cancel()
        await asyncio.to_thread(eve.shows, "^ ada has taken the challenge back$")
        challenges = challenges_of(ada)
        eve.press("\t")
        await asyncio.to_thread(eve.shows, "^ > ada$")
        eve.press("\r")
        await asyncio.to_thread(eve.shows, r"^ points to win against ada \(Enter: 3\):")
        eve.press("all\r")
        await asyncio.to_thread(eve.shows, "^ a match has a number of points")
        eve.press("\r")
        await asyncio.to_thread(eve.shows, r"^ points to win against ada \(Enter: 3\):")
        eve.press("1\r")
        await asyncio.to_thread(eve.shows, "^ waiting for ada to answer$")
        told = await within(challenges.get())
        assert told.rules["length"] == 1
        eve.press("\x1b")
        await asyncio.to_thread(eve.wait_for_screen, lambda screen: "waiting for ada" not in screen)
        asking = asyncio.create_task(ada.challenges.send("eve"))
        await asyncio.to_thread(eve.shows, "^ ada challenges you")
        eve.press("a")
        assert (await within(asking)).seat is not None
        await asyncio.to_thread(eve.wait_for, "you play")


def ada_at(server: ServerProcess, folder: Path) -> Client:
    """Ada, whose terminal has this folder, too."""
    return Client(server.url, name="ada", on_token=partial(Identities(server.url, folder).keep, "ada"))


async def test_a_private_table_is_joined_by_its_code(server: ServerProcess, eve: Terminal) -> None:
    eve.shows("^   none: c opens one")
    async with Client(server.url, name="ada") as ada:
        match = await ada.create("nook", private=True)
        eve.press("p", "^ private table and its code")
        eve.press("nook abc\r", "^ abc is not this table's code")
        eve.press("p", "^ private table and its code")
        eve.press(f"nook {match.view.code.upper()}\r")
        eve.wait_for("you play")
        eve.type("quit")
        eve.shows("^ > nook +(ada - eve|eve - ada) ")


async def test_ones_own_private_table_is_shown_with_its_code(server: ServerProcess, tmp_path: Path, look: Look) -> None:
    async with ada_at(server, tmp_path) as ada:
        match = await ada.create("nook", private=True)
        terminal = look("ada")
        terminal.shows(f"^ > nook +you wait: code {match.view.code} ")


async def test_ones_own_table_stays_chosen_when_it_becomes_a_match(
    server: ServerProcess, tmp_path: Path, look: Look
) -> None:
    async with ada_at(server, tmp_path) as ada, Client(server.url, name="bob") as bob:
        await ada.create("nook")
        terminal = look("ada")
        await asyncio.to_thread(terminal.shows, "^ > nook +you wait")
        await bob.join("nook")
        await asyncio.to_thread(terminal.shows, "^ > nook +(ada - bob|bob - ada) ")


async def test_a_friend_is_told_of_and_f_leads_there(server: ServerProcess, tmp_path: Path, look: Look) -> None:
    second, third = Client(server.url, name="bob"), Client(server.url, name="eve")
    async with ada_at(server, tmp_path) as ada, second as bob, third as eve:
        for one in (ada, bob):
            await one.account.register("correct horse")
        await ada.friends.follow("bob")
        terminal = look("ada")
        terminal.shows("^ people online: 3$")
        await eve.create("den")
        await bob.create("sofa")
        terminal.shows("^ bob has opened a table: f shows it")
        terminal.press("f", "^ > sofa")
        await eve.join("sofa")
        terminal.shows("^ bob plays eve: f watches")
        terminal.press("f")
        terminal.wait_for("watching ")


def talk(screen: str) -> list[str]:
    """The chat lines that the screen shows, without the times."""
    return re.findall(r"^ (?:earlier, )?[0-9]{2}:[0-9]{2} (\w+: .*)$", screen, re.MULTILINE)


async def test_a_guest_hears_what_is_said_and_what_was_said_before_is_marked(
    server: ServerProcess, eve: Terminal
) -> None:
    async with Client(server.url, name="ada") as ada, ada.lobby.lists("chat") as heard:
        eve.shows("^ people online: 2$")
        await ada.lobby.chat("is anyone here?")
        eve.shows("^ [0-9:]{5} ada: is anyone here\\?$")
        match = await ada.create("sofa")
        eve.shows("^ > sofa")
        eve.press("\r")
        eve.wait_for("you play")
        await ada.lobby.chat("so we play")
        while "so we play" not in [line.text for line in heard.rows["chat"].values()]:
            await within(heard.wait_for_change())
        await match.say("your roll")  # it comes after that line, which went to all at once
        eve.wait_for("ada: your roll")
        eve.type("quit")
        eve.shows("^ the match waits for you; after 3 days away ada may claim")
        eve.press("\t\t", "^ said in the lobby$")
        eve.wait_for_screen(lambda screen: talk(screen) == ["ada: is anyone here?", "ada: so we play"])
        await ada.lobby.chat("back again?")
        eve.shows("^ -- the above was said while you were away --\n [0-9:]{5} ada: back again")


async def test_people_talk_in_the_lobby(server: ServerProcess, eve: Terminal) -> None:
    async with Client(server.url, name="ada") as ada, ada.lobby.lists("chat") as heard:
        eve.shows("^ people online: 2$")
        eve.press("s", "^ say to all in the lobby:")
        eve.press("who plays?\r")
        while not heard.rows["chat"]:
            await within(heard.wait_for_change())
        assert [line.text for line in heard.rows["chat"].values()] == ["who plays?"]
        await ada.lobby.chat("I do")
        eve.shows("^ [0-9:]{5} ada: I do$")
        eve.press("\t\t")
        eve.wait_for_screen(lambda screen: talk(screen) == ["eve: who plays?", "ada: I do"])


async def test_who_is_muted_is_not_read_any_more_until_heard_again(server: ServerProcess, eve: Terminal) -> None:
    first, second = Client(server.url, name="ada"), Client(server.url, name="bob")
    async with first as ada, second as bob, ada.lobby.lists("chat"), bob.lobby.lists("chat"):
        await ada.lobby.chat("fool")
        await bob.lobby.chat("be kind")
        eve.shows("^   ada, bob, eve$")
        eve.wait_for_screen(lambda screen: talk(screen) == ["bob: be kind"])
        eve.press("\t", "^ > ada$")
        eve.press("m", "^ you hear no more of ada$")
        eve.shows("^ > ada, muted$")
        eve.press("\t")
        eve.wait_for_screen(lambda screen: talk(screen) == ["bob: be kind"])
        await ada.lobby.chat("fools")
        await bob.lobby.chat("bye")
        eve.wait_for_screen(lambda screen: talk(screen) == ["bob: be kind", "bob: bye"])
        eve.press("\t\t", "^ > ada, muted$")
        eve.press("m", "^ you hear again of ada$")
        eve.press("\t")
        eve.wait_for_screen(lambda screen: talk(screen) == ["ada: fool", "bob: be kind", "ada: fools", "bob: bye"])


async def test_the_lists_are_searched(server: ServerProcess, eve: Terminal) -> None:
    async with Client(server.url, name="ada") as ada, Client(server.url, name="bob") as bob:
        await ada.create("sofa", {"length": 5})
        await bob.create("den", {"length": 7})
        eve.shows("^ open tables: 2$")
        eve.press("/", "^ find:")
        eve.press("7 points\r")
        eve.wait_for_screen(lambda screen: "sofa" not in screen)
        eve.shows("^ > den")
        eve.press("\x1b", "^ open tables: 2$")


async def test_what_cannot_be_done_is_told_in_the_lobby(server: ServerProcess, eve: Terminal) -> None:
    eve.shows("^ people online: 1$")
    eve.press("\r", "^ there is nothing to join yet$")
    eve.press("a")  # there is no challenge to accept: nothing happens
    eve.press("p", "^ private table and its code")
    eve.press("nook\r", "^ type the table's name, a space, and its code$")
    eve.press("p", "^ private table and its code")
    eve.press("\x1b")
    eve.wait_for_screen(lambda screen: "private table and its code" not in screen)
    eve.press("\t", r"^ > eve \(you\)$")
    eve.press("m")  # nobody mutes oneself: nothing happens
    eve.press("\r", "^ that is you: choose somebody else$")
    async with Client(server.url, name="ada") as ada:
        challenges = challenges_of(ada)
        eve.shows("^   ada$")
        eve.press("k", "^ > ada$")
        eve.press("\r", "^ points to win against ada")
        eve.press("\r", "^ waiting for ada to answer$")
        eve.press("c", "^ you wait for something else: Esc takes it back$")
        eve.press("k")
        eve.wait_for_screen(lambda screen: "you wait for something else" not in screen)
        eve.press("\r", "^ you wait for something else: Esc takes it back$")
        await ada.challenges.decline((await within(challenges.get())).challenge)
        eve.shows("^ ada does not want to play now$")
    eve.press("\x04")
    assert eve.wait() == 0


async def test_who_is_logged_out_elsewhere_leaves_the_lobby(server: ServerProcess, tmp_path: Path, look: Look) -> None:
    async with ada_at(server, tmp_path) as ada:
        await ada.account.register("correct horse")
    terminal = look("ada")
    terminal.shows("^ people online: 1$")
    async with Client(server.url, name="ada", password="correct horse") as elsewhere:
        await elsewhere.account.change_password("correct horse", "battery staple")
    server.kill()
    server.restart()  # so the terminal has to say who it is
    assert terminal.wait() == 1
    assert terminal.screen == [], "the terminal is as it was"
    assert "Error: " in terminal.shown
