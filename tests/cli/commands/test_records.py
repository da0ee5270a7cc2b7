"""`tavla replay`, `export` and `import` through pipes, and `id` and `save` in a match, at a real server."""

import asyncio
import json
from pathlib import Path

import pytest
from tavla_cli.records.files import parse, read
from tavla_client import Client
from tavla_engine.gnuid import gnu_id
from tavla_engine.xgid import parse_xgid

from tests.support.games.gnubg_matches import MAT_FILES, shown
from tests.support.patience import PATIENCE_S
from tests.support.players.plain import unique, within
from tests.support.players.programs import Ended, Machine, Start
from tests.support.players.terminal import NewTerminal
from tests.support.servers.processes import ServerProcess

pytestmark = pytest.mark.slow  # each starts programs


async def test_a_match_is_exported_in_all_formats_and_verified(
    server: ServerProcess, here: Machine, tmp_path: Path
) -> None:
    async with Client(server.url, name=unique("ada")) as ada, Client(server.url, name=unique("bob")) as bob:
        match = await ada.create(unique("t"), {"length": 1, "opening": "seat_0"}, "white")
        played = await bob.join(match.id)
        while match.view.phase != "move":
            await within(match.next_change())
        assert here.run("export", match.id, "-o", str(tmp_path / "live.json")).code == 0
        assert json.loads((tmp_path / "live.json").read_text())["view"]["phase"] == "move"
        await match.resign(1)
        while played.view.phase != "resign":
            await within(played.next_change())
        await played.accept()
    printed = here.run("export", match.id)
    assert (printed.code, printed.errors) == (0, "")
    for format_ in ("mat", "sgf", "json"):
        file = tmp_path / f"m.{format_}"
        assert here.run("export", match.id, "-o", str(file)) == Ended(0, "", "")
        assert here.run("replay", str(file)).text.splitlines()[-1].startswith(f"{bob.me.name} wins the match 1 to 0")
    assert parse(printed.text) == read(tmp_path / "m.mat")
    assert here.run("replay", match.id).text == here.run("replay", str(tmp_path / "m.json")).text
    for format_, whence in (
        ("json", "in this file"),
        ("mat", "in the file's remarks"),
        ("sgf", "in the file's remarks"),
    ):
        assert f"follow from the seeds {whence}" in here.run("verify", str(tmp_path / f"m.{format_}")).text
    again = here.run("export", match.id, "-o", str(tmp_path / "m.mat"))
    assert (again.code, "is there already" in again.errors) == (1, True)


def test_what_cannot_be_looked_at_is_said_in_one_line(here: Machine, tmp_path: Path) -> None:
    (tmp_path / "bad.mat").write_text("hello")
    for arguments, sentence in [
        (("replay", "nothing1"), "there is no match nothing1"),
        (("replay", str(tmp_path / "none.mat")), "cannot read"),
        (("verify", str(tmp_path / "none")), "none: No such file or directory"),
        (("verify", str(MAT_FILES[0])), "has no seeds, so nobody can check its dice"),
        (("replay", str(tmp_path / "bad.mat")), "expected the match length"),
    ]:
        ended = here.run(*arguments)
        assert (ended.code, ended.text) == (1, "")
        assert ended.errors.startswith("Error: ")
        assert sentence in ended.errors
        assert ended.errors.count("\n") == 1


def test_a_file_is_written_in_another_format(here: Machine, tmp_path: Path) -> None:
    here.run("export", str(MAT_FILES[0]), "-o", str(tmp_path / "m.sgf"))
    assert shown(read(tmp_path / "m.sgf").events) == shown(read(MAT_FILES[0]).events)


