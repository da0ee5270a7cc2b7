"""Accounts from the command line: what is asked, what is shown, and what stays in the user's folder."""

import re
import stat
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace
from tavla_cli.identity import Identities
from tavla_client import Client, Pledges
from tavla_server.store import keys
from tavla_server.store.client import connection_to

from tests.support.patience import ask_until
from tests.support.players.plain import unique, within
from tests.support.players.programs import Ended, Machine
from tests.support.players.terminal import NewTerminal
from tests.support.servers.processes import ServerProcess

pytestmark = pytest.mark.slow  # each starts programs

SECRET, OTHER = "correct horse", "battery staple"


def test_register_log_in_elsewhere_change_the_password_and_log_out(here: Machine, there: Machine) -> None:
    name = unique("ada")
    registered = here.run("register", name, typed=f"{SECRET}\n")
    assert (registered.code, registered.errors) == (0, "")
    assert f"tavla login {name} --server {here.url}\n" in registered.text
    logged_in = there.run("login", name, typed=f"{SECRET}\n")
    shown = f"{name}, a player with an account at {here.url}: rating 1500.00, experience 0\n"
    assert logged_in == Ended(0, shown, "")
    assert here.run("whoami") == there.run("whoami") == here.run("profile", name, "--as", unique("p")) == logged_in
    changed = here.run("password", "--as", name, typed=f"{SECRET}\n{OTHER}\n")
    assert changed.text == "your password is changed, and you are logged out everywhere else\n"
    assert there.run("whoami").code == 1
    assert there.run("login", name, typed=f"{SECRET}\n").code == 1
    assert there.run("login", name, typed=f"{OTHER}\n").code == 0
    logged_out = there.run("logout", "--everywhere")
    assert logged_out == Ended(0, f"{name} is logged out everywhere\n", "")
    assert there.tokens() == []
    assert here.run("whoami", "--as", name).code == 1, "everywhere"
    for machine in (here, there):
        kept = [path.read_text() for path in machine.folder.rglob("*") if path.is_file()]
        assert not any(SECRET in text or OTHER in text for text in kept), "passwords are never kept"


def test_a_token_is_kept_for_the_user_alone(here: Machine) -> None:
    here.run("register", unique("ada"), typed=f"{SECRET}\n")
    (token,) = here.tokens()
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    assert stat.S_IMODE(token.parent.stat().st_mode) == 0o700


def test_a_guest_who_logs_out_is_forgotten(here: Machine) -> None:
    name = unique("guest")
    assert here.run("lobby", "--as", name).code == 0
    assert here.run("whoami").text == f"{name}, a guest at {here.url}: not rated, experience 0\n"
    assert here.run("logout") == Ended(0, f"{name} is logged out and forgotten\n", "")
    assert here.run("whoami") == Ended(
        1, "", "Error: you are nobody here yet: tavla register NAME, or tavla login NAME\n"
    )


def test_someone_elses_name_leads_to_login(here: Machine, there: Machine) -> None:
    name = unique("ada")
    here.run("register", name, typed=f"{SECRET}\n")
    refused = there.run("lobby", "--as", name)
    assert refused.code == 1
    assert f"someone is called {name}: choose another name; or, if that is you, tavla login {name}" in refused.errors


def test_a_name_that_cannot_be_had_is_told_before_a_password_is_typed(here: Machine, there: Machine) -> None:
    name = unique("ada")
    here.run("register", name, typed=f"{SECRET}\n")
    taken = there.run("register", name)
    assert (taken.code, taken.text) == (1, "")
    assert f"someone is called {name}: choose another name" in taken.errors
    again = here.run("register", name)
    assert again == Ended(1, "", f"Error: {name} has an account: tavla password gives it another password\n")


async def test_the_leaderboard_and_a_profile_tell_of_a_rated_match(own_server: ServerProcess, tmp_path: Path) -> None:
    machine = Machine(tmp_path, own_server.url)
    nobody = "nobody has met five opponents in rated matches yet: open a table with tavla create --rated\n"
    assert machine.run("top", "--as", "eve") == Ended(0, nobody, "")
    async with Client(own_server.url, name="ada") as ada, Client(own_server.url, name="bob") as bob:
        await ada.account.register(SECRET)
        await bob.account.register(SECRET)
        match = await ada.create("sofa", {"length": 1, "rated": True}, "white")
        await bob.join("sofa")
        while match.view.phase in ("open", "reveal"):
            await within(match.next_change())
        await match.forfeit()
        while match.view.phase != "over":
            await within(match.next_change())
        await ask_until(lambda: ada.archive.profile("ada"), lambda found: found.results)
    async with connection_to(own_server.store_url) as redis:  # as if they had met others, too
        await redis.zadd(keys.TOP_RATINGS(), {str(bob.me.player): 1500.0, str(ada.me.player): 1490.0})
    table = [line.split() for line in machine.run("top", "--as", "eve").text.splitlines()]
    assert table[0] == ["place", "player", "rating", "experience"]
    assert [(row[0], row[1], float(row[2]) < 1500) for row in table[1:]] == [("1", "bob", False), ("2", "ada", True)]
    profile = machine.run("profile", "ADA", "--as", "eve").text.splitlines()
    assert profile[0].startswith(f"ada, a player with an account at {own_server.url}: rating 14")
    assert profile[1].split() == ["when", "opponent", "played", "score", "change", "rating"]
    assert re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d +bob +match to 1 point +0-0 +-\d+\.\d\d +14\d\d\.\d\d$", profile[2])


