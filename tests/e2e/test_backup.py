"""`tavla-server backup` while people play, and `restore`: what they see of a store that is older than they are."""

import asyncio
import contextlib
import gzip
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import tarfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from tavla_client import Client
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.commands.backup import backup, restore
from tavla_server.errors import StartError
from tavla_server.options import Options
from tavla_server.store import snapshot

from tests.support.patience import PATIENCE_S, ask_until
from tests.support.players.accounts import career, registered
from tests.support.players.matches import new_match
from tests.support.players.plain import Player, refused, unique
from tests.support.players.returning import Returning
from tests.support.players.turns import waits_for
from tests.support.servers.our_programs import run_program
from tests.support.servers.processes import NewServer, ServerProcess, assert_no_fault, script
from tests.support.stores.evening import unpack
from tests.support.stores.journals import entries_of

ELSEWHERE = "postgresql://nobody@127.0.0.1:1/nothing"
PAUSE_S = 0.05  # between two turns: a backup is to have some of the machine, too
ENDLESS: dict[str, bool | int | str] = {"preset": "money"}
RATED: dict[str, bool | int | str] = {"preset": "tournament", "length": 1, "rated": True}


def command(server: ServerProcess, *words: str) -> str:
    """Output of a command that runs with the server's environment."""
    done = run_program("tavla-server", *words, env=server.env)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture
async def clients() -> AsyncIterator[contextlib.AsyncExitStack]:
    """Clients that stay until the end of the test."""
    async with contextlib.AsyncExitStack() as stack:
        yield stack


class Pair:
    """Two who play a match without an end, a turn after the other, until told to stop."""

    def __init__(self, url: str, rng: random.Random) -> None:
        self.players, self.rng = (Returning(url), Returning(url)), rng
        self.match = ""

    async def begin(self) -> None:
        for player in self.players:
            await player.open()
        self.match = await new_match(*self.players, ENDLESS)

    @property
    def seq(self) -> int:
        return min(player.matches[self.match].seq for player in self.players)

    async def play_while(self, wanted: Callable[[], bool]) -> None:
        """Take turns as long as something holds."""
        while wanted():
            views = [(player, player.matches[self.match]) for player in self.players]
            mover = next(player for player, seen in views if waits_for(seen.view, seen.seat))
            await mover.take_turn(self.match, self.rng)
            seq = max(player.matches[self.match].seq for player in self.players)
            for player in self.players:
                await player.reach(self.match, seq)
            await asyncio.sleep(PAUSE_S)