async def test_id_and_save_in_a_match(server: ServerProcess, start: Start, tmp_path: Path) -> None:
    async with Client(server.url, name=unique("bob")) as bob:
        ada = await start(
            "create", unique("t"), "--side", "white", "--rules", "opening=seat_0", "--length", "3", "--ascii"
        )
        await ada.expect("> waiting for an opponent")
        await ada.type("id", "no game has begun yet")
        match = await bob.join(unique_table(ada.text))
        await ada.expect(r"> your \d-\d|> roll or double")
        await ada.type("id")
        gnu, xg = (await ada.expect(r"GNU ID \S+\nXGID=\S+")).splitlines()
        assert parse_xgid(xg).dice == match.view.dice
        assert gnu == f"GNU ID {gnu_id(parse_xgid(xg))}"
        for name in ("m.mat", "m.sgf", "m.json"):
            await ada.type(f"save {tmp_path / name}", "saved as ")
            assert read(tmp_path / name).names[1] == bob.me.name
        await ada.type(f"save {tmp_path / 'm.mat'}", "is there already: give it another name")


def unique_table(text: str) -> str:
    """The table that a player waits at."""
    return text.rpartition("at table ")[2].split()[0]


async def test_a_match_that_is_over_can_be_saved(
    server: ServerProcess, tmp_path: Path, open_terminal: NewTerminal
) -> None:
    table = unique("t")
    terminal = open_terminal("create", table, "--length", "1", "--server", server.url, "--ascii")
    async with Client(server.url, name=unique("bob")) as bob:
        terminal.wait_for("waiting for an opponent")
        match = await bob.join(table)
        while match.view.phase in ("open", "reveal"):
            await within(match.next_change())
        await match.forfeit()
        terminal.wait_for("save keeps this one")
        terminal.type(f"save {tmp_path / 'end.json'}")
        terminal.wait_for("saved as ")
        assert read(tmp_path / "end.json").over
        terminal.type("no")
        assert terminal.wait() == 0


async def until_in_history(client: Client, match: str) -> None:
    """Wait until a finished match is in the list: it gets there within seconds."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            if match in [played.match async for played in client.archive.history()]:
                return
            await asyncio.sleep(0.5)  # as fast as the server lets one look back


async def test_finished_matches_are_listed_and_verified(
    server: ServerProcess, here: Machine, open_terminal: NewTerminal
) -> None:
    async with Client(server.url, name=unique("ada")) as ada, Client(server.url, name=unique("bob")) as bob:
        assert (
            "has played" in here.run("history", ada.me.name or "").errors + here.run("history", ada.me.name or "").text
        )
        matches = []
        for _ in range(2):
            match = await ada.create(unique("t"), {"length": 3, "clock": "fast", "hints": True}, "white")
            await bob.join(match.id)
            while match.view.phase in ("open", "reveal"):
                await within(match.next_change())
            assert here.run("verify", match.id).errors.endswith("can be checked when the match is over\n")
            await match.forfeit()
            await until_in_history(ada, match.id)
            matches.append(match.id)
        listed = here.run("history", ada.me.name or "").text.splitlines()
        assert listed[0].split() == ["when", "match", "opponent", "result", "played"]
        assert [line.split()[2] for line in listed[1:]] == matches[::-1]
        assert f"{bob.me.name}  lost 0-0 by forfeit  3 points, clock 8 s + 20 s a point, hints" in listed[1]
        told = [json.loads(line) for line in here.run("history", ada.me.name or "", "--json").text.splitlines()]
        assert [one["match"] for one in told] == matches[::-1]
        assert told[0]["ending"] == "forfeit"
        assert "follow from the seeds" in here.run("verify", matches[0]).text
        assert here.run("replay", matches[0]).text.endswith(f"match to 3 points: {bob.me.name} wins\n")
        terminal = open_terminal("lobby", "--server", server.url, "--as", unique("eve"), "--ascii")
        terminal.wait_for_screen(lambda screen: "Tavla lobby" in screen)
        terminal.press("h")
        terminal.wait_for_screen(lambda screen: "whose history" in screen)
        terminal.press(f"{bob.me.name}\r")
        terminal.wait_for("won 0-0 by forfeit")
        terminal.wait_for("Enter goes back to the lobby")
        terminal.press("\r")
        terminal.wait_for_screen(lambda screen: "Tavla lobby" in screen)
        terminal.press("q")
        assert terminal.wait() == 0
