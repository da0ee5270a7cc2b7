"""Statistics of a server's dice, asked by the protocol and over HTTP."""

import asyncio
import json
import random
from pathlib import Path
from urllib.request import urlopen

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import Database

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import Player, refused
from tests.support.players.programs import Machine
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.finished import journal_of, match_id, player, summary_of


async def test_the_dice_of_the_archive_are_told_to_all(own_valkey: Valkey, tmp_path: Path, rng: random.Random) -> None:
    url = f"sqlite:///{tmp_path}/archive.sqlite3"
    database, match = Database(url), match_id(rng)
    journal = journal_of(rng, match, (player(rng, "ada"), player(rng, "bob")))
    found = await summary_of(match, journal)
    await Archive(database).put(found, journal)
    await database.close()
    async with inside(own_valkey.url, archive=url) as node, Player(node) as ada:
        async with asyncio.timeout(PATIENCE_S):
            rolls = await ada.ask(m.Dice)
            while not isinstance(rolls, m.Rolls) or not rolls.time:  # it may be refused, if this asks too often
                rolls = await ada.ask(m.Dice)
        assert (rolls.matches, rolls.proved) == (1, 1)
        assert sum(map(sum, (rolls.white, rolls.black, rolls.opening))) == found.record.match.rolls
        file = await asyncio.to_thread(urlopen, f"http{node.removeprefix('ws')}/dice.json", timeout=PATIENCE_S)
        assert file.headers["Content-Type"] == "application/json"
        assert json.load(file)["black"] == rolls.black
        shown = await asyncio.to_thread(Machine(tmp_path, node).run, "dice", "--as", "eve")
        assert "rolls in 1 finished matches" in shown.text
        plain = await asyncio.to_thread(Machine(tmp_path, node).run, "dice", "--json", "--as", "eve")
        assert json.loads(plain.text)["white"] == rolls.white


async def test_without_an_archive_no_dice_are_counted(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url) as node, Player(node) as ada:
        assert refused(await ada.ask(m.Dice)) == ErrorCode.NO_ARCHIVE