ERRORS = [  # arguments, what is piped in, stderr
    (["register", "Ada", "--as", "bob"], "", "give yourself one name"),
    (["register", unique("a")], "short\n", "a password has 8 to 128 characters"),
    (["register", unique("a")], "", "no password for a"),
    (["login"], f"{SECRET}\n", "say as whom"),
    (["login", unique("nobody")], f"{SECRET}\n", "there is no account with this name and password"),
    (["register", unique("guest")], f"{SECRET}\n", "names with guest in front stay with guests"),
    (["lobby", "--as", "admin"], "", "would pass for those who run the server"),
    (["password"], f"{SECRET}\n{OTHER}\n", "you are nobody here yet"),
    (["logout"], "", "you are nobody here yet"),
    (["profile", unique("nobody")], "", "there is no player called"),
]


@pytest.mark.parametrize(("arguments", "typed", "sentence"), ERRORS, ids=[row[2] for row in ERRORS])
def test_what_does_not_work_is_told(here: Machine, arguments: list[str], typed: str, sentence: str) -> None:
    ended = here.run(*arguments, typed=typed)
    assert ended.code in (1, 2)
    assert sentence in ended.errors
    assert "Traceback" not in ended.errors


@pytest.fixture
def typist(here: Machine, open_terminal: NewTerminal, monkeypatch: pytest.MonkeyPatch) -> NewTerminal:
    """Opens terminals of this machine."""
    monkeypatch.setenv("TAVLA_SERVER", here.url)
    return partial(open_terminal, folder=here.folder)


def test_a_password_is_asked_for_twice_and_not_shown(here: Machine, typist: NewTerminal) -> None:
    name = unique("ada")
    terminal = typist("register", name)
    for prompt in (f"password for {name}, 8 characters or more:", "Repeat for confirmation:"):
        terminal.wait_for(prompt)
        terminal.type(SECRET)
    terminal.wait_for(f"{name} has an account now")
    assert terminal.wait() == 0
    assert SECRET not in terminal.shown


@pytest.mark.parametrize("arguments", [["register", unique("ada")], ["login", unique("ada")]])
def test_a_password_need_not_be_typed(typist: NewTerminal, arguments: list[str]) -> None:
    terminal = typist(*arguments)
    terminal.wait_for("password")
    assert terminal.interrupt() == 1
    assert terminal.shown.endswith("Aborted!\n")


def test_a_guest_is_asked_before_being_forgotten(here: Machine, typist: NewTerminal) -> None:
    name = unique("tom")
    here.run("lobby", "--as", name)
    terminal = typist("logout")
    terminal.wait_for(f"{name} is a guest, whom the server then forgets. Go on?")
    terminal.type("n")
    assert terminal.wait() == 1
    assert re.search(rf"^{name}, a guest", here.run("whoami").text)


def test_a_server_is_forgotten_with_all_that_is_known_of_it(here: Machine, typist: NewTerminal) -> None:
    name = unique("tom")
    here.run("lobby", "--as", name)
    folder = here.tokens()[0].parent
    kept = Pledges(folder / f"seeds-{name}")
    pledge = kept.find(kept.make())
    assert pledge is not None
    bound = kept.bind(pledge, "k3v9q2xa", "terms", 0)
    assert bound is not None
    kept.note(bound, replace(bound, end="A"))
    assert "Of 1 match here 1 ended before the first roll because no seed came" in here.run("whoami").text
    terminal = typist("forget", here.url)
    terminal.wait_for(f"You are {name} at {here.url}. A guest cannot come back")
    terminal.type("n")
    assert terminal.wait() == 1
    window = Identities(here.url, here.folder)
    assert window.acquire(name)
    assert f"another window is there as {name}: end it first" in here.run("forget", here.url).errors
    window.release()
    told = f"this computer remembers nothing of {here.url}\n"
    assert here.run("forget", here.url) == here.run("forget", here.url) == Ended(0, told, "")
    assert not folder.exists()


def test_an_account_is_closed_with_its_password(here: Machine, there: Machine) -> None:
    name = unique("ada")
    here.run("register", name, typed=f"{SECRET}\n")
    there.run("login", name, typed=f"{SECRET}\n")
    wrong = here.run("unregister", typed=f"{OTHER}\n")
    assert (wrong.code, wrong.text) == (1, "")
    assert here.run("whoami").code == 0, "nothing has happened"
    assert here.run("unregister", typed=f"{SECRET}\n") == Ended(0, f"the account {name} is closed\n", "")
    assert here.tokens() == []
    assert there.run("whoami").code == 1
    assert there.run("login", name, typed=f"{SECRET}\n").code == 1


def test_a_guest_has_no_account_to_close(here: Machine) -> None:
    name = unique("guest")
    here.run("lobby", "--as", name)
    assert here.run("unregister") == Ended(1, "", f"Error: {name} is a guest: tavla logout forgets a guest\n")


def test_who_closes_an_account_is_told_what_becomes_of_it(here: Machine, typist: NewTerminal) -> None:
    name = unique("ada")
    here.run("register", name, typed=f"{SECRET}\n")
    terminal = typist("unregister")
    terminal.wait_for(f"{name} loses rating and results, and is called someone")
    terminal.wait_for("password: ")
    assert terminal.interrupt() == 1
    assert here.run("whoami").code == 0


@pytest.mark.parametrize("arguments", [["top"], ["lobby"], ["profile", "nobody-at-all"]])
def test_to_look_on_makes_nobody(here: Machine, arguments: list[str]) -> None:
    looked = here.run(*arguments)
    assert looked.text or "there is no player called nobody-at-all" in looked.errors
    assert here.tokens() == []
