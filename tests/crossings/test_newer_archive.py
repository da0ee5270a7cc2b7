"""A match that the archive has as over, where an older backup of the store has it as one that goes on."""

import asyncio
import sqlite3
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from tavla_protocol import messages as m
from tavla_protocol.view import from_fields
from tavla_server.commands.backup import backup, restore
from tavla_server.features.archive import copying
from tavla_server.options import ARCHIVE, Options

from tests.support.patience import PATIENCE_S, ask_until
from tests.support.players.accounts import registered, until_played
from tests.support.players.matches import at_match, new_match, played_on
from tests.support.players.plain import Player, refused
from tests.support.servers.processes import NewServer, ServerProcess, assert_no_fault
from tests.support.stores.archiving import archive_at
from tests.support.stores.journals import entries_of

NOBODY_COMES = """
from tavla_server.process.cli import main
from tavla_server.timings import Timings
main(obj=Timings(absence_s=0, claim_s=0, claim_least_s=0, sweep_s=0.02, away_s=0.0))
"""
LOOK_S = 0.2  # between two looks at a list, which is asked for so often at most
RATED: dict[str, bool | int | str] = {"preset": "tournament", "length": 1, "rated": True}


async def archived(server: ServerProcess, *matches: str) -> None:
    """Wait until the archive has these matches."""
    async with archive_at(f"sqlite:///{server.data / ARCHIVE}") as archive:
        for match in matches:
            await ask_until(partial(archive.journal, match))


@pytest.mark.parametrize("archive", ["newer", "another match of this id", "put back, too"])
async def test_what_is_over_in_the_archive_stays_over(new_server: NewServer, tmp_path: Path, archive: str) -> None:
    server, data = new_server(), tmp_path / "new"
    await asyncio.to_thread(server.start)
    async with Player(server.url) as ada, Player(server.url) as bob:
        await registered(ada, bob)
        match, other = [await new_match(ada, bob, RATED) for _ in range(2)]
        await played_on(match, ada, bob)
        await backup(Options(data=server.data), tmp_path / "backup.tar")
        for one in (match, other):
            await bob.act(m.Forfeit, one)
            for player in (ada, bob):
                await player.until(one, lambda view: view.phase == "over")
        before = await until_played(ada, ada, 2)
        await archived(server, match, other)
        journal = entries_of(server.store_url, match)
    await asyncio.to_thread(server.kill, store=True)
    await restore(tmp_path / "backup.tar", data)
    if archive != "put back, too":
        copying.copy(server.data / ARCHIVE, data / ARCHIVE)
    if archive == "another match of this id":
        with closing(sqlite3.connect(data / ARCHIVE)) as connection:
            change = "UPDATE matches SET journal = (SELECT journal FROM matches WHERE id = ?) WHERE id = ?"
            connection.execute(change, (other, match))
            connection.commit()
    again = new_server(data=data)
    await asyncio.to_thread(again.start)
    async with Player(again.url, token=ada.token) as white, Player(again.url, token=bob.token) as black:
        shown = [await player.get(m.Snapshot, m.Attach, table=match) for player in (white, black)]
        if archive == "newer":
            seen = ada.matches[match]
            for snapshot in shown:
                known = snapshot.epoch, snapshot.seq, from_fields(snapshot.view)
                assert known == (1, seen.seq, seen.view), "as it was seen"
            assert entries_of(again.store_url, match) == journal
            assert refused(await black.act(m.Forfeit, match)) == "wrong_phase"
            await black.ask(m.Attach, table=other)
            after = await until_played(white, white, 2)
            assert (after.rating, [line.change for line in after.results]) == (
                before.rating,
                [line.change for line in before.results],
            )
        else:
            assert [(two.epoch, two.view["phase"] != "over") for two in shown] == [(2, True)] * 2, "it goes on"
            await played_on(match, white, black)
    assert_no_fault(again)


async def test_what_is_over_in_the_archive_leaves_the_lobby_though_nobody_comes(
    new_server: NewServer, tmp_path: Path
) -> None:
    """After the time for which both may be away."""
    server, data = new_server(), tmp_path / "new"
    await asyncio.to_thread(server.start)
    async with at_match(server.url, RATED | {"rated": False}) as (ada, bob, match):
        await played_on(match, ada, bob)
        await backup(Options(data=server.data), tmp_path / "backup.tar")
        await bob.act(m.Forfeit, match)
        await archived(server, match)
    await asyncio.to_thread(server.kill, store=True)
    await restore(tmp_path / "backup.tar", data)
    copying.copy(server.data / ARCHIVE, data / ARCHIVE)
    again = new_server(data=data, command=[sys.executable, "-c", NOBODY_COMES])
    await asyncio.to_thread(again.start)
    async with Player(again.url) as eve, asyncio.timeout(PATIENCE_S):
        while match in (await eve.get(m.Listing, m.List, what="matches")).rows:  # noqa: ASYNC110 - of a list
            await asyncio.sleep(LOOK_S)
        record = await eve.get(m.Recorded, m.Record, match=match)
        assert record.view is not None
        assert record.view["outcome"][3] == "forfeit", "as it ended, and not as left by both"
    assert_no_fault(again)
