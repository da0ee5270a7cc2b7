"""Where a tournament meets a restore of a backup that is older than what was decided of it."""

import asyncio
import contextlib
from pathlib import Path

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.commands.backup import backup, restore
from tavla_server.features.archive import copying
from tavla_server.options import ARCHIVE, Options

from tests.support.patience import PATIENCE_S
from tests.support.players.accounts import registered
from tests.support.players.plain import Player, guests, refused, unique
from tests.support.players.seeds import COMMITMENTS
from tests.support.players.tournaments import RULES, direct, entered, record_of
from tests.support.servers.processes import NewServer, assert_no_fault


async def made(director: Player, name: str) -> str:
    """A tournament of tomorrow."""
    asked = {"name": name, "rules": RULES, "starts": 86_400}
    return (await director.get(m.Organised, m.CreateTournament, **asked)).tournament


async def listed(player: Player) -> dict[str, str]:
    """The tournaments in the list that are not over: names by id."""
    rows = (await player.get(m.Listing, m.List, what="tournaments")).rows
    return {id_: row["name"] for id_, row in rows.items() if row["ends"] > row["starts"]}


async def until_archived(player: Player, tournament: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            past = await player.look_back(m.PastTournaments)
            assert isinstance(past, m.Held)
            if tournament in past.tournaments:
                return


@pytest.mark.parametrize("archive", ["put back, too", "newer"])
async def test_what_was_decided_after_the_backup_can_be_decided_again(
    new_server: NewServer, tmp_path: Path, archive: str
) -> None:
    server, file, (sunday, monday) = new_server(), tmp_path / "backup.tar", (unique("sunday"), unique("monday"))
    await asyncio.to_thread(server.start)
    async with guests(server.url, 2) as (eve, ada):
        await registered(eve)
        renamed, cancelled = await made(eve, sunday), await made(eve, unique("cup"))
        await entered(ada, cancelled, COMMITMENTS[0])
        await backup(Options(data=server.data), file)
        before = await listed(ada)
        await direct(eve, renamed, "rename", name=monday)
        await direct(eve, cancelled, "cancel")
        await ada.next(m.Unpaired)
        await until_archived(ada, cancelled)
    await asyncio.to_thread(server.kill, store=True)
    data = tmp_path / "new"
    await restore(file, data)
    if archive == "newer":
        copying.copy(server.data / ARCHIVE, data / ARCHIVE)
    again = new_server(data=data)
    await asyncio.to_thread(again.start)
    async with contextlib.AsyncExitStack() as stack:
        eve, ada = [await stack.enter_async_context(Player(again.url, token=one.token)) for one in (eve, ada)]
        assert await listed(ada) == before, "as it was then"
        past = await ada.look_back(m.PastTournaments)
        assert isinstance(past, m.Held)
        assert cancelled not in past.tournaments, "it is planned again"
        for id_, name in before.items():
            about = (await record_of(ada, id_)).about
            assert about is not None
            assert (about.name, about.ends > about.starts) == (name, True)
        taken = await eve.ask(m.DirectTournament, tournament=cancelled, what="rename", name=sunday, reason="r")
        assert refused(taken) == ErrorCode.NAME_TAKEN
        await direct(eve, renamed, "rename", name=monday)
        await direct(eve, cancelled, "rename", name=unique("tuesday"))
        await entered(ada, cancelled, COMMITMENTS[1])
        await direct(eve, cancelled, "cancel")
        await ada.next(m.Unpaired)
        await until_archived(ada, cancelled)
        told = await record_of(ada, cancelled)
        assert [ruling.what for ruling in told.rulings] == ["rename", "cancel"]
        assert await listed(ada) == {renamed: monday}
    assert_no_fault(again)
