"""The program itself, through pipes, at a real server: what it prints, what it understands, how it ends."""

import json
import os
import re
import signal
from pathlib import Path

import pytest
from tavla_client import Client

from tests.support.players.plain import unique
from tests.support.players.programs import Machine, Start
from tests.support.servers.processes import ServerProcess

pytestmark = pytest.mark.slow  # each starts a program or more


async def test_two_people_at_one_machine_play_and_one_gives_up(start: Start) -> None:
    name = unique("t")
    ada = await start("create", name, "--length", "1", "--side", "white", "--ascii")
    await ada.expect(f"table {name} is open: match to 1 point")
    await ada.expect(f"tavla join {name} --server ws://")
    await ada.expect("> waiting for an opponent")
    bob = await start("join", name)
    await bob.expect("you play black against")
    await ada.expect("sits down")
    await ada.expect("game 1 begins: .* with [1-6]-[1-6]")
    await ada.expect(r" 13 14 15 16 17 18     19 20 21 22 23 24")
    await ada.expect(r"\+-{18}\+---\+-{18}\+---\+")
    await bob.expect("╭─{18}┬───┬─{18}┬───╮")
    for program in (ada, bob):
        await program.expect("> (your|waiting for)")
    await ada.type("fly", "there is no command 'fly'")
    await ada.type("take", "not now|not your turn")
    await ada.type("24/1", "not your turn|cannot|no checker|gives you|with|24")
    await ada.type("forfeit", "you lose the match: really forfeit")
    await ada.type("no", "then not")
    await bob.type("help", "quit .*go away for a while; you are told")
    await ada.type("forfeit")
    await ada.type("yes", "you forfeit the match at .* wins")
    await ada.expect("dice: (all|the one)")
    assert await ada.end() == (0, "")
    await bob.expect("forfeits the match at .*: you win")
    assert await bob.end() == (0, "")
    assert ada.text.isascii()


async def test_quitting_is_a_pause_and_resume_comes_back(start: Start) -> None:
    name = unique("t")
    ada = await start("create", name, "--as", unique("ada"))
    await ada.expect("> waiting for an opponent")
    bob = await start("join", name, "--as", unique("bob"))
    await bob.expect("> (your|waiting for)")
    eve = await start("watch", name, "--as", unique("eve"))
    await eve.expect("watching .* against")
    await bob.type("quit", "the match waits for you; after 3 days away ada-[0-9a-f]+ may claim it")
    command = (await bob.expect(r"tavla resume \S+ --as \S+ --server \S+")).split()
    assert await bob.end() == (0, "")
    await ada.expect("is away: you may claim the match in 3 days")
    again = await start(*command[1:])
    await again.expect("you play")
    await ada.expect("is back")
    window = await start(*command[1:])
    await window.expect("you play")
    await again.expect("you play this match in another window now: this one watches. Type here to play in this one")
    await again.type("roll", "you play in another window: type here")
    await again.type("here", "you play in this window again")
    await window.expect("you play this match in another window now")
    await window.type("here", "you play in this window again")
    await eve.type("roll", "you only watch")
    for program in (again, window, eve, ada):
        await program.type("quit")
        assert await program.end() == (0, "")


async def test_the_lobby_lists_tables(start: Start) -> None:
    name = unique("t")
    ada = await start("create", name, "--preset", "money", "--rules", "beavers=2")
    await ada.expect("> waiting for an opponent")
    lobby = await start("lobby")
    assert await lobby.end() == (0, "")
    line = next(line for line in lobby.text.splitlines() if line.startswith(name))
    assert "money play" in line
    assert "open" in line
    await ada.type("cancel", "the table was closed before a match began")
    assert await ada.end() == (0, "")


async def test_my_matches_are_listed_with_the_way_back(start: Start) -> None:
    name, ada, bob = unique("t"), unique("ada"), unique("bob")
    white = await start("create", name, "--as", ada, "--length", "3", "--side", "white")
    await white.expect("> waiting for an opponent")
    mine = await start("matches", "--as", ada)
    assert await mine.end() == (0, "")
    assert re.search(rf"^{name} +match to 3 points +waiting for an opponent", mine.text, re.MULTILINE)
    black = await start("join", name, "--as", bob)
    await black.expect("you play black")
    mine = await start("matches", "--as", ada)
    assert await mine.end() == (0, "")
    assert re.search(rf"^{name} +{bob} +match to 3 points +0-0 +waits for (you|{bob})", mine.text, re.MULTILINE)
    command = re.search(rf"^tavla (resume \S+) --as {ada} --server ", mine.text, re.MULTILINE)
    assert command is not None
    await white.type("quit")
    await white.end()
    again = await start(*command[1].split())
    await again.expect("you play white")
    await again.type("forfeit")
    await again.type("yes")
    await again.end()
    mine = await start("matches", "--as", ada)
    assert await mine.end() == (0, "")
    assert mine.text == f"{ada} has no match to come back to\n"


