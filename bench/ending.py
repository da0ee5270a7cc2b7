"""A match that ends while its server is killed, and everything that its players can do with it afterwards.

`python -m bench.ending [ROUNDS [SEED]]` prints a row for each match. In each round two people play a match to 1 point
in real terminals, at a real server, whose process is killed with -9 at a random moment around the match's end
(with its store in every other round) and started again. Then both see the end, and the match is listed, replayed,
exported, loaded into GNU Backgammon, verified by the script that knows nothing of us, and analysed. The first check
that fails ends it, with what was seen.
"""

import asyncio
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import msgspec
from tavla_bots.gnubg_process import installed
from tavla_engine.notation import format_play
from tavla_engine.plays import legal_plays
from tavla_engine.position import Position
from tavla_engine.sgf import import_sgf
from tavla_protocol import messages as m
from tavla_protocol.view import View

from tests.support.players.plain import Returning
from tests.support.players.terminal import Terminal
from tests.support.results import recorded
from tests.support.servers.processes import ServerProcess, script, short_folder

ROUNDS = 20
ENDS = "forfeit", "resign", "forfeit", "resign", "play"  # how a match is brought to its end, round by round
TURNS = 4  # that are played before a player gives up
RETYPE_S = 0.5  # a line that was typed while the server is away is typed again
AROUND_S = 0.5  # the kill comes so long at most after the line that ends the match, or after a watcher has seen the end
PATIENCE_S = 60.0
VERIFY = Path(__file__).parent.parent / "protocol" / "examples" / "verify.py"
GNUBG_READS = {".mat": "import mat", ".sgf": "load match"}


class Row(NamedTuple):
    """The result of one round. after_ms: from the end of the match, as it was stored, to the kill."""

    match: str
    how: str
    killed: str
    after_ms: int
    by: str


class Table:
    """Two terminals at a table, and a watcher, to know what is to be typed."""

    def __init__(self, folder: Path, url: str, name: str) -> None:
        self.folder, self.url, self.name = folder, url, name
        at = ("--server", url, "--ascii")
        self.ada = Terminal(folder / "ada", "create", name, "--length", "1", "--side", "white", *at, "--as", "ada")
        self.ada.wait_for(f"waiting for an opponent at table {name}")
        self.bob = Terminal(folder / "bob", "join", name, *at, "--as", "bob")
        self.players = self.ada, self.bob

    def run(self, *arguments: str) -> str:
        """Run `tavla` as ada. Returns its output."""
        env = {**os.environ, "TAVLA_CONFIG_DIR": str(self.folder / "ada"), "TAVLA_SERVER": self.url}
        command = [*script("tavla"), *arguments, "--as", "ada"]
        done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=4 * PATIENCE_S, check=False)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout

    def close(self) -> None:
        """Leave no process behind."""
        for one in self.players:
            one.clean_up()


async def enter(table: Table, watcher: Returning, match: str, line: str) -> None:
    """Type for the player who is to act, until the match has moved on."""
    before, seat = watcher.matches[match].seq, watcher.matches[match].view.to_act[0]
    while True:
        for part in line.split("\n"):
            table.players[seat].type(part)
        if await watcher.reached(match, lambda _: watcher.matches[match].seq > before, RETYPE_S):
            return


def play_of(view: View) -> str:
    """The safest play, so that matches are short."""
    position = Position(view.row(view.turn), view.row(1 - view.turn))
    plays = legal_plays(position, (view.dice[0], view.dice[1]))
    return format_play(position, plays[max(plays, key=lambda after: (after.mine[0], -after.mine[1:].count(1)))])


def line(view: View, turns: int, how: str) -> tuple[str, bool]:
    """The next line to type, and whether it may end the match."""
    if view.phase == "resign":
        return "accept", True
    if how != "play" and turns > TURNS:
        return ("forfeit\nyes", True) if how == "forfeit" else ("resign single\nyes", False)
    near = max(view.row(0)[0], view.row(1)[0]) >= 11  # a double takes four off, and what is forced is played at once
    return (play_of(view) if view.phase == "move" else "roll"), near


async def play(table: Table, server: ServerProcess, rng: random.Random, number: int) -> tuple[str, str, float]:
    """Play a match to its end, and kill the server around it; its id, which processes were killed, and when."""
    store, delay_s, how = bool(number // 2 % 2), rng.uniform(0, AROUND_S), ENDS[number % len(ENDS)]
    killing: asyncio.Task[float] | None = None
    ended = asyncio.Event()
    if rng.random() < 0.5:
        ended.set()  # it is not waited for
    async with Returning(table.url) as watcher:
        snapshot = await watcher.ask(m.Attach, table=table.name)
        assert isinstance(snapshot, m.Snapshot), snapshot
        match, turns = snapshot.match, 0
        assert await watcher.reached(match, lambda view: view.game == 1, PATIENCE_S)
        async with asyncio.timeout(5 * PATIENCE_S):
            while (view := watcher.matches[match].view).phase != "over":
                turns += 1
                typed, last = line(view, turns, how)
                if last and killing is None:
                    killing = asyncio.create_task(killed(server, ended, delay_s, store))
                await enter(table, watcher, match, typed)
    ended.set()  # a line that was typed again may have ended the match sooner than it was looked for
    at = await (killing or killed(server, ended, delay_s, store))
    return match, "server and store" if store else "server", at


async def killed(server: ServerProcess, begin: asyncio.Event, delay_s: float, store: bool) -> float:
    """Kill a server so long after this, and start it again; when it was killed, in s since 1970."""
    await begin.wait()
    await asyncio.sleep(delay_s)
    pid = server.store_pid if store else 0
    at = time.time()
    server.process.kill()
    if pid:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 9)
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.start)
    return at