async def test_a_restore_that_is_older_than_what_people_have_seen(
    new_server: NewServer, tmp_path: Path, rng: random.Random, clients: contextlib.AsyncExitStack
) -> None:
    server, file = new_server(), tmp_path / "backup.tar"
    del server.env["TAVLA_SEED_KEY"]  # the server makes one of its own
    server.start()
    pair = Pair(server.url, rng)
    await pair.begin()
    watched = await (await clients.enter_async_context(Client(server.url))).attach(pair.match)
    async with Player(server.url) as ada, Player(server.url) as bob:
        await registered(ada, bob)
        rated = await new_match(ada, bob, RATED)
        before = set(os.listdir(server.data))
        copying = asyncio.create_task(
            asyncio.to_thread(command, server, "backup", str(file), "--data", str(server.data))
        )
        await pair.play_while(lambda: not copying.done())
        said = copying.result()
        assert "2 matches with" in said
        left = set(os.listdir(server.data)) - before - {"store.json.new"}  # which the server writes now and then
        assert left == set(), "root may have done it, and what is root's the server could not use"
        assert "of which 2 go on; 4 names; 0 matches in the archive" in said
        copied = pair.seq
        await pair.play_while(lambda: pair.seq < copied + 6)
        await bob.act(m.Forfeit, rated)
        await ada.until(rated, lambda view: view.phase == "over")
        await ask_until(lambda: career(ada, ada), lambda found: found.experience != 0)
    late = unique("late")
    async with Player(server.url, late) as newcomer:
        token = newcomer.token
    whole = entries_of(server.store_url, pair.match)
    server.kill(store=True)

    data = tmp_path / "new"
    assert f"{data} has 2 matches" in command(server, "restore", str(file), "--data", str(data))
    again = new_server(data=data)
    again.port, again.url = server.port, server.url
    again.options[again.options.index("--port") + 1] = str(server.port)
    again.env = server.env
    again.start()
    *kept, forked = entries_of(again.store_url, pair.match)
    assert kept == whole[: len(kept)]
    assert [type(event).__name__ for event in forked.events] == ["Forked"]

    for one in pair.players:  # they have seen more of it than there is
        await one.come_back()
        seen = one.matches[pair.match]
        assert (seen.epoch, seen.seq) == (2, len(kept) + 1)
    await pair.play_while(lambda: pair.seq < copied + 10)
    async with Player(again.url, token=ada.token) as ada, Player(again.url, token=bob.token) as bob:
        assert rated in ada.playing, "it had not ended yet"
        for player in (ada, bob):
            await player.ask(m.Attach, table=rated)
        assert (await career(ada, ada)).experience == 0
        await bob.act(m.Forfeit, rated)
        await ask_until(lambda: career(ada, ada), lambda found: found.experience != 0)
    async with Player(again.url, late) as newcomer:  # the name is free: it was taken later
        stranger = Player(again.url)
        await stranger.connect()
        assert refused(await stranger.ask(m.Hello, token=token)) == ErrorCode.BAD_TOKEN
        await stranger.close()
    for one in pair.players:
        await one.close()
    async with asyncio.timeout(PATIENCE_S):  # who has looked on all the while is in step, too
        async for change in watched.changes():
            if (watched.epoch, change.seq) == (2, pair.seq):
                break
    assert watched.view == pair.players[0].matches[pair.match].view
    assert_no_fault(again)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with a store, an archive and a key, that no server uses."""
    data = tmp_path / "data"
    unpack(data)
    (data / "seed.key").write_text("00" * 32)
    return data


@pytest.mark.slow
def test_whatever_the_umask_only_its_owner_reads_what_a_command_writes(folder: Path, tmp_path: Path) -> None:
    file, data = tmp_path / "b.tar", tmp_path / "above" / "new"

    def run(*words: str) -> None:
        subprocess.run([*script("tavla-server"), *words], umask=0, capture_output=True, check=True)

    run("backup", str(file), "--data", str(folder))
    run("restore", str(file), "--data", str(data))
    with next((data / "appendonlydir").glob("*.incr.aof")).open("ab") as tail:
        tail.write(b"*3 damaged")
    run("repair", "--data", str(data))
    made = [file, data.parent, *data.parent.rglob("*")]
    assert [path for path in made if path.stat().st_mode & 0o077] == []
    assert len([path for path in made if "before-repair" in str(path)]) > 1, "a copy of the damaged files is kept"


async def test_a_folder_comes_back_whole_without_a_server(folder: Path, tmp_path: Path) -> None:
    file, data = tmp_path / "b.tar", tmp_path / "new"
    (made,) = await backup(Options(data=folder), file)
    assert file.stat().st_mode & 0o777 == 0o600
    data.mkdir()
    has, _ = await restore(file, data)
    before, after = (
        int(re.findall(r"2 matches with (\d+) entries, of which 1 go on", said)[0]) for said in (made, has)
    )
    assert after == before + 1, "that it has forked"
    assert "1 matches in the archive" in has
    assert (data / "seed.key").read_text() == "00" * 32
    assert sorted(os.listdir(tmp_path)) == ["b.tar", "data", "new"], "nothing is left over"
    with pytest.raises(StartError, match=r"b\.tar is there: give a new name"):
        await backup(Options(data=folder), file)
    with pytest.raises(StartError, match="is not empty: give --data a new folder"):
        await restore(file, data)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_backup_that_is_killed_leaves_nothing_behind_the_next_one(folder: Path, tmp_path: Path, number: int) -> None:
    there = sorted(os.listdir(tmp_path))
    asked = [*script("tavla-server"), "backup", str(tmp_path / "b.tar"), "--data", str(folder)]
    with subprocess.Popen(asked, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as killed:
        while sorted(os.listdir(tmp_path)) == there:
            assert killed.poll() is None, killed.stderr and killed.stderr.read()
        killed.send_signal(number)
    assert killed.returncode in (-number, 128 + number)
    if number == signal.SIGTERM:
        assert sorted(os.listdir(tmp_path)) == there
    asyncio.run(backup(Options(data=folder), tmp_path / "c.tar"))
    assert sorted(os.listdir(tmp_path)) == sorted([*there, "c.tar"])


async def test_a_folder_that_is_not_there_is_not_made(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(StartError, match=r"there is no folder .*backupz: make it, or give another name"):
        await backup(Options(data=folder), tmp_path / "backupz" / "b.tar")
    assert not (tmp_path / "backupz").exists()


async def test_what_is_damaged_is_not_restored(folder: Path, tmp_path: Path) -> None:
    file, data = tmp_path / "b.tar", tmp_path / "new"
    await backup(Options(data=folder), file)
    whole = file.read_bytes()
    middle, packed = whole.index(b"store.rdb\0") + 1500, gzip.compress(whole)[:2000]
    for damaged in (whole[:middle], whole[:middle] + b"\xff" + whole[middle + 1 :], b"", b"not ours", packed):
        file.write_bytes(damaged)
        with pytest.raises(StartError, match=r"b\.tar is (damaged: store\.rdb|no backup of ours).*\Z"):
            await restore(file, data)
        assert not data.exists()


async def test_a_backup_says_what_is_not_in_it(folder: Path, tmp_path: Path) -> None:
    for name in ("archive.sqlite3", "seed.key"):
        (folder / name).unlink()
    for archive, sentence in (
        (None, "there is no archive yet"),
        (ELSEWHERE, "the archive is elsewhere: back it up now"),
    ):
        _, about_archive, about_key = await backup(Options(data=folder, archive=archive), tmp_path / f"{sentence}.tar")
        assert about_archive.startswith(sentence)
        assert about_key.startswith("there is no seed key")


async def test_a_file_of_other_parts_is_no_backup(tmp_path: Path) -> None:
    file = tmp_path / "b.tar"
    for sums, sentence in (({"passwd": ""}, "it names other parts"), ({"store.rdb": ""}, "store.rdb is no file")):
        text = json.dumps({"made": "", "sha256": sums}).encode()
        with tarfile.open(file, "w") as tar:
            about, part = tarfile.TarInfo("backup.json"), tarfile.TarInfo("store.rdb")
            about.size, part.type = len(text), tarfile.DIRTYPE
            tar.addfile(about, io.BytesIO(text))
            tar.addfile(part)
        with pytest.raises(StartError, match=f"is no backup of ours, or damaged: .*{sentence}"):
            await restore(file, tmp_path / "new")


async def test_what_cannot_be_copied_is_said(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(snapshot, "ROOM", 1 << 60)
        with pytest.raises(StartError, match="has no room for a copy of the store"):
            await backup(Options(data=folder), tmp_path / "b.tar")
    (folder / "archive.sqlite3").write_bytes(b"nonsense" * 1000)
    with pytest.raises(StartError, match="cannot back up: file is not a database"):
        await backup(Options(data=folder), tmp_path / "b.tar")
    with pytest.raises(StartError, match=r"cannot restore: .*seed\.key: File exists"):
        await restore(tmp_path / "b.tar", folder / "seed.key" / "new")
    shutil.rmtree(folder)
    with pytest.raises(StartError, match="of a Redis of yours, see"):
        await backup(Options(redis="redis://localhost"), tmp_path / "b.tar")
    with snapshot.alone(tmp_path), pytest.raises(StartError, match="another backup of"), snapshot.alone(tmp_path):
        pass
    with pytest.raises(StartError, match="there is no store in"):
        await backup(Options(data=tmp_path / "none"), tmp_path / "b.tar")
    assert os.listdir(tmp_path) == []
