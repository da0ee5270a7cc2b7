"""`tavla-server inspect`, and the log of a server at debug level."""

import contextlib
import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tavla_protocol import messages as m
from tavla_server.store import keys

from tests.support.players.matches import at_match, new_match
from tests.support.players.plain import Player, begun, unique
from tests.support.servers.our_programs import run_program
from tests.support.servers.processes import NewServer, ServerProcess, inside, redis_at
from tests.support.servers.valkey import Valkey
from tests.support.stores.journals import entries_of

pytestmark = pytest.mark.long  # it starts programs


def inspected(
    match: str, *options: str, before: Sequence[str] = (), **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run the command on a match. before: options of the program itself."""
    return run_program("tavla-server", *before, "inspect", match, *options, env=os.environ | variables)


async def played(url: str, name: str, *, to_the_end: bool = False) -> tuple[str, str]:
    """A match at a table of this name, two actions old, or ended by a forfeit then; its id, and white's name."""
    async with Player(url) as white, Player(url) as black:
        opened = await white.ask(m.Create, name=name, rules={"preset": "tournament", "length": 3}, side="white")
        assert isinstance(opened, m.Snapshot)
        await black.ask(m.Join, table=opened.match)
        await begun(opened.match, white, black)
        for on in (True, False):
            assert isinstance(await white.act(m.Auto, opened.match, what="play", on=on), m.Ok)
        if to_the_end:
            await black.act(m.Forfeit, opened.match)
        return opened.match, white.name or ""


def check(told: subprocess.CompletedProcess[str], match: str, white: str, count: int) -> None:
    """The lines of a match of `count` entries, and its state."""
    assert (told.returncode, told.stderr) == (0, "")
    lines = told.stdout.splitlines()
    assert [line.split()[0] for line in lines[:count]] == [str(number) for number in range(1, count + 1)]
    assert lines[count - 1].endswith(f"{white} turns automatic play off")
    assert lines[count : count + 2] == ["", next(line for line in lines if line.startswith(f"match {match}, table "))]
    assert lines[-1].startswith("game 1, phase ")


async def test_a_match_on_a_store_of_ones_own_by_id_and_by_name(valkey: Valkey) -> None:
    async with inside(valkey.url) as url:
        name = unique("Table")
        match, white = await played(url, name)
        count = len(entries_of(valkey.url, match))
        for asked in (match, name, name.upper()):
            check(inspected(asked, "--redis", valkey.url), match, white, count)
        check(inspected(match, before=["--redis", valkey.url]), match, white, count)
        check(inspected(match, TAVLA_REDIS=valkey.url), match, white, count)


async def test_a_match_in_a_data_folder_with_and_without_its_server(own_server: ServerProcess) -> None:
    match, white = await played(own_server.url, unique("t"))
    count = len(entries_of(own_server.store_url, match))
    check(inspected(match, "--data", str(own_server.data)), match, white, count)
    assert own_server.stop() == 0
    check(inspected(match, "--data", str(own_server.data)), match, white, count)
    own_server.restart()
    check(inspected(match, "--data", str(own_server.data)), match, white, count)


async def test_a_match_that_has_left_the_store_is_read_from_the_archive(new_server: NewServer) -> None:
    server = new_server("--archive-grace", "0")
    server.start()
    match, white = await played(server.url, unique("t"), to_the_end=True)
    with contextlib.closing(redis_at(server.store_url)) as redis:
        while redis.exists(keys.MATCH_LOG(match)):
            pass
    archive = f"sqlite:///{server.data.absolute()}/archive.sqlite3"
    for options in (["--data", str(server.data)], ["--data", str(server.data), "--archive", archive]):
        told = inspected(match, *options)
        assert (told.returncode, told.stderr) == (0, "")
        lines = told.stdout.splitlines()
        assert [line.split()[0] for line in lines[:7]] == ["1", "2", "3", "4", "5", "6", "7"]
        assert f"{white} turns automatic play on" in lines[4]
        assert "forfeit" in lines[6]
        assert lines[-1] == "this match has left the store; the archive has it"
    told = inspected(match, "--data", str(server.data), "--archive", "postgresql://nobody@127.0.0.1:1/nothing")
    assert (told.returncode, told.stdout) == (1, "")
    assert "the archive cannot be read" in told.stderr


@pytest.mark.parametrize("options", [("--redis", "unix:///nowhere"), ("--redis", "nonsense"), ("--data", "/nowhere")])
def test_a_store_that_is_not_there_is_said_to_be_missing(options: tuple[str, str]) -> None:
    told = inspected("m1", *options)
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr.startswith("tavla-server: ")
    assert "Traceback" not in told.stderr
    assert not Path("/nowhere").exists()


def test_a_match_that_is_not_there_is_said_to_be_missing(valkey: Valkey) -> None:
    told = inspected("no-such", "--redis", valkey.url)
    assert (told.returncode, told.stdout) == (1, "")
    assert (
        told.stderr == "tavla-server: there is no match no-such: give its id, or the name of a table that is not over\n"
    )


async def test_at_debug_level_each_step_of_a_request_is_a_line_with_all_that_it_concerns(new_server: NewServer) -> None:
    server = new_server("--log-level", "debug")
    server.start()
    async with at_match(server.url) as (white, black, match), Player(server.url) as watcher:
        request = await white.send(m.Auto, match=match, seq=0, what="play", on=True)
        await white.find(lambda message: getattr(message, "id", None) == request)
        refused = await black.send(m.Take, match=match, seq=0)
        await black.find(lambda message: getattr(message, "id", None) == refused)
        resync = await watcher.send(m.Attach, table=match)
        await watcher.find(lambda message: getattr(message, "id", None) == resync)
    assert server.stop() == 0
    lines = [json.loads(line) for line in server.lines if '"level": "debug"' in line]

    def steps(player: Player, number: int) -> list[dict[str, Any]]:
        return [line for line in lines if (line.get("player"), line.get("request")) == (player.id, number)]

    assert [line["event"] for line in steps(white, request)] == ["request", "decided", "committed"]
    assert {line["match"] for line in steps(white, request)} == {match}
    assert [line.get("seq") for line in steps(white, request)] == [None, 5, 5], "both seats, both seeds"
    assert steps(white, request)[1]["events"] == ["AutoSet"]
    assert [(line["event"], line.get("code")) for line in steps(black, refused)] == [
        ("request", None),
        ("decided", "stale"),
    ]
    assert [line["event"] for line in steps(watcher, resync)] == ["request", "resync"]


async def test_a_match_is_followed_by_its_id_through_the_logs_of_two_nodes_of_which_one_dies(
    new_server: NewServer, own_valkey: Valkey, tmp_path: Path
) -> None:
    options = ("--redis", own_valkey.url, "--log-level", "debug")
    first, second = (new_server(*options, data=tmp_path / name) for name in ("first", "second"))
    for node in (first, second):
        node.spawn()
    for node in (first, second):
        node.wait_for_event("serving")
    async with Player(second.url) as black:
        white = Player(first.url)
        await white.open()
        match = await new_match(white, black)
        for player in (white, black):
            assert isinstance(await player.act(m.Auto, match, what="play", on=True), m.Ok)
            for other in (white, black):
                await other.reach(match, player.matches[match].seq)
        first.kill()
        white.url = second.url
        await white.open()
        await white.ask(m.Attach, table=match)
        assert isinstance(await white.act(m.Auto, match, what="play", on=False), m.Ok)
        await black.reach(match, white.matches[match].seq)
        assert isinstance(await black.act(m.Forfeit, match), m.Ok)
        await white.until(match, lambda view: view.phase == "over")
        await white.close()
        secrets = [str(player.token) for player in (white, black)]
    assert second.stop() == 0
    told = [{**json.loads(line), "node": node} for node in (first, second) for line in node.lines if match in line]
    assert all(line["match"] == match for line in told)
    stored = {line["seq"]: line for line in told if line["event"] == "committed"}
    assert sorted(stored) == list(range(1, len(entries_of(own_valkey.url, match)) + 1))
    assert {line["node"] for line in stored.values()} == {first, second}
    assert {line["player"] for line in stored.values()} == {white.id, black.id}
    assert all(line["request"] for line in stored.values())
    events = {node: [line["event"] for line in told if line["node"] is node] for node in (first, second)}
    assert [events[first].count("match_began"), events[second].count("match_began")] in ([1, 0], [0, 1])
    assert [events[first].count("match_ended"), events[second].count("match_ended")] == [0, 1]
    assert not [line for node in (first, second) for line in node.lines for secret in secrets if secret in line]


async def test_above_debug_level_nothing_is_written_of_a_request(own_server: ServerProcess) -> None:
    await played(own_server.url, unique("t"))
    assert own_server.stop() == 0
    assert not [line for line in own_server.lines if '"event": "request"' in line or '"request": ' in line]