def look_back(table: Table, match: str, ended: int) -> tuple[m.Finished, str]:
    """All that can be done with the match afterwards; what its history says, and who has judged it.

    ended: how many matches ada has ended, this one included.
    """
    for one in table.players:
        one.wait_for("another match?", PATIENCE_S)
        one.wait_for(" the match", PATIENCE_S)  # who wins it, or gives it up
    table.ada.type("no")
    for one in table.players:
        one.type("quit")
        assert one.wait() == 0
        assert "Traceback" not in one.shown, one.shown
    row = listed(table, match, ended)
    story = table.run("replay", match)
    assert "game 1 begins" in story, story
    with tempfile.TemporaryDirectory() as exports:
        files = {suffix: Path(exports, f"m{suffix}") for suffix in (".mat", ".sgf", ".json")}
        for file in files.values():
            table.run("export", match, "-o", str(file))
        loaded_by_gnubg(Path(exports))
        foreign = [sys.executable, str(VERIFY), str(files[".json"])]
        verified = subprocess.run(foreign, capture_output=True, text=True, check=False)
        assert verified.returncode == 0, verified.stdout + verified.stderr
    assert "all follow from the seeds" in table.run("verify", match)
    return row, str(json.loads(table.run("analyse", match, "--json"))["by"])


def listed(table: Table, match: str, ended: int) -> m.Finished:
    """The line of a match in its player's history, where it is once, and nothing is missing."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        rows = [msgspec.json.decode(line, type=m.Finished) for line in table.run("history", "--json").splitlines()]
        found = [row for row in rows if row.match == match]
        if found:
            break
        assert time.monotonic() < deadline, f"{match} is not in the history"
    assert len(found) == 1, found
    assert len(rows) == len({row.match for row in rows}) == ended, rows
    return found[0]


def loaded_by_gnubg(folder: Path) -> None:
    """GNU Backgammon reads both exports, and what it writes then has the same games."""
    program = installed()
    assert program is not None, "apt-get install gnubg"
    games = []
    for suffix, command in GNUBG_READS.items():
        copy = folder / f"copy-of{suffix}.sgf"
        typed = f"set automatic roll off\n{command} m{suffix}\nsave match {copy.name}\n"
        env = {**os.environ, "HOME": str(folder), "LC_ALL": "C.UTF-8"}
        subprocess.run(
            [program, "-t", "-q"], input=typed, cwd=folder, env=env, capture_output=True, text=True, check=True
        )
        assert copy.exists(), f"GNU Backgammon cannot read m{suffix}"
        games.append(plays(copy))
    assert games[0] == games[1] == plays(folder / "m.sgf"), games


def plays(file: Path) -> list[str]:
    """The turns that an SGF file tells of."""
    events = import_sgf(file.read_text("utf-8")).events
    return [repr(event) for event in events if type(event).__name__ in ("OpeningRolled", "Rolled", "Moved")]


async def run(rounds: int, seed: str) -> None:
    """Play, kill, look, and print a line a round."""
    rng = random.Random(seed)
    print(f"seed {seed}\n")
    print("| match | ended by | killed | when, ms after the end was stored | analysed by |\n|---|---|---|---|---|")
    with short_folder() as folder:
        server = ServerProcess(folder / "data")
        server.start()
        try:
            for number in range(rounds):
                table = await asyncio.to_thread(Table, folder, server.url, f"t{number}")
                try:
                    match, killed_, at = await play(table, server, rng, number)
                    row, by = await asyncio.to_thread(look_back, table, match, number + 1)
                finally:
                    table.close()
                done = Row(match, row.ending, killed_, round(1000 * at - row.ended), by)
                print("| " + " | ".join(map(str, done)) + " |", flush=True)
        finally:
            server.clean_up()
    print(f"\n{rounds} kills, and nothing was missing, doubled or wrong")


if __name__ == "__main__":
    rounds_, seed_, *_ = [
        *sys.argv[1:],
        *(str(ROUNDS), str(random.SystemRandom().randrange(10**6)))[len(sys.argv) - 1 :],
    ]
    with recorded("ending"):
        asyncio.run(run(int(rounds_), seed_))
