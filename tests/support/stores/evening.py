"""The data folder of two accounts after an evening together, in `tests/data/evening.tar.gz`.

`python -m tests.support.stores.evening` makes it anew, after a change of what stands in a store.
(The server's seeds are sealed with tests/data/seed.key.)
"""

import asyncio
import random
import tarfile
import tempfile
from pathlib import Path

import msgspec
from tavla_protocol import messages as m

from tests.support.patience import PATIENCE_S
from tests.support.players.accounts import registered, until_played
from tests.support.players.matches import new_match
from tests.support.players.plain import Player
from tests.support.servers.lifetimes import started
from tests.support.servers.processes import ServerProcess

DATA = Path(__file__).parents[2] / "data"
FILE = DATA / "evening.tar.gz"
KEPT = ("appendonlydir", "store.json", "archive.sqlite3", "evening.json")
RATED: dict[str, bool | int | str] = {"preset": "tournament", "length": 1, "rated": True, "reserve_s": 600}
LIVE: dict[str, bool | int | str] = {"preset": "club", "length": 5}  # without a clock
TURNS = 6


class Evening(msgspec.Struct):
    """Data that ada and bob have left behind: two matches, the version of the one that goes on, and their ratings."""

    live: str
    live_seq: int
    finished: str
    ratings: tuple[float | None, float | None]


async def spend(url: str) -> Evening:
    """Two accounts play a rated match to its end and begin another one."""
    rng = random.Random(1)
    async with Player(url, "ada") as ada, Player(url, "bob") as bob:
        await registered(ada, bob)
        finished = await new_match(ada, bob, RATED)
        await asyncio.gather(ada.play(finished, rng), bob.play(finished, rng))
        careers = await until_played(ada, ada, 1), await until_played(ada, bob, 1)
        live = await new_match(ada, bob, LIVE)
        for _ in range(TURNS):
            for player in (ada, bob):
                await player.sync()
                if player.matches[live].seat in ada.matches[live].view.to_act:
                    await player.take_turn(live, rng)
            seq = max(ada.matches[live].seq, bob.matches[live].seq)
            await asyncio.gather(ada.reach(live, seq), bob.reach(live, seq))
        assert ada.matches[live].view.phase != "over", "it goes on: else spend another evening"
        await _until_archived(ada, finished)
        ratings = careers[0].rating, careers[1].rating
        return Evening(live, ada.matches[live].seq, finished, ratings)


async def _until_archived(player: Player, match: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            page = await player.look_back(m.History, name=player.name)
            assert isinstance(page, m.Played), page
            if any(row.match == match for row in page.matches):
                return


def unpack(data: Path) -> Evening:
    """Make that data folder; what they left behind."""
    with tarfile.open(FILE) as tar:
        tar.extractall(data, filter="data")
    return msgspec.json.decode((data / "evening.json").read_bytes(), type=Evening)


def make() -> None:
    """Spend an evening on a server of this version, and pack its data folder."""
    with tempfile.TemporaryDirectory(prefix="tavla-") as folder:
        with started(ServerProcess(Path(folder) / "data")) as (server,):
            evening = asyncio.run(spend(server.url))
            server.stop()
        (server.data / "evening.json").write_bytes(msgspec.json.encode(evening))
        with tarfile.open(FILE, "w:gz") as tar:
            for name in KEPT:
                tar.add(server.data / name, name)


if __name__ == "__main__":
    make()