async def test_the_shell_completes_names_and_a_mistyped_one_is_told(start: Start) -> None:
    name, ada = unique("t"), unique("ada")

    async def completed(*words: str) -> str:
        asked = {"_TAVLA_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(["tavla", *words]), "COMP_CWORD": "2"}
        program = await start(**asked)
        assert await program.end() == (0, "")
        return program.text.strip()

    assert await completed("join", name) == "", "nobody becomes a guest by pressing Tab"
    owner = await start("create", name, "--as", ada)
    await owner.expect("> waiting for an opponent")
    assert await completed("join", name) == f"plain,{name}"
    assert await completed("watch", name[:-1].upper()) == f"plain,{name}"
    assert await completed("profile", ada) == f"plain,{ada}"
    assert await completed("challenge", ada) == f"plain,{ada}"
    assert len((await completed("resume", "")).splitlines()) == 1
    assert await completed("join", "no-such-name") == ""
    for command, meant in (("join", name), ("watch", name), ("profile", ada)):
        assert (await (await start(command, f"{meant}x")).end())[1].endswith(f"(did you mean {meant}?)\n"), command
    await owner.type("cancel")
    await owner.end()
    assert await completed("join", name) == ""


ERRORS = [  # arguments, exit code, stderr
    (["join", "no-such-table"], 1, "no table called no-such-table"),
    (["resume"], 1, "you have no match to come back to at ws://"),
    (["create", "--length", "5", "--rules", "jacoby=true"], 1, "the Jacoby rule belongs to money play"),
    (["lobby", "--server", "127.0.0.1:1"], 1, "no server answers at ws://127.0.0.1:1"),
    (["lobby", "--server", "ftp://x"], 1, "is not the address of a server"),
    (["create", "--as", "no good"], 2, "a name has 2 to 20 letters"),
    (["create", ""], 2, "a name has 1 to 40 characters"),
    (["create", "--preset", "chess"], 2, "chess"),
    (["dance"], 2, "dance"),
    (["settings", "confrim", "on"], 2, "(did you mean confirm?)"),
]


async def test_the_help_fits_its_screen(start: Start) -> None:
    program = await start("--help", COLUMNS="80")
    assert await program.end() == (0, "")
    assert "..." not in program.text.partition("Commands:")[2]
    assert len(program.text.splitlines()) < 50, "a window has 50, one of them for the prompt"


@pytest.mark.parametrize(("arguments", "code", "sentence"), ERRORS, ids=[" ".join(row[0]) for row in ERRORS])
async def test_an_error_is_one_clear_line(start: Start, arguments: list[str], code: int, sentence: str) -> None:
    program = await start(*arguments)
    got, errors = await program.end()
    assert got == code
    assert sentence in errors
    assert "Traceback" not in errors
    assert code == 2 or errors.count("\n") == 1


async def test_a_folder_that_cannot_be_written_is_told(start: Start, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    code, errors = await (await start("lobby", TAVLA_CONFIG_DIR=str(blocked))).end()
    assert code == 1
    assert str(blocked) in errors
    assert "Set TAVLA_CONFIG_DIR to a folder that can be written" in errors
    assert errors.count("\n") == 1


async def test_the_end_of_input_is_a_way_to_go_but_not_for_a_watcher(start: Start) -> None:
    name = unique("t")
    ada = await start("create", name)
    await ada.expect("> waiting for an opponent")
    eve = await start("watch", name)
    eve.stdin.close()
    await eve.expect("> waiting for an opponent")
    bob = await start("join", name)
    await bob.expect("> (your|waiting for)(?!.* seed)")  # nothing comes between question and answer
    await eve.expect("sits down")
    await bob.type("forfeit")
    await bob.type("y")
    assert await bob.end() == (0, "")
    assert await ada.end() == (0, "")
    assert await eve.end() == (0, "")
    assert "wins" in eve.text


async def test_what_the_server_cannot_store_yet_is_told_and_done_when_it_can(
    own_server: ServerProcess, start: Start
) -> None:
    name, url = unique("t"), own_server.url
    ada = await start("create", name, "--side", "white", url=url)
    await ada.expect("> waiting for an opponent")
    bob = await start("join", name, url=url)
    await ada.expect("game 1 begins")
    store = own_server.store_pid  # (which the store itself tells)
    os.kill(store, signal.SIGSTOP)
    await ada.type("auto play on", "no answer yet: the server cannot store it now")
    os.kill(store, signal.SIGCONT)
    await ada.expect("the server plays your forced turns")
    for program in (ada, bob):
        await program.type("quit")
        assert await program.end() == (0, "")


async def test_what_can_be_switched_is_shown_and_remembered(start: Start) -> None:
    shown = await start("settings")
    assert await shown.end() == (0, "")
    assert "confirm off  show the board after a play" in shown.text
    switched = await start("settings", "confirm", "on")
    assert await switched.end() == (0, "")
    again = await start("settings")
    await again.end()
    assert again.text == switched.text
    assert "confirm on " in again.text
    code, errors = await (await start("settings", "bell")).end()
    assert code == 2
    assert "say tavla settings bell on, or off" in errors


async def test_who_has_several_matches_is_told_which_there_are(server: ServerProcess, start: Start) -> None:
    name = unique("ada")
    async with Client(server.url, name=unique("bob")) as bob:
        for length in (1, 3):
            table = unique("t")
            ada = await start("create", table, "--as", name, "--length", str(length))
            await ada.expect("> waiting for an opponent")
            await bob.join(table)
            await ada.expect("game 1 begins")
            await ada.type("quit")
            await ada.end()
        code, errors = await (await start("resume", "--as", name)).end()
        assert code == 1
        for points in ("1 point", "3 points"):
            assert re.search(rf"against {bob.me.name}, 0-0, match to {points}: waits for (you|{bob.me.name})", errors)


async def test_a_watcher_of_an_open_table_is_told_how_to_sit_down(server: ServerProcess, start: Start) -> None:
    async with Client(server.url, name=unique("bob")) as bob:
        match = await bob.create(unique("t"))
        eve = await start("watch", match.view.name)
        await eve.expect("you watch; a seat is free, to play:")
        await eve.expect(f"tavla join {match.view.name} --server")
        await eve.type("quit")
        await eve.end()


async def test_hints_help_with_the_cube_too(server: ServerProcess, start: Start) -> None:
    async with Client(server.url, name=unique("bob")) as bob:
        table = unique("t")
        ada = await start("create", table, "--side", "white", "--rules", "opening=seat_0_cube", "--hints")
        await ada.expect("> waiting for an opponent")
        match = await bob.join(table)
        await ada.expect("> roll or double")
        await ada.type("hint", "the house bot would (roll|double)")
        await ada.type("double")
        while match.view.phase != "cube":
            await match.next_change()
        await ada.type("hint", "hints come when you are to decide")
        await match.drop()
        await ada.type("quit")
        await ada.end()


def test_connection_and_looks_may_stand_before_any_command(here: Machine, server: ServerProcess) -> None:
    away = Machine(here.folder, "ws://localhost:1")
    done = away.run("--server", server.url, "--as", "early", "whoami")
    assert (done.code, "early" in done.text + done.errors) == (1, True), "nobody of this name was here, at this server"
    assert away.run("--server", server.url, "lobby").code == 0
    both = away.run("--as", "early", "whoami", "--as", "late", "--server", server.url)
    assert "late" in both.text + both.errors, "the command's own goes first"
    assert away.run("--as", "x", "whoami").code == 2


def test_a_command_that_is_none_is_told_with_what_may_have_been_meant(here: Machine) -> None:
    done = here.run("creat", "sofa")
    assert (done.code, "there is no command creat (did you mean create?)" in done.errors) == (2, True)
    assert "did you mean" not in here.run("xyzzyx").errors


def test_a_bot_that_is_none_is_told_before_anything_is_asked(here: Machine) -> None:
    done = here.run("bot", "run", "nosuch.py:Bot")
    assert (done.code, "nosuch.py" in done.errors, "say where" in done.errors) == (2, True, False)


async def test_each_list_is_one_json_object_a_line_for_programs(server: ServerProcess, here: Machine) -> None:
    name, table = unique("ada"), unique("t")
    assert here.run("register", name, typed="correct horse\n").code == 0
    assert here.run("tournament", "create", table, "--format", "swiss", "--in", "60").code == 0
    async with Client(server.url, name=unique("bob")) as bob:
        await bob.create(table)
        for words, has in (
            (("lobby",), {"match", "name"}),
            (("tournament", "list"), {"tournament", "name"}),
            (("whoami",), {"name", "kind"}),
            (("profile", name), {"name", "kind"}),
            (("matches",), set()),
            (("top",), set()),
            (("friends",), set()),
        ):
            done = here.run(*words, "--json")
            rows = [json.loads(line) for line in done.text.splitlines()]
            assert done.code == 0, (words, done)
            assert has <= (rows[-1].keys() if rows else set()), (words, done)
